/* design = pairs: whatever two values meet in the product on a problem, meet in the design there, counted here from the
 * settings by their names; it is part of the product, in its order, and far smaller. */
#include "tests/support/folder.h"

#include "harness/case/case_settings.h"
#include "harness/sweep/spec.h"
#include "solvers/registry.h"

static const char head[] = "[sweep]\nname = test\n";

static struct nb_case *expand(const char *text, bool full, int *count)
{
    OWNS(nb_spec_free) struct nb_spec spec;
    struct nb_case *cases;
    const char *path = test_path(&folder, "spec.sweep");
    test_write(path, text);
    assert_ok(nb_spec_read(path, &spec, &why));
    spec.full = full;
    assert_ok(nb_spec_expand(&spec, NULL, &cases, count, &why));
    return cases;
}

/* What the case has of an axis; "": its linear solver takes none. */
static const char *setting_of(const struct nb_case *one, int axis)
{
    const struct nb_options *options = &one->options;
    switch (axis) {
    case 0: return options->ncp;
    case 1: return options->linear;
    case 2: return nb_registry_uses_precond(options->linear) ? options->precond : "";
    default: return options->precision;
    }
}

static bool meets(const struct nb_case *one, const struct nb_case *other, int a, int b)
{
    return !strcmp(one->problem, other->problem) && one->mode == other->mode &&
           !strcmp(setting_of(one, a), setting_of(other, a)) && !strcmp(setting_of(one, b), setting_of(other, b));
}

/* That each pair of the product's cases of a group is in one of the design's. */
static void check_covers(const struct nb_case *product, int all, const struct nb_case *design, int count)
{
    for (int i = 0; i < all; ++i)
        for (int a = 0; a < 4; ++a)
            for (int b = a + 1; b < 4; ++b) {
                bool met = !*setting_of(&product[i], a) || !*setting_of(&product[i], b);
                for (int k = 0; k < count && !met; ++k)
                    met = meets(&product[i], &design[k], a, b);
                if (!met)
                    fail_msg("%s: %s never meets %s", product[i].problem, setting_of(&product[i], a),
                             setting_of(&product[i], b));
            }
}

static bool same(const struct nb_case *one, const struct nb_case *other)
{
    for (int axis = 0; axis < 4; ++axis)
        if (strcmp(setting_of(one, axis), setting_of(other, axis)))
            return false;
    return !strcmp(one->problem, other->problem);
}

/* That the design leaves out cases of the product, and changes and moves none. */
static void check_is_part(const struct nb_case *product, int all, const struct nb_case *design, int count)
{
    int k = 0;
    for (int i = 0; i < all && k < count; ++i)
        k += same(&product[i], &design[k]);
    assert_int_equal(k, count);
}

static const char axes[] = "ncp = fb, min\nprecond = none, jacobi, block_jacobi, ssor, ic0, fsai, amg, deflation\n"
                           "linear = pcr, pcg, cholesky, gauss_seidel, jacobi\nprecision = f64, f32, f32_sums\n";

TEST(any_two_values_meet_on_each_problem)
{
    char text[1024];
    int all, count;
    snprintf(text, sizeof text, "%s[group a]\ndesign = pairs\nproblem = p.h5, q.h5\n%s", head, axes);
    OWNS(free_at) struct nb_case *product = expand(text, true, &all);
    OWNS(free_at) struct nb_case *design = expand(text, false, &count);
    assert_int_equal(all, 2 * 2 * 8 * 5 * 3);
    check_covers(product, all, design, count);
    check_is_part(product, all, design, count);
    /* Preconditioners x precisions are 24, and each of three solvers without one meets three precisions. */
    assert_in_range(count, 2 * (24 + 3 * 3), 2 * 40);
}

/* So that a star of a base and a design of the rest are together no more than they need. */
TEST(what_an_earlier_group_of_the_mode_has_counts)
{
    char text[2048];
    int star = 8 + 2, all, count, systems = 0;
    static const char other[] = "[group s]\nmode = linear_system\nproblem = p.h5\nlinear = pcg\nprecond = ic0\n"
                                "precision = f32\n";
    snprintf(text, sizeof text, "%s[group base]\nproblem = p.h5\nncp = fb\nlinear = pcr\nprecond = none, jacobi, "
             "block_jacobi, ssor, ic0, fsai, amg, deflation\n[group more]\nproblem = p.h5\nncp = fb\nlinear = pcg,\n"
             " cholesky\n%s[group a]\ndesign = pairs\nproblem = p.h5\n%s", head, other, axes);
    OWNS(free_at) struct nb_case *product = expand(text, true, &all);
    OWNS(free_at) struct nb_case *design = expand(text, false, &count);
    check_covers(product, all, design, count);
    check_is_part(product, all, design, count);
    for (int i = star + 1; i < count; ++i) {
        int k = 0;
        for (int j = 0; j < star; ++j)
            k += same(&design[i], &design[j]);
        assert_int_equal(k, 0); /* nothing of the star is chosen again */
        systems += !strcmp(design[i].options.linear, "pcg") && !strcmp(design[i].options.precond, "ic0");
    }
    assert_in_range(count - star - 1, 16 + 6, 40 - star); /* two precisions are left to eight preconditioners */
    assert_true(systems >= 1); /* of a stored system it is another pair */
}

/* Those that exclusions leave, which no other combination replaces, stay; and no other appears. */
TEST(an_exclusion_takes_its_pairs_away)
{
    char text[1024];
    int all, count;
    snprintf(text, sizeof text, "%s[group a]\ndesign = pairs\nproblem = p.h5\n%s[exclude x]\nlinear = pcg, cholesky\n"
             "precision = f32, f32_sums\n[exclude y]\nlinear = pcr\nprecond = amg\nprecision = f32\n", head, axes);
    OWNS(free_at) struct nb_case *product = expand(text, true, &all);
    OWNS(free_at) struct nb_case *design = expand(text, false, &count);
    check_covers(product, all, design, count);
    check_is_part(product, all, design, count);
    for (int i = 0; i < count; ++i)
        assert_false(!strcmp(design[i].options.linear, "pcg") && strcmp(design[i].options.precision, "f64"));
}

/* Three axes of three values fit into nine cases; a single axis keeps each of its values. */
TEST(small_designs)
{
    char text[512];
    int count;
    snprintf(text, sizeof text, "%s[group a]\nproblem = p.h5\ndesign = pairs\nmode = linear_system\n"
             "precision = f64, f32, f32_sums\nlinear = pcr, pcg, minres\nprecond = none, jacobi, ic0\n", head);
    free(expand(text, false, &count));
    assert_in_range(count, 9, 11); /* nine are the least */
    snprintf(text, sizeof text, "%s[group a]\nproblem = p.h5\nlinear = pcr, pcg, minres\ndesign = pairs\n", head);
    free(expand(text, false, &count));
    assert_int_equal(count, 3);
    snprintf(text, sizeof text, "%s[group a]\nproblem = p.h5, q.h5\ndesign = pairs\n", head);
    free(expand(text, false, &count));
    assert_int_equal(count, 2);
    snprintf(text, sizeof text, "%s[group a]\nproblem = p.h5\nmode = linear_system\nsystem = 0, 1\ndesign = pairs\n"
             "linear = pcr, pcg\nprecond = none, jacobi\n", head);
    free(expand(text, false, &count));
    assert_int_equal(count, 8); /* each system is a problem */
}

TEST(mistakes_are_named)
{
    static const char *const text[] = {"[group a]\nproblem = p.h5\ndesign = some\n",
                                       "[group a]\nproblem = p.h5\ndesign = pairs\ndesign = pairs\n",
                                       "[group a]\nproblem = p.h5\n[exclude x]\ndesign = pairs\n"};
    static const char *const part[] = {"spec.sweep:5: design: unknown value \"some\"",
                                       "spec.sweep:6: the key is set twice",
                                       "spec.sweep:6: unknown key \"design\""};
    for (int i = 0; i < 3; ++i) {
        struct nb_spec spec;
        char whole[256];
        snprintf(whole, sizeof whole, "%s%s", head, text[i]);
        const char *path = test_path(&folder, "spec.sweep");
        test_write(path, whole);
        assert_refused(nb_spec_read(path, &spec, &why), NB_BAD_INPUT, part[i]);
    }
}

FIXTURE(make_folder, remove_folder)
