/* A run takes the same path to the bit whether it is watched or not, and whenever it is made: what is timed is
 * what is judged. */
#include "tests/method_support.h"

#include "tests/real_files.h"

struct result {
    double *value; /* u, then lambda */
    size_t count;
    int iterations;
};

static bool watch(void *context, int iteration, const double *u, const double *lambda,
                  const struct nb_linear_report *linear)
{
    (void)context, (void)iteration, (void)u, (void)lambda, (void)linear;
    return true;
}

static struct result run(struct nb_solver *solver, const struct nb_problem *problem, int limit, int watched)
{
    const struct nb_observer observer = {NULL, watch};
    const size_t dofs = (size_t)nb_problem_dofs(problem), rows = (size_t)nb_problem_multipliers(problem);
    struct result result = {calloc(dofs + rows + 1, sizeof(double)), dofs + rows, 0};
    struct nb_run report;
    struct nb_error error;
    if (nb_solver_run(solver, limit, watched ? &observer : NULL, &report, &error))
        fail_msg("%s", error.text);
    nb_solver_solution(solver, result.value, result.value + dofs);
    result.iterations = report.newton_iterations;
    return result;
}

static void assert_same(const char *what, struct result first, struct result other)
{
    if (other.iterations != first.iterations ||
        memcmp(first.value, other.value, first.count * sizeof *first.value))
        fail_msg("%s: other bits; iterations %d and %d", what, first.iterations, other.iterations);
    free(other.value);
}

/* Not watched, so again, watched, again after a shorter run; from a start, if there is one. */
static void compare_runs(const struct nb_problem *problem, const struct nb_options *options, int limit,
                         const double *u, const double *lambda)
{
    struct nb_solver *solver = NULL;
    struct nb_error error;
    char what[200];
    snprintf(what, sizeof what, "%s, %s, %s%s", problem->name, options->solver, options->precision,
             u ? ", from a start" : "");
    const enum nb_status status = nb_solver_create(&solver, problem, options, &error);
    if (status == NB_UNSUPPORTED)
        return; /* of a solver for another form, or without its device */
    if (status)
        fail_msg("%s: %s", what, error.text);
    if (u && nb_solver_start(solver, u, lambda, NULL)) {
        nb_solver_free(solver);
        return; /* it has a start of its own */
    }
    struct result first = run(solver, problem, limit, 0);
    assert_same(what, first, run(solver, problem, limit, 0));
    assert_same(what, first, run(solver, problem, limit, 1));
    free(run(solver, problem, limit / 3 + 1, 0).value);
    assert_same(what, first, run(solver, problem, limit, 0));
    free(first.value);
    nb_solver_free(solver);
}

static const char *const more_settings[] = {
    "proximal_newton:sweeps=no", "primal_descent:alpha=2", "admm:balance=no", "nsgs:order=symmetric",
    "newton:step=armijo", "implicit_complementarity:start=zero",
};

/* Each method, some with settings, in each precision. */
static void try_all(const struct nb_problem *problem, int limit, const double *u, const double *lambda)
{
    const struct nb_registry_row *precision, *solver;
    struct nb_options options = nb_options_default();
    for (size_t k = 0; (precision = nb_registry_row("precision", k)); ++k) {
        options.precision = precision->name;
        for (size_t i = 0; (solver = nb_registry_row("solver", i)); ++i) {
            options.solver = solver->name;
            compare_runs(problem, &options, limit, u, lambda);
        }
        for (size_t i = 0; i < sizeof more_settings / sizeof *more_settings; ++i) {
            options.solver = more_settings[i];
            compare_runs(problem, &options, limit, u, lambda);
        }
    }
}

static void test_real_problems(void **state)
{
    const char *const files[] = {"CubeH8", "LMGC_GlobalFrictionContactProblem00046"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        struct nb_problem problem;
        test_real_file(files[i], &problem);
        try_all(&problem, 40, NULL, NULL);
        nb_problem_free(&problem);
    }
}

/* Nonlinear, linearised, and from a start. */
static void test_scenes(void **state)
{
    const char *const scenes[] = {"two_boxes", "hinge_limits"};
    const struct nb_options options = test_options("proximal_newton", 1000);
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        struct nb_problem problem, linear;
        test_scene(&problem, scenes[i], NULL);
        assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
        double *u = calloc((size_t)nb_problem_dofs(&problem) + 1, sizeof *u);
        double *lambda = calloc((size_t)nb_problem_multipliers(&problem) + 1, sizeof *lambda);
        run_method(&problem, &options, u, lambda, NULL);
        try_all(&problem, 30, NULL, NULL);
        try_all(&linear, 30, NULL, NULL);
        try_all(&problem, 30, u, lambda);
        free(u);
        free(lambda);
        nb_problem_free(&linear);
        nb_problem_free(&problem);
    }
}

/* A nonlinear step begun at its solution: the forces mean nothing without the Jacobian there. */
static void test_a_solution_stays(void **state)
{
    const char *const methods[] = {"nsgs", "pgs:friction=cone", "proximal_newton"};
    struct nb_problem problem;
    (void)state;
    test_scene(&problem, "hinge_limits", NULL);
    const size_t dofs = (size_t)nb_problem_dofs(&problem), rows = (size_t)nb_problem_multipliers(&problem);
    double *u = calloc(dofs, sizeof *u), *lambda = calloc(rows, sizeof *lambda);
    const struct nb_options exact = test_options("proximal_newton", 1000);
    assert_true(run_method(&problem, &exact, u, lambda, NULL).natural_map < 1e-14);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        const struct nb_options options = test_options(methods[i], 30);
        struct nb_solver *solver = NULL;
        assert_int_equal(nb_solver_create(&solver, &problem, &options, NULL), NB_OK);
        assert_int_equal(nb_solver_start(solver, u, lambda, NULL), NB_OK);
        struct result result = run(solver, &problem, 30, 0);
        const double map = test_judged(&problem, result.value, result.value + dofs).natural_map;
        print_message("%s: natural map %.2g after %d\n", methods[i], map, result.iterations);
        assert_true(map < 1e-14);
        free(result.value);
        nb_solver_free(solver);
    }
    free(u);
    free(lambda);
    nb_problem_free(&problem);
}

/* A run that breaks down leaves the last iterate that can be used. */
static void test_breakdown(void **state)
{
    const struct nb_options options = test_options("primal_descent:alpha=2", 1000);
    struct nb_problem problem;
    struct nb_run report;
    double u[6];
    (void)state;
    test_global(&problem, 6, 2, 2, 0, 3);
    run_method(&problem, &options, u, NULL, &report);
    assert_true(report.broke_down && report.newton_iterations > 10);
    assert_true(fabs(u[0]) > 1e3);
    compare_runs(&problem, &options, 1000, NULL, NULL);
    nb_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_problems),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_a_solution_stays),
        cmocka_unit_test(test_breakdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
