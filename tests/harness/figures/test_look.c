/* One colour, marker and dash a method, in every figure. */
#include "harness/figures/look.h"
#include "solvers/registry.h"
#include "tests/support/plot_support.h"

static void assign(const char *setting, const char *const *names, int count, struct nb_look *looks)
{
    struct nb_words words = {.count = count};
    int slot[NB_PLOT_WORDS];
    for (int i = 0; i < count; ++i) {
        strcpy(words.word[i], names[i]);
        slot[i] = i + 1;
    }
    assert_ok(nb_looks_assign(setting, &words, slot, looks, &why));
}

static void look_alike(const struct nb_look *a, const struct nb_look *b)
{
    assert_int_equal(a->colour, b->colour);
    assert_int_equal(a->marker, b->marker);
    assert_int_equal(a->dash, b->dash);
    assert_string_equal(a->title, b->title);
}

PLOT_TEST(a_method_looks_the_same_in_every_figure)
{
    const char *const one[] = {"pcr", "cholesky", "jacobi"}, *const other[] = {"aaa", "jacobi", "minres", "pcg", "pcr"};
    struct nb_look first[3], second[5];
    assign("linear", one, 3, first);
    assign("linear", other, 5, second);
    look_alike(&first[0], &second[4]);
    look_alike(&first[2], &second[1]);
    assert_string_equal(first[0].title, "PCR");
    assert_string_equal(first[1].title, "Cholesky"); /* the registry's */
    assert_false(first[0].own);
}

/* Black, whatever else is in the figure, and as none of the others. */
PLOT_TEST(a_users_own_stands_out)
{
    const char *const names[] = {"ic0", "mine", "mine:drop=0.1", "jacobi"};
    const char *const methods[] = {"newton", "my_method", "pcr+mine", "pcr+ic0", "pcg+ic0"};
    struct nb_look look[5];
    assign("precond", names, 4, look);
    assert_true(look[1].own && look[1].colour == 0 && look[2].own && look[2].colour == 0);
    assert_true(look[1].marker != look[2].marker && look[1].dash != look[2].dash);
    assert_string_equal(look[2].title, "mine, drop=0.1");
    const unsigned ic0 = look[0].colour;
    assign("method", methods, 5, look);
    assert_false(look[0].own);
    assert_true(look[1].own && look[2].own);
    assert_int_equal(look[3].colour, ic0);
    assert_int_equal(look[4].colour, ic0);
    assert_true(look[3].dash != look[4].dash);
    assert_string_equal(look[3].title, "PCR + IC(0)");
}

/* By its command, not by the words of the registry. */
PLOT_TEST(a_program_of_the_users_is_named)
{
    const char *const names[] = {"external:command=/usr/bin/python3 lab/mine.py:limit=5", "external:command=./mine",
                                 "nsgs"};
    struct nb_look look[3];
    assign("solver", names, 3, look);
    assert_string_equal(look[0].title, "python3 mine.py, limit=5");
    assert_string_equal(look[1].title, "mine");
    assert_true(look[0].own && look[1].own && !look[2].own && look[0].marker != look[1].marker);
}

/* A scene that was changed names what is other about it. */
PLOT_TEST(a_changed_scene_names_its_parameter)
{
    const char *const names[] = {"heavy_stack_mu0", "arch_mu0.25", "arch_mu", "my_stack_mu0"};
    struct nb_look look[4];
    assign("problem", names, 4, look);
    assert_string_equal(look[0].title, "Heavy stack, friction 0");
    assert_string_equal(look[1].title, "Self-supporting arch, friction 0.25");
    assert_string_equal(look[2].title, "arch_mu");
    assert_string_equal(look[3].title, "my_stack_mu0");
}

/* In grey markers and dashes alone tell curves apart: of all that is compiled in, of settings of one method, and of
 * numbers. */
PLOT_TEST(no_two_curves_look_alike_in_grey)
{
    static const char *const kinds[] = {"solver", "linear", "precond", "ncp", "scaling", "operator", "precision",
                                        "damping"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        const char *names[NB_PLOT_WORDS];
        struct nb_look looks[NB_PLOT_WORDS];
        int count = 0;
        const struct nb_registry_row *row;
        for (; count < 20 && (row = nb_registry_row(kinds[k], (size_t)count)); ++count)
            names[count] = row->name;
        static const char *const more[] = {"newton:step=armijo", "newton:step=adaptive", "1", "2", "3", "4",
                                           "5", "6", "7"};
        for (size_t i = 0; i < sizeof more / sizeof *more; ++i)
            names[count++] = more[i];
        assign(kinds[k], names, count, looks);
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < i; ++j)
                if (looks[i].marker == looks[j].marker && looks[i].dash == looks[j].dash)
                    fail_msg("%s: %s and %s", kinds[k], names[i], names[j]);
    }
}

PLOT_TEST(settings_of_a_method_have_colours_of_their_own)
{
    const char *const names[] = {"newton", "newton:step=armijo", "newton:step=adaptive"};
    struct nb_look look[3];
    assign("solver", names, 3, look);
    assert_true(look[0].colour != look[1].colour && look[1].colour != look[2].colour);
    assert_int_not_equal(look[0].colour, look[2].colour);
    assert_string_equal(look[1].title, "Newton, step=armijo");
}

/* A new file of solvers/ needs no row. */
PLOT_TEST(what_is_compiled_in_and_has_no_row_has_a_colour_by_its_name)
{
    const char *const some[] = {"ic0", "jacobi", "mine"}, *const others[] = {"fsai", "ic0", "ssor"};
    struct nb_look first[3], second[3];
    setenv("NCPBENCH_PLOTS", folder.path, 1);
    write_file("style.gp", "#: look precond jacobi 0072B2 circle solid\n");
    assign("precond", some, 3, first);
    assign("precond", others, 3, second);
    unsetenv("NCPBENCH_PLOTS");
    assert_false(first[0].own || second[0].own || second[2].own);
    assert_true(first[0].colour && first[0].colour != first[1].colour);
    assert_int_equal(first[0].colour, second[1].colour);
    assert_true(first[2].own);
}

PLOT_TEST(a_damaged_table_is_refused)
{
    struct nb_look look;
    struct nb_words words = {1, {"pcr"}};
    const int slot = 1;
    setenv("NCPBENCH_PLOTS", folder.path, 1);
    write_file("style.gp", "#: look linear pcr CC79A7 diamond wavy\n");
    assert_refused(nb_looks_assign("linear", &words, &slot, &look, &why), NB_BAD_INPUT, "style.gp:1: expected",
                   "dotted");
}
