/* The interior-point method solves steps of contacts, joints and elements, linear and nonlinear, and finds what the
 * default method finds, where the velocities are unique; the default begins large linear steps with it. */
#include "tests/support/outer_support.h"

#include "problems/planted.h"

static double largest(const double *a, const double *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, fabs(a[i] - (b ? b[i] : 0)));
    return most;
}

/* speed: of what the step has to stop. */
static void assert_solved(const struct nb_problem *problem, double speed)
{
    const struct nb_options options = test_options("interior_point", 400);
    const struct nb_options usual = test_options("proximal_newton", 1000);
    const int dofs = nb_problem_dofs(problem);
    OWNS(free_at) double *u = calloc((size_t)dofs + 1, sizeof *u), *known = calloc((size_t)dofs + 1, sizeof *known);
    OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(problem) + 1, sizeof *lambda);
    struct nb_run run;
    const struct nb_metrics errors = run_method(problem, &options, u, lambda, &run);
    if (!(errors.step_error <= 1e-7))
        fail_msg("%s: error %g", problem->name, errors.step_error);
    if (run.newton_iterations == 400)
        fail_msg("%s: does not end by itself", problem->name);
    assert_true(run_method(problem, &usual, known, lambda, NULL).step_error <= 1e-9);
    if (largest(u, known, dofs) > 1e-5 * speed)
        fail_msg("%s: other velocities than the default's", problem->name);
}

TEST(scenes_linear_and_nonlinear)
{
    static const char *const scenes[] = {"two_boxes", "heavy_stack", "arch", "hinge_limits", "sliding_box",
                                         "box_pyramid"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        test_scene(&problem, scenes[i], NULL);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        const double speed = largest(problem.free_velocity, NULL, nb_problem_dofs(&problem));
        assert_solved(&problem, speed);
        assert_solved(&linear, speed);
    }
}

/* A general mass matrix, bilateral rows that are hard, and the same as a local problem, W alone. Beside hard rows the
 * rounding of the one factor decides how far it gets: 5e-6 where the compiler optimises less. */
TEST(bilateral_rows_and_local_problems)
{
    const struct nb_options options = test_options("interior_point", 60);
    OWNS(nb_problem_free) struct nb_problem held, global, local;
    test_global(&held, 24, 4, 2, 1, 3);
    test_global(&global, 24, 5, 0, 1, 3);
    test_condense(&global, &local, test_dense_solve);
    const struct nb_problem *problems[] = {&held, &local};
    for (int k = 0; k < 2; ++k) {
        OWNS(free_at) double *u = calloc((size_t)nb_problem_dofs(problems[k]) + 1, sizeof *u);
        OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(problems[k]) + 1, sizeof *lambda);
        const struct nb_metrics errors = run_method(problems[k], &options, u, lambda, NULL);
        if (!(errors.step_error <= (k == 0 ? 1e-5 : 1e-7)))
            fail_msg("problem %d: error %g", k, errors.step_error);
    }
}

/* Iterations of the default to 1e-9. */
static int solve_by_default(const struct nb_problem *problem, const char *solver, double *u)
{
    const struct nb_options options = test_options(solver, 2000);
    struct nb_run run;
    const struct nb_metrics errors = run_method(problem, &options, u, NULL, &run);
    if (!(errors.step_error <= 1e-9))
        fail_msg("%s: error %g", solver, errors.step_error);
    return run.newton_iterations;
}

/* An LU factor of a wall is dear, whose bricks touch, and Newton's method creeps in a stack. Small steps take none of
 * the method's iterations. */
TEST(the_default_takes_it_on_large_steps)
{
    static const char *const small[] = {"columns=2", "rows=2", NULL}, *const boxes[] = {"count=100", NULL};
    static const char *const large[] = {"columns=12", "rows=12", NULL};
    const struct {
        const char *scene, *const *settings;
        bool linear, taken;
    } cases[] = {{"dense_wall", small, true, false},
                 {"dense_wall", large, true, true},
                 {"dense_wall", large, false, true}, {"sparse_stack", boxes, false, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        OWNS(nb_problem_free) struct nb_problem step, linear;
        test_scene(&step, cases[k].scene, cases[k].settings);
        assert_ok(nb_problem_linearize(&step, &linear, &why));
        const struct nb_problem *problem = cases[k].linear ? &linear : &step;
        const int dofs = nb_problem_dofs(problem);
        OWNS(free_at) double *u = calloc((size_t)dofs, sizeof *u), *known = calloc((size_t)dofs, sizeof *known);
        const int iterations = solve_by_default(problem, "proximal_newton", u);
        const int without = solve_by_default(problem, "proximal_newton:interior=no", known);
        if (!cases[k].taken)
            assert_memory_equal(u, known, (size_t)dofs * sizeof *u);
        else
            assert_true(largest(u, known, dofs) <= 1e-6 * largest(step.free_velocity, NULL, dofs));
        if (cases[k].taken ? iterations >= without : iterations != without)
            fail_msg("case %zu: %d iterations, without interior points %d", k, iterations, without);
    }
}

/* Badly conditioned steps with a planted solution, on which it stalls at 1e-5 while s is held in each step: s as part
 * of the step leads to a solution. */
TEST(slip_as_part_of_the_step)
{
    static const struct nb_planted planted[] = {
        {NB_LINEAR_GLOBAL, 80, 0, 80, 1e4, 0.7, 1. / 3, 1. / 3, 4, 0},
        {NB_LINEAR_GLOBAL, 80, 0, 100, 1e5, 0.8, 1. / 3, 1. / 3, 5, 0},
    };
    const struct nb_options options = test_options("interior_point", 400);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; ++i) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        OWNS(free_at)
        double *u = NULL,
               *lambda = NULL;
        assert_ok(nb_planted_make(planted + i, &problem, &u, &lambda, &why));
        const struct nb_metrics errors = run_method(&problem, &options, NULL, NULL, NULL);
        if (!(errors.step_error <= 1e-7))
            fail_msg("condition %g: error %g", planted[i].condition, errors.step_error);
    }
}
