/* The proximal Newton method over many steps: the Coulomb limit that the damped Newton method cannot
 * decide, an arch that stands, joints that jam and swing, random piles. */
#include "problems/scene.h"
#include "tests/support/method_support.h"
#include "tests/support/speeds.h"

/* Right beside the limit, too. */
TEST(test_the_coulomb_limit)
{
    const double degrees[] = {10, 24, 26, 26.5, 26.6, 27, 28, 30, 35, 40};
    const struct nb_options options = test_options("proximal_newton", 60);
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; ++i)
        test_gain_on_incline(degrees[i], 40, &options, 1e-10);
}

/* The arch stands still to round-off: no creep at all where every step is solved. */
TEST(test_a_solved_arch_stands_still)
{
    const struct nb_options options = test_options("proximal_newton", 40);
    const struct nb_scene *scene = nb_scene_find("arch");
    OWNS(nb_problem_free) struct nb_problem problem;
    assert_ok(nb_scene_create("arch", 0, NULL, &problem, &why));
    const double before = scene->observe(&problem);
    assert_ok(nb_simulate(&problem, 30, &options, NULL, NULL, &why));
    assert_true(fabs(scene->observe(&problem) - before) < 1e-9);
}

struct maps {
    double worst; /* natural map of the steps */
    int exact;    /* steps within 1e-12       */
};

static int record_map(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    struct maps *maps = context;
    const double map = test_judged(problem, u, lambda).natural_map;
    maps->worst = fmax(maps->worst, map);
    maps->exact += map <= 1e-12;
    return 0;
}

/* A beam that jams in its slot, with forces a hundred times those that turn its links; a pendulum
 * with a mass ratio of 1e4 that swings down; parallel contacts in redundance. */
TEST(test_motions)
{
    const struct {
        const char *scene;
        int steps;
    } motions[] = {{"beam", 132}, {"double_pendulum_mass", 100}, {"cylinder_stack", 5}};
    const struct nb_options options = test_options("proximal_newton", 1000);
    for (size_t i = 0; i < sizeof motions / sizeof *motions; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct maps maps = {0};
        assert_ok(nb_scene_create(motions[i].scene, 0, NULL, &problem, &why));
        assert_ok(nb_simulate(&problem, motions[i].steps, &options, record_map, &maps, &why));
        print_message("%s: worst natural map of %d steps %.2g, %d within 1e-12\n", motions[i].scene,
                      motions[i].steps, maps.worst, maps.exact);
        assert_true(maps.worst < 1e-8 && maps.exact >= 3 * motions[i].steps / 4);
    }
}

/* Random piles over friction, mass ratio, disorder and shape, at a late step: as they are and
 * linearised. Seeds 101 on are held out: no setting of the method was chosen on them. */
TEST(test_random_piles)
{
    static const char *const kinds[][5] = {
        {"disorder=0", "mass_ratio=1e6", "friction=0.1"},
        {"disorder=0.02", "mass_ratio=1e3", "friction=2"},
        {"disorder=1", "round=0.5", "walls=1", "spread=0.3", "friction=0.5"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        char seed[32];
        const char *settings[8] = {seed, "time_step=0.004", "count=12"};
        struct nb_options options = nb_options_default();
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        snprintf(seed, sizeof seed, "seed=%zu", 101 + i);
        int count = 3;
        for (int k = 0; k < 5 && kinds[i][k]; ++k)
            settings[count++] = kinds[i][k];
        assert_ok(nb_scene_create("random_pile", count, settings, &problem, &why));
        assert_ok(nb_simulate(&problem, 100, &options, NULL, NULL, &why));
        assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
        const double bent = run_method(&problem, &options, NULL, NULL, NULL).natural_map;
        const double straight = run_method(&linear, &options, NULL, NULL, NULL).natural_map;
        print_message("pile %zu, %d contacts: natural map %.2g, linearised %.2g\n", i,
                      problem.contacts.count, bent, straight);
        assert_true(problem.contacts.count > 10 && bent < 1e-8 && straight < 1e-8);
    }
}
