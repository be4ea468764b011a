/* What falls by more than the contact margin in a step lands, and stays: it neither sinks in nor jumps, and no energy
 * comes from nothing. */
#include "harness/judge/overlap.h"
#include "problems/base/vec3.h"
#include "tests/support/near.h"
#include "tests/support/rest.h"

/* The overlap at the end of any step, by shapes met anew. */
struct fall {
    struct rest rest;
    double overlap;
};

static int record(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    struct fall *fall = context;
    assert_int_equal(nb_overlap_add(problem, u, &fall->overlap, NULL), NB_OK);
    return rest_record(&fall->rest, problem, u, lambda);
}

static double kinetic(const struct nb_problem *problem)
{
    double energy = 0;
    for (int i = 0; i < problem->bodies.count; ++i)
        energy += problem->bodies.mass[i] / 2 *
                  nb_dot3(problem->bodies.velocity + 6 * i, problem->bodies.velocity + 6 * i);
    return energy;
}

TEST(what_falls_fast_lands_and_stays)
{
    static const struct {
        const char *scene, *settings[3];
        int steps;
        double deep; /* allowed [m]: fast corners pass edges, as normals are fixed over a step */
    } cases[] = {
        {"box_on_plane", {"gap=20"}, 300, 1e-9},
        {"box_on_plane", {"gap=20", "time_step=0.02"}, 150, 1e-9},
        {"two_boxes", {"gap=1"}, 200, 1e-9},          /* a box on a box that has landed in the same step */
        {"sparse_stack", {"gap=0.5"}, 200, 1e-9},     /* a column with gaps is stopped from below        */
        {"ball_drop", {"height=20"}, 600, 1e-9},      /* balls, and a capsule beside                     */
        {"balls_in_cube", {"speed=20"}, 200, 2e-3},
        {"random_pile", {"disorder=1", "speed=10", "count=8"}, 150, 0.05},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *const *settings = cases[i].settings;
        const int count = settings[1] ? settings[2] ? 3 : 2 : 1;
        const struct nb_options options = nb_options_default();
        OWNS(nb_problem_free) struct nb_problem problem;
        struct fall fall = {.overlap = 0};
        assert_int_equal(nb_scene_create(cases[i].scene, count, settings, &problem, NULL), NB_OK);
        fall.rest.start = rest_potential(&problem, NULL);
        const double start = kinetic(&problem);
        assert_int_equal(nb_simulate(&problem, cases[i].steps, &options, record, &fall, NULL), NB_OK);
        if (!(fall.rest.most_energy <= start * 1.01 + 1e-9 * fabs(fall.rest.start)) || !(fall.overlap <= cases[i].deep))
            fail_msg("%s %s: gained %g J over %g J, %g m deep", cases[i].scene, settings[0],
                     fall.rest.most_energy, start, fall.overlap);
        if (i < 5 && !(fall.rest.kinetic <= 1e-12))
            fail_msg("%s %s: still moves, %g J", cases[i].scene, settings[0], fall.rest.kinetic);
    }
}

/* A step without contacts that ends 4 cm deep says so. */
TEST(overlap_is_found_anew)
{
    const char *settings[] = {"gap=0.05"};
    OWNS(nb_problem_free) struct nb_problem problem;
    const double u[6] = {0, 0, -0.09 / 0.0083, 0, 0, 0};
    double overlap = 0;
    assert_int_equal(nb_scene_create("box_on_plane", 1, settings, &problem, NULL), NB_OK);
    assert_int_equal(nb_step_prepare(&problem, NULL), NB_OK);
    assert_int_equal(problem.contacts.count, 0);
    assert_int_equal(nb_overlap_add(&problem, u, &overlap, NULL), NB_OK);
    assert_near(overlap, 0.04, 1e-12);
}
