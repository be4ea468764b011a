/* Grains under a weight of 80 000 of them: the steps in which it meets them and those in which it jams
 * them, which the proximal Newton method solves from points of a homotopy
 * (solvers/outer/proximal_newton/homotopy.h) and not without it. */
#include "harness/simulate/simulate.h"
#include "tests/support/support.h"

#include "problems/scene.h"
#include "solvers/solve.h"
#include "tests/support/judged.h"

static void assert_solved(const char *count, int steps)
{
    const char *const settings[] = {count};
    struct nb_options options = nb_options_default();
    struct nb_problem problem;
    struct nb_error error;
    double worst = 0;
    options.solver = "proximal_newton";
    if (nb_scene_create("granular_silo", 1, settings, &problem, &error) ||
        nb_simulate(&problem, steps, &options, test_worst_natural_map, &worst, &error))
        fail_msg("%s", error.text);
    print_message("%s: worst natural map of %d steps %.2g\n", count, steps, worst);
    assert_true(worst < 1e-8);
    nb_problem_free(&problem);
}

TEST(test_weight_meets_grains)
{
    assert_solved("count=150", 5);
}

FULL_TEST(test_weight_jams_grains)
{
    assert_solved("count=35", 15);
}
