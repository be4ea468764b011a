/* A stiff cloth that meets a cone folds. The default reaches the solutions of such steps along softer ones, where
 * without them it leaves some unsolved; and the rows are as stiff as they were when it ends, whatever way it went. */
#include "problems/scene.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"

static const char *const stiff[] = {"cells=8", "stiffness=1e6", "time_step=0.0083"};

static int keep_largest_error(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    double *largest = context;
    *largest = fmax(*largest, test_judged(problem, u, lambda).step_error);
    return 0;
}

TEST(all_steps_of_a_cloth_that_folds_are_solved)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    double largest = 0;
    assert_ok(nb_scene_create("draped_cloth", 3, stiff, &problem, &why));
    test_simulate(&problem, 37, &options, keep_largest_error, &largest);
    print_message("largest error %.2g\n", largest);
    assert_true(largest < 1e-9);
}

/* Step 4 takes the way along softer steps; what is left of it would be seen by the second run. */
TEST(a_second_run_has_the_same_bits)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_run run[2];
    assert_ok(nb_scene_create("draped_cloth", 3, stiff, &problem, &why));
    test_simulate(&problem, 4, &options, NULL, NULL);
    assert_ok(nb_step_prepare(&problem, &why));
    const size_t dofs = (size_t)nb_problem_dofs(&problem), rows = (size_t)nb_problem_multipliers(&problem);
    OWNS(free_at) double *u = calloc(2 * dofs, sizeof *u);
    OWNS(free_at) double *lambda = calloc(2 * rows, sizeof *lambda);
    assert_ok(nb_solver_create(&solver, &problem, &options, &why));
    for (size_t k = 0; k < 2; ++k) {
        assert_ok(nb_solver_run(solver, k ? 200 : 5000, NULL, &run[k], &why)); /* the second one ends on its way */
        assert_ok(nb_solver_run(solver, 5000, NULL, &run[k], &why));
        nb_solver_solution(solver, u + k * dofs, lambda + k * rows);
    }
    nb_solver_free(solver);
    assert_int_equal(run[0].newton_iterations, run[1].newton_iterations);
    assert_memory_equal(u, u + dofs, dofs * sizeof *u);
    assert_memory_equal(lambda, lambda + rows, rows * sizeof *lambda);
    assert_true(test_judged(&problem, u, lambda).step_error < 1e-9);
}
