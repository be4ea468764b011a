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
    OWNS(nb_problem_free) struct nb_problem problem;
    double worst = 0;
    options.solver = "proximal_newton";
    assert_ok(nb_scene_create("granular_silo", 1, settings, &problem, &why));
    assert_ok(nb_simulate(&problem, steps, &options, test_worst_natural_map, &worst, &why));
    print_message("%s: worst natural map of %d steps %.2g\n", count, steps, worst);
    assert_true(worst < 1e-8);
}

TEST(test_weight_meets_grains)
{
    assert_solved("count=150", 5);
}

/* Its first jammed step, the fifth. */
TEST(test_weight_begins_to_jam_grains)
{
    assert_solved("count=35", 5);
}

FULL_TEST(test_weight_jams_grains)
{
    assert_solved("count=35", 15);
}
