/* Newton's step lengths: full steps end quadratically where the constant damping is linear, every setting
 * finds the solution that is unique, and the settings are checked. */
#include "tests/support/outer_support.h"

static const char *const variants[] = {
    "newton",
    "newton:step=adaptive",
    "newton:step=armijo",
    "newton:step=armijo:watchdog=0",
    "newton:step=backtracking",
    "newton:friction=staggered",
    "newton:step=armijo:friction=staggered",
};

static struct nb_options direct(const char *solver, int iterations)
{
    struct nb_options options = method(solver, iterations);
    options.linear = "cholesky";
    options.precond = "none";
    return options;
}

TEST(test_unique_solutions)
{
    struct nb_problem problem;
    double exact[14], found[14];
    for (uint32_t seed = 21; seed < 26; ++seed) {
        const struct nb_options proximal = method("proximal_newton", 60);
        test_global(&problem, 24, 4, 2, 1, seed);
        assert_true(run_method(&problem, &proximal, NULL, exact, NULL).natural_map < 1e-12);
        for (size_t v = 0; v < sizeof variants / sizeof *variants; ++v) {
            const struct nb_options options = direct(variants[v], 300);
            run_method(&problem, &options, NULL, found, NULL);
            for (int i = 0; i < 14; ++i)
                if (!(fabs(found[i] - exact[i]) < 1e-8))
                    fail_msg("%s, seed %u: row %d is %.12g, not %.12g", variants[v],
                             (unsigned)seed, i, found[i], exact[i]);
        }
        nb_problem_free(&problem);
    }
}

struct trace {
    struct nb_judge *judge;
    double natural_map[64];
    int count;
};

static bool watch(void *context, int iteration, const double *u, const double *lambda,
                  const struct nb_linear_report *linear)
{
    struct trace *trace = context;
    struct nb_metrics metrics;
    (void)iteration;
    (void)linear;
    nb_judge_evaluate(trace->judge, u, lambda, &metrics);
    trace->natural_map[trace->count++] = metrics.natural_map;
    return metrics.natural_map > 1e-12;
}

/* Iterations from below 1e-3 to below 1e-10. */
static int last_iterations(const struct nb_problem *problem, const char *solver)
{
    const struct nb_options options = direct(solver, 60);
    struct trace trace = {0};
    const struct nb_observer observer = {.context = &trace, .observe = watch};
    struct nb_solver *created = NULL;
    struct nb_run run;
    int from = 0, to = 0;
    assert_ok(nb_judge_create(&trace.judge, problem, &why));
    assert_ok(nb_solver_create(&created, problem, &options, &why));
    assert_ok(nb_solver_run(created, 60, &observer, &run, &why));
    while (from < trace.count && trace.natural_map[from] > 1e-3)
        ++from;
    while (to < trace.count && trace.natural_map[to] > 1e-10)
        ++to;
    assert_true(to < trace.count);
    nb_solver_free(created);
    nb_judge_free(trace.judge);
    return to - from;
}

/* Sticking contacts: a quarter an iteration with the damping of 0.75, about doubled digits with full
 * steps. */
TEST(test_quadratic_end)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "heavy_stack", NULL);
    assert_in_range(last_iterations(&problem, "newton"), 10, 14);
    assert_in_range(last_iterations(&problem, "newton:step=adaptive"), 1, 4);
    assert_in_range(last_iterations(&problem, "newton:step=armijo"), 1, 4);
}

static double end_of(const struct nb_problem *problem, const char *solver, const char *form)
{
    struct nb_options options = direct(solver, 60);
    double u[6 * 100];
    assert_true(nb_problem_dofs(problem) <= (int)(sizeof u / sizeof *u));
    options.newton_form = form;
    options.linear = "kkt";
    return run_method(problem, &options, NULL, u, NULL).natural_map;
}

/* The paper's search is on the whole residual. With the true Jacobian and without friction it descends to rounding; the
 * symmetric form's step need not, and stalls. With friction it stalls where the damped method does not, but solves an
 * incline steeper than its friction angle, on which that cycles. */
TEST(test_backtracking_with_and_without_friction)
{
    static const char plain[] = "newton:step=backtracking", *const none[] = {"friction=0", NULL};
    static const char *const steep[] = {"angle=35", NULL};
    OWNS(nb_problem_free) struct nb_problem smooth, pyramid, incline;
    test_scene(&smooth, "heavy_stack", none);
    test_scene(&pyramid, "box_pyramid", NULL);
    test_scene(&incline, "incline", steep);
    assert_true(end_of(&smooth, plain, "true") < 1e-10);
    assert_true(end_of(&smooth, plain, "scaled") > 1e-3);
    assert_true(end_of(&smooth, "newton", "scaled") < 1e-10);
    assert_true(end_of(&pyramid, plain, "true") > 1e-2);
    assert_true(end_of(&pyramid, "newton", "true") < 1e-6);
    assert_true(end_of(&incline, plain, "scaled") < 1e-9);
    assert_true(end_of(&incline, "newton", "scaled") > 1e-5);
}

/* The first step from rest is t of a full one: with contacts and without, as the options have it. Only a
 * linear step without contacts, which is a system of linear equations, is solved at once. */
TEST(test_damping_without_contacts)
{
    OWNS(nb_problem_free) struct nb_problem chain, linear;
    double full[96], damped[96];
    test_scene(&chain, "particle_chain", NULL);
    assert_int_equal(nb_problem_contacts(&chain), 0);
    assert_ok(nb_problem_linearize(&chain, &linear, &why));
    const int dofs = nb_problem_dofs(&chain);
    assert_int_equal(dofs, 96);
    const struct nb_problem *const posed[] = {&chain, &linear};
    for (int p = 0; p < 2; ++p) {
        struct nb_options options = direct("newton", 1);
        double largest = 0;
        options.damping = 1;
        run_method(posed[p], &options, full, NULL, NULL);
        options.damping = 0.25;
        run_method(posed[p], &options, damped, NULL, NULL);
        for (int i = 0; i < dofs; ++i) {
            assert_true(damped[i] == (posed[p] == &chain ? 0.25 : 1) * full[i]);
            largest = fmax(largest, fabs(full[i]));
        }
        assert_true(largest > 0);
    }
}

/* Of the system at rest [1/kg]. */
static double system_shift(const struct nb_problem *problem, const struct nb_options *options)
{
    struct nb_solver *solver = NULL;
    struct nb_newton_system system;
    OWNS(free_at) double *u = calloc((size_t)nb_problem_dofs(problem) + 1, sizeof *u);
    OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(problem) + 1, sizeof *lambda);
    assert_ok(nb_solver_create(&solver, problem, options, &why));
    assert_ok(nb_solver_system(solver, u, lambda, &system, &why));
    const double shift = system.shift;
    nb_newton_system_free(&system);
    nb_solver_free(solver);
    return shift;
}

static double largest_difference(int count, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* In the problem's units: the shift of a system by the mean diagonal is the one that is given as a number. */
TEST(test_absolute_shift)
{
    OWNS(nb_problem_free) struct nb_problem arch;
    struct nb_options options = direct("newton", 4);
    double u[120], same[120], other[120];
    test_scene(&arch, "arch", NULL);
    assert_int_equal(nb_problem_dofs(&arch), 120);
    options.shift = 1e-3;
    run_method(&arch, &options, u, NULL, NULL);
    const double number = system_shift(&arch, &options);
    assert_true(number > 0 && number < options.shift); /* mean diagonals of 0.2 per kg */
    options.solver = "newton:shift=absolute";
    run_method(&arch, &options, other, NULL, NULL);
    assert_true(system_shift(&arch, &options) == options.shift);
    options.shift = number;
    run_method(&arch, &options, same, NULL, NULL);
    assert_true(largest_difference(120, u, same) <= 1e-4 * largest_difference(120, u, other));
}

TEST(test_bad_settings)
{
    static const char *const bad[] = {"newton:step=long", "newton:watchdog=21", "newton:watchdog=1.5",
                                      "newton:friction=box", "newton:damping=0.5",
                                      "newton:step=armijo:geometric_stiffness=diagonal",
                                      "newton:step=backtracking:geometric_stiffness=diagonal"};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const struct nb_options options = direct(bad[i], 10);
        struct nb_solver *solver = NULL;
        assert_int_equal(nb_solver_create(&solver, &problem, &options, &why), NB_BAD_INPUT);
    }
}
