/* A run takes the same path to the bit whether it is watched or not, whenever it is made and on as many threads:
 * what is timed is what is judged. */
#include "tests/support/outer_support.h"

#include "tests/support/real_files.h"

struct result {
    double *value; /* u, then lambda */
    size_t dofs, rows;
    int iterations;
    bool jumps; /* of what is shown: iterations may count without being shown */
};

/* What an observer was shown last, and of which iteration; -1: nothing yet. */
struct watch {
    struct result *shown;
    int last;
};

static bool keep(void *context, int iteration, const double *u, const double *lambda,
                 const struct nb_linear_report *linear)
{
    struct watch *watch = context;
    struct result *shown = watch->shown;
    assert_true(iteration == watch->last + 1 || (watch->last >= 0 && shown->jumps && iteration >= watch->last));
    watch->last = iteration;
    assert_true((linear == NULL) == (iteration == 0));
    memcpy(shown->value, u, shown->dofs * sizeof *u);
    memcpy(shown->value + shown->dofs, lambda, shown->rows * sizeof *lambda);
    return true;
}

static struct result make_result(const struct nb_problem *problem)
{
    const size_t dofs = (size_t)nb_problem_dofs(problem), rows = (size_t)nb_problem_multipliers(problem);
    return (struct result){calloc(dofs + rows + 1, sizeof(double)), dofs, rows, 0, false};
}

/* shown NULL: nobody watches. */
static struct result run(struct nb_solver *solver, const struct nb_problem *problem, int limit,
                         struct result *shown)
{
    struct watch watch = {shown, -1};
    const struct nb_observer observer = {.context = &watch, .observe = keep};
    struct result result = make_result(problem);
    struct nb_run report;
    assert_ok(nb_solver_run(solver, limit, shown ? &observer : NULL, &report, &why));
    nb_solver_solution(solver, result.value, result.value + result.dofs);
    result.iterations = report.newton_iterations;
    if (shown)
        shown->iterations = result.iterations;
    return result;
}

/* Frees the other one. */
static void assert_same(const char *what, struct result first, struct result other)
{
    if (other.iterations != first.iterations ||
        memcmp(first.value, other.value, (first.dofs + first.rows) * sizeof *first.value))
        fail_msg("%s: other bits; iterations %d and %d", what, first.iterations, other.iterations);
    free(other.value);
}

/* Where runs begin; u NULL: at zero. */
struct start {
    const double *u, *lambda;
};

/* NULL: a solver for another form of problem, without its device, or with a start of its own. */
static struct nb_solver *create(const struct nb_problem *problem, const struct nb_options *options,
                                struct start start)
{
    struct nb_solver *solver = NULL;
    struct nb_error error;
    const enum nb_status status = nb_solver_create(&solver, problem, options, &error);
    if (status && status != NB_UNSUPPORTED)
        fail_msg("%s, %s: %s", problem->name, options->solver, error.text);
    if (!status && start.u && nb_solver_start(solver, start.u, start.lambda, NULL)) {
        nb_solver_free(solver);
        return NULL;
    }
    return status ? NULL : solver;
}

/* What was shown last is the result; of proximal_newton its forces: near round-off it takes u anew after that. */
static void assert_shown(const char *what, struct result first, struct result shown)
{
    if (strstr(what, ", proximal_newton"))
        memcpy(shown.value, first.value, first.dofs * sizeof *first.value);
    assert_same(what, first, shown);
}

/* Not watched, so again, watched, again after a shorter run; and on two threads. */
static void compare_runs(const struct nb_problem *problem, const struct nb_options *options, int limit,
                         struct start start)
{
    struct nb_options threaded = *options;
    struct nb_solver *solver = create(problem, options, start);
    char what[200];
    if (!solver)
        return;
    snprintf(what, sizeof what, "%s, %s with %s and %s, %s, %s%s", problem->name, options->solver, options->linear,
             options->precond, options->operator_form, options->precision, start.u ? ", from a start" : "");
    struct result first = run(solver, problem, limit, NULL), shown = make_result(problem);
    /* Steps that failed, and those on a path. */
    shown.jumps = strstr(options->solver, "proximal_newton") != NULL;
    assert_same(what, first, run(solver, problem, limit, NULL));
    assert_same(what, first, run(solver, problem, limit, &shown));
    assert_shown(what, first, shown);
    free(run(solver, problem, limit / 3 + 1, NULL).value);
    assert_same(what, first, run(solver, problem, limit, NULL));
    nb_solver_free(solver);
    threaded.threads = 2;
    solver = create(problem, &threaded, start);
    assert_non_null(solver);
    assert_same(what, first, run(solver, problem, limit, NULL));
    nb_solver_free(solver);
    free(first.value);
}

static const char *const more_settings[] = {
    "proximal_newton:sweeps=no", "primal_descent:alpha=2", "admm:balance=no", "nsgs:order=symmetric",
    "newton:step=armijo", "newton:geometric_stiffness=bodies", "implicit_complementarity:start=zero",
};

/* Each method, some with settings, in each precision. */
static void try_all(const struct nb_problem *problem, int limit, struct start start)
{
    const struct nb_registry_row *precision, *solver;
    struct nb_options options = nb_options_default();
    for (size_t k = 0; (precision = nb_registry_row("precision", k)); ++k) {
        options.precision = precision->name;
        for (size_t i = 0; (solver = nb_registry_row("solver", i)); ++i) {
            options.solver = solver->name;
            compare_runs(problem, &options, limit, start);
        }
        for (size_t i = 0; i < sizeof more_settings / sizeof *more_settings; ++i) {
            options.solver = more_settings[i];
            compare_runs(problem, &options, limit, start);
        }
    }
}

FULL_TEST(test_real_problems)
{
    const char *const files[] = {"CubeH8", "LMGC_GlobalFrictionContactProblem00046"};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_real_file(files[i], &problem);
        try_all(&problem, 40, (struct start){NULL, NULL});
    }
}

/* More settings of the methods, on redundant contacts and on a mass matrix that couples all. */
TEST(test_settings)
{
    const struct start zero = {NULL, NULL};
    OWNS(nb_problem_free) struct nb_problem scene, linear;
    test_scene(&scene, "arch", NULL);
    test_global(&linear, 24, 4, 2, 1, 3);
    for (int m = 0; m < ALL_METHODS; ++m) {
        struct nb_options options = method(any_method(m), 60);
        compare_runs(&scene, &options, 60, zero);
        compare_runs(&linear, &options, 60, zero);
        options.precision = "f32";
        compare_runs(&scene, &options, 60, zero);
    }
}

/* Nonlinear, linearised, and from a start. */
TEST(test_scenes)
{
    const char *const scenes[] = {"two_boxes", "hinge_limits"};
    const struct nb_options options = test_options("proximal_newton", 1000);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        test_scene(&problem, scenes[i], NULL);
        assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
        OWNS(free_at) double *u = calloc((size_t)nb_problem_dofs(&problem) + 1, sizeof *u);
        OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(&problem) + 1, sizeof *lambda);
        run_method(&problem, &options, u, lambda, NULL);
        try_all(&problem, 30, (struct start){NULL, NULL});
        try_all(&linear, 30, (struct start){NULL, NULL});
        try_all(&problem, 30, (struct start){u, lambda});
    }
}

/* A nonlinear step begun at its solution: the forces mean nothing without the Jacobian there. */
TEST(test_a_solution_stays)
{
    const char *const methods[] = {"nsgs", "pgs:friction=cone", "proximal_newton"};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "hinge_limits", NULL);
    const size_t dofs = (size_t)nb_problem_dofs(&problem), rows = (size_t)nb_problem_multipliers(&problem);
    OWNS(free_at) double *u = calloc(dofs, sizeof *u), *lambda = calloc(rows, sizeof *lambda);
    const struct nb_options exact = test_options("proximal_newton", 1000);
    assert_true(run_method(&problem, &exact, u, lambda, NULL).natural_map < 1e-14);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        const struct nb_options options = test_options(methods[i], 30);
        struct nb_solver *solver = NULL;
        assert_int_equal(nb_solver_create(&solver, &problem, &options, NULL), NB_OK);
        assert_int_equal(nb_solver_start(solver, u, lambda, NULL), NB_OK);
        struct result result = run(solver, &problem, 30, NULL);
        const double map = test_judged(&problem, result.value, result.value + dofs).natural_map;
        print_message("%s: natural map %.2g after %d\n", methods[i], map, result.iterations);
        assert_true(map < 1e-14);
        free(result.value);
        nb_solver_free(solver);
    }
}

/* Newton's method with each linear solver and preconditioner, in either form of the operator: nothing that one
 * carries from matrix to matrix, like deflated modes, outlives a run. */
TEST(test_linear_solvers)
{
    const char *const forms[] = {"assembled", "factored"};
    const struct nb_registry_row *linear, *precond;
    struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "heavy_stack", NULL);
    options.solver = "newton";
    options.linear_iterations = 15;
    for (size_t p = 0; p < 2; ++p)
        for (size_t i = 0; (linear = nb_registry_row("linear", i)); ++i)
            for (size_t j = 0; (precond = nb_registry_row("precond", j)); ++j)
                for (size_t f = 0; f < 2; ++f) {
                    options.precision = p ? "f32" : "f64";
                    options.linear = linear->name;
                    options.precond = nb_registry_uses_precond(linear->name) ? precond->name : "none";
                    options.operator_form = forms[f];
                    if (options.precond == precond->name || j == 0)
                        compare_runs(&problem, &options, 6, (struct start){NULL, NULL});
                }
    options.precision = "f64";
    options.operator_form = "assembled";
    options.linear = "pcr:islands=yes:start=last";
    options.precond = "deflation";
    compare_runs(&problem, &options, 6, (struct start){NULL, NULL});
}

/* A run that breaks down leaves the last iterate that can be used. */
TEST(test_breakdown)
{
    const struct nb_options options = test_options("primal_descent:alpha=2", 1000);
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_run report;
    double u[6];
    test_global(&problem, 6, 2, 2, 0, 3);
    run_method(&problem, &options, u, NULL, &report);
    assert_true(report.broke_down && report.newton_iterations > 10);
    assert_true(fabs(u[0]) > 1e3);
    compare_runs(&problem, &options, 1000, (struct start){NULL, NULL});
}
