/* The nonsmooth Newton method over every registered strategy: all configurations agree, and what cannot be
 * combined says why. */
#include "tests/support/method_support.h"

/* Impossible combinations must say so and why. */
static int is_unsupported(const struct nb_problem *problem, const struct nb_options *options)
{
    struct nb_solver *solver = NULL;
    struct nb_error error = {""};
    const enum nb_status status = nb_solver_create(&solver, problem, options, &error);
    nb_solver_free(solver);
    if (status == NB_UNSUPPORTED)
        assert_true(strlen(error.text) > 10);
    return status == NB_UNSUPPORTED;
}

/* Sticking boxes at rest: every configuration must find the weight, in every precision. */
static void check_weight(const struct nb_problem *problem, const struct nb_options *options,
                         double weight)
{
    struct nb_run run;
    const double force = run_method(problem, options, NULL, NULL, &run).normal_force;
    const double precision = nb_unit_roundoff(options->precision);
    if (run.broke_down)
        fail_msg("%s %s %s %s %s: %s", options->ncp, options->scaling, options->linear,
                 options->precond, options->precision, run.detail);
    if (fabs(force - weight) > 1e4 * precision * weight + 1e-9 * weight)
        fail_msg("%s %s %s %s %s %s %s: %.12g N instead of %.12g N", options->ncp, options->scaling,
                 options->newton_form, options->linear, options->precond, options->operator_form,
                 options->precision, force, weight);
}

/* Rigid contacts leave the stiffness form a condition number that only factors, and Krylov methods in double, bear. */
static int is_too_stiff(const struct nb_options *options)
{
    static const char *const bear[] = {"cholesky", "ldlt", "dense_cholesky", "dense_ldlt", "pcg", "pcr", "minres"};
    int able = 0;
    for (size_t i = 0; i < sizeof bear / sizeof *bear; ++i)
        able = able || !strcmp(options->linear, bear[i]);
    return !strcmp(options->operator_form, "stiffness") && !(able && !strcmp(options->precision, "f64"));
}

/* Every combination of the given kinds, the other choices at their defaults; counts the solves. */
static int carry_the_weight(const struct nb_problem *problem, int count, const char *const *kinds)
{
    int cases = 0;
    size_t index[4] = {0};
    for (int kind = 0; kind >= 0;) {
        struct nb_options options = test_options("newton", 120);
        options.linear_iterations = 200;
        for (int k = 0; k < count; ++k) {
            const char *name = nb_registry_row(kinds[k], index[k])->name;
            *(!strcmp(kinds[k], "ncp") ? &options.ncp : !strcmp(kinds[k], "scaling") ? &options.scaling
              : !strcmp(kinds[k], "linear") ? &options.linear
              : !strcmp(kinds[k], "precond") ? &options.precond
              : !strcmp(kinds[k], "operator") ? &options.operator_form : &options.precision) = name;
        }
        const int used = nb_registry_uses_precond(options.linear) || !strcmp(options.precond, "none");
        if (used && !is_too_stiff(&options) && !is_unsupported(problem, &options)) {
            check_weight(problem, &options, 3 * 9.81);
            ++cases;
        }
        for (kind = count - 1; kind >= 0 && !nb_registry_row(kinds[kind], ++index[kind]); --kind)
            index[kind] = 0;
    }
    return cases;
}

TEST(test_every_configuration_carries_the_weight)
{
    static const char *const outer[] = {"ncp", "scaling", "operator", "precision"};
    static const char *const inner[] = {"linear", "precond", "operator", "precision"};
    const char *settings[] = {"mass=3", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", settings);
    assert_true(carry_the_weight(&problem, 4, outer) >= 24);
    assert_true(carry_the_weight(&problem, 4, inner) >= 100);
}

TEST(test_refused_options)
{
    struct nb_options options = test_options("newton", 30);
    options.linear = "pcrr";
    assert_refused(nb_options_validate(&options, &why), NB_BAD_INPUT, "nearest: pcr");
    options.linear = "nonsense";
    assert_refused(nb_options_validate(&options, &why), NB_BAD_INPUT, "gauss_seidel");
    options = test_options("newton", 30);
    options.damping = 0;
    assert_refused(nb_options_validate(&options, &why), NB_BAD_INPUT, "(0, 1]");
    options = test_options("newton", 30);
    options.shift = NAN;
    assert_int_equal(nb_options_validate(&options, &why), NB_BAD_INPUT);
    options = test_options("newton", 30);
    options.newton_form = "half";
    assert_refused(nb_options_validate(&options, &why), NB_BAD_INPUT, "scaled, true");
}

TEST(test_impossible_pairs_say_why)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = test_options("newton", 30);
    struct nb_solver *solver = NULL;
    test_global(&problem, 12, 2, 0, 1, 4);
    options.operator_form = "factored";
    options.linear = "cholesky";
    options.precond = "none";
    assert_refused(nb_solver_create(&solver, &problem, &options, &why), NB_UNSUPPORTED, "assembled");
    options.linear = "gauss_seidel";
    assert_refused(nb_solver_create(&solver, &problem, &options, &why), NB_UNSUPPORTED, "3x3");
}
