/* Piles: a silo of which a wall is removed. */
#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/rest.h"

/* Grains whose centre is beyond one of the silo's walls: of -x, +x, -y, +y, half a width away. */
static void count_outside(const struct nb_problem *problem, double half, int *outside)
{
    for (int wall = 0; wall < 4; ++wall) {
        outside[wall] = 0;
        for (int i = 0; i < problem->bodies.count - 1; ++i)
            outside[wall] += (wall % 2 ? 1 : -1) * problem->bodies.position[3 * i + wall / 2] > half;
    }
}

/* 1.25 s is the thesis's; here a wall is removed after 40 of 100 steps. Grains flow out after that alone, and there
 * alone; the weight stands before, then sinks by a layer at least, and never faster than it falls. */
TEST(grains_flow_out_of_an_open_silo)
{
    const char *settings[] = {"count=35", "ratio=20", "open=0.08", NULL};
    const struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    int outside[4];
    test_scene(&problem, "granular_silo", settings);
    const struct nb_scene *scene = nb_scene_find("granular_silo");
    const double half = problem.shapes[2].position[0], start = scene->observe(&problem);
    rest_run(&problem, 40, &options);
    count_outside(&problem, half, outside);
    for (int wall = 0; wall < 4; ++wall)
        assert_int_equal(outside[wall], 0);
    const double before = scene->observe(&problem);
    assert_true(start - before < 1e-3);
    const struct rest rest = rest_run(&problem, 60, &options);
    count_outside(&problem, half, outside);
    const double sunk = before - scene->observe(&problem);
    print_message("%d of 35 grains are out, the weight sank by %.3g m\n", outside[0], sunk);
    assert_true(outside[0] > 3 && outside[1] == 0 && outside[2] == 0 && outside[3] == 0);
    assert_true(sunk > 0.007 && sunk < 9.81 * 0.12 * 0.122 / 2);
    assert_true(rest.most_energy < 1e-6);
}

/* A wall that opens later, or never, is as one that stays. */
TEST(a_silo_is_closed_until_then)
{
    static const char *const open[] = {"open=0.02", "open=0"};
    const struct nb_options options = rest_options();
    double height[2];
    for (int i = 0; i < 2; ++i) {
        const char *settings[] = {"count=35", "ratio=20", open[i], NULL};
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, "granular_silo", settings);
        rest_run(&problem, 9, &options);
        assert_int_equal(problem.shapes[1].position[2] < 0, 0);
        rest_run(&problem, 1, &options); /* the next one begins at 0.02 s */
        assert_int_equal(problem.shapes[1].position[2] < 0, i == 0);
        height[i] = nb_scene_find("granular_silo")->observe(&problem);
    }
    assert_true(height[0] == height[1]);
}

TEST(impossible_piles_are_refused)
{
    assert_scene_refused("granular_silo", "open=-1", "0 to 1000 s");
}
