/* The interior-point method solves steps of contacts, joints and elements, linear and nonlinear, and finds what the
 * default method finds, where the velocities are unique. */
#include "tests/support/outer_support.h"

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
    const struct nb_options options = test_options("interior_point", 30);
    const struct nb_options usual = test_options("proximal_newton", 1000);
    const int dofs = nb_problem_dofs(problem);
    OWNS(free_at) double *u = calloc((size_t)dofs + 1, sizeof *u), *known = calloc((size_t)dofs + 1, sizeof *known);
    OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(problem) + 1, sizeof *lambda);
    const struct nb_metrics errors = run_method(problem, &options, u, lambda, NULL);
    if (!(errors.step_error <= 1e-7))
        fail_msg("%s: error %g", problem->name, errors.step_error);
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
