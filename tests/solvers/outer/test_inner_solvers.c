/* The inner solvers of proximal_newton: each finds the step that the LU factor does, the same bits with one
 * thread and two, and in a second run, and a setting that does not exist is refused with what there is. */
#include "tests/support/method_support.h"

static const char *const inner[] = {
    "proximal_newton:sweeps=no:inner=auto",
    "proximal_newton:sweeps=no:inner=bicgstab",
};
enum { INNER = sizeof inner / sizeof *inner, ITERATIONS = 300 };

static void assert_agreement(const struct nb_problem *problem)
{
    const size_t dofs = (size_t)nb_problem_dofs(problem);
    OWNS(free_at) double *u = calloc(dofs + 1, sizeof *u), *expected = calloc(dofs + 1, sizeof *expected);
    double size = 0.01; /* [m/s], of which rest is a small part */
    assert_true(test_method(problem, "proximal_newton:sweeps=no:inner=direct", ITERATIONS, expected, NULL)
                    .natural_map < 1e-9);
    for (size_t i = 0; i < dofs; ++i)
        size = fmax(size, fabs(expected[i]));
    for (int k = 0; k < INNER; ++k) {
        const struct nb_metrics metrics = test_method(problem, inner[k], ITERATIONS, u, NULL);
        if (!(metrics.natural_map < 1e-9))
            fail_msg("%s: %s: natural map %g", problem->name, inner[k], metrics.natural_map);
        for (size_t i = 0; i < dofs; ++i)
            if (!(fabs(u[i] - expected[i]) <= 1e-8 * size))
                fail_msg("%s: %s: u_%zu is %.12g, not %.12g", problem->name, inner[k], i, u[i],
                         expected[i]);
    }
}

TEST(test_agrees_with_the_factor)
{
    static const struct {
        const char *name, *settings[3];
    } scenes[] = {
        {"dense_wall", {"columns=4", "rows=5"}}, {"granular_silo", {"count=60"}}, {"arch", {0}},
        {"double_pendulum_stiffness", {0}},      {"material_extension", {0}},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        test_scene(&problem, scenes[i].name, scenes[i].settings);
        assert_agreement(&problem);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        assert_agreement(&linear);
    }
}

/* By W alone, and a mass that couples all velocities. */
TEST(test_agrees_in_rows)
{
    for (int coupled = 0; coupled < 2; ++coupled) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_global(&problem, coupled ? 60 : 240, 12, 2, coupled, 5);
        assert_agreement(&problem);
    }
}

/* W of stacks and walls, whose redundant rows the factor has no unknowns for (reduced_matrix.h). */
TEST(test_agrees_on_redundant_rows)
{
    static const char *const scenes[] = {"dense_wall", "box_pyramid", "house_of_cards", "arch"};
    static const char *const bricks[] = {"columns=4", "rows=5", NULL};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, linear, local;
        test_scene(&problem, scenes[i], i == 0 ? bricks : NULL);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        test_condense(&linear, &local, test_dense_solve);
        assert_agreement(&local);
    }
}

/* The default tries by itself on a wall of a hundred bricks, at any number of threads. */
TEST(test_automatic)
{
    const char *const settings[] = {"columns=10", "rows=10", NULL};
    struct nb_problem problem;
    test_scene(&problem, "dense_wall", settings);
    const size_t dofs = (size_t)nb_problem_dofs(&problem);
    double *first = calloc(dofs, sizeof *first), *other = calloc(dofs, sizeof *other);
    double *lambda = calloc((size_t)nb_problem_multipliers(&problem), sizeof *lambda);
    for (int k = 0; k < INNER; ++k)
        for (int threads = 1; threads <= 2; ++threads) {
            struct nb_options options = nb_options_default();
            struct nb_solver *solver;
            struct nb_run run;
            options.solver = inner[k];
            options.threads = threads;
            assert_ok(nb_solver_create(&solver, &problem, &options, &why));
            assert_ok(nb_solver_run(solver, 8, NULL, &run, &why));
            nb_solver_solution(solver, threads == 1 ? first : other, lambda);
            if (threads == 1) { /* a second run knows nothing of the first */
                assert_ok(nb_solver_run(solver, 8, NULL, &run, &why));
                nb_solver_solution(solver, other, lambda);
                assert_memory_equal(first, other, dofs * sizeof *first);
            }
            assert_true(run.linear_iterations > run.newton_iterations);
            nb_solver_free(solver);
            if (threads > 1)
                assert_memory_equal(first, other, dofs * sizeof *first);
        }
    free(first);
    free(other);
    free(lambda);
    nb_problem_free(&problem);
}

TEST(test_bad_settings)
{
    static const struct {
        const char *solver, *says;
    } bad[] = {
        {"proximal_newton:inner=minres", "auto, direct, bicgstab"},
        {"proximal_newton:inner=", "auto, direct, bicgstab"},
        {"proximal_newton:inner=bicgstab:restart=4", "restart"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        struct nb_options options = nb_options_default();
        struct nb_error error;
        options.solver = bad[i].solver;
        assert_int_equal(nb_options_validate(&options, &error), NB_BAD_INPUT);
        if (!strstr(error.text, bad[i].says))
            fail_msg("%s: %s", bad[i].solver, error.text);
    }
}
