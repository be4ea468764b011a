/* The soft ball and the scale: its mesh, the needle's linkage, what it reads, and that what slips stays. */
#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/support.h"

#include "problems/scenes/build/scene_deform.h"

enum { PLATE = 2,
       NEEDLE = 4 };
static const double g = 9.81;

static double weight_of(const struct nb_problem *problem)
{
    double mass = 0;
    for (int i = 0; i < problem->particles.count; ++i)
        mass += problem->particles.mass[i];
    return mass * g;
}

/* Its nodes at the surface are on the sphere, so that it fills it the better the finer it is: second order. */
TEST(a_bent_lattice_is_a_ball)
{
    const double sphere = 4 * M_PI / 3 * 0.04 * 0.04 * 0.04;
    double missing[2];
    for (int i = 0; i < 2; ++i) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        test_scene(&problem, "tomato", (const char *const[]){i ? "cells=8" : "cells=4", NULL});
        const struct nb_shape *skin = &problem.shapes[6];
        assert_int_equal(problem.tetrahedra.count, i ? 2560 : 320); /* in the paper 319 */
        for (int k = 0; k < 3 * skin->face_count; ++k) {
            const double *x = problem.particles.position + 3 * skin->face_vertex[k];
            assert_near(hypot(hypot(x[0], x[1]), x[2] - 0.04), 0.04, 1e-15);
        }
        missing[i] = 1 - nb_scene_volume(&problem, 0, problem.tetrahedra.count) / sphere;
        assert_near(weight_of(&problem), 1000 * g * (1 - missing[i]) * sphere, 1e-12);
    }
    assert_true(missing[0] > 0 && missing[0] < 0.2 && missing[1] < 0.3 * missing[0]);
}

/* The plate pushed down by hand: the reading, taken from the needle's angle, is the spring's force. At rest the scale
 * is wound: it stays. */
TEST(the_needle_tells_the_spring)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    test_scene(&problem, "tomato", (const char *const[]){"cells=2", "moving=100", "closing=100", NULL});
    const double start = problem.bodies.position[3 * PLATE + 2];
    test_simulate(&problem, 5, &options, NULL, NULL);
    assert_near(problem.bodies.position[3 * PLATE + 2], start, 1e-9);
    assert_near(nb_scene_find("tomato")->observe(&problem), 0, 1e-5);
    for (int i = 1; i < 4; ++i) {
        problem.joints.point[6 * 2 + 5] -= 0.004; /* the spring's upper end goes down */
        test_simulate(&problem, 200, &options, NULL, NULL);
        const double sunk = start - problem.bodies.position[3 * PLATE + 2];
        assert_near(sunk, 0.004 * i, 1e-5);
        assert_near(nb_scene_find("tomato")->observe(&problem) * weight_of(&problem), 500 * sunk, 1e-3);
    }
}

/* Watches nb_simulate; context: two doubles, the sum of all readings from 3 s on, and how many there are. */
static int read_on(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    double *sum = context;
    (void)u;
    (void)lambda;
    if (problem->step * problem->time_step < 3)
        return 0;
    sum[0] += nb_scene_find("tomato")->observe(problem);
    sum[1] += 1;
    return 0;
}

/* The height of its lowest particle after that time; it is let go at 2 s. */
static double carry(const char *friction, double seconds, struct nb_problem *problem, double *readings)
{
    static const char *const ways[] = {"moving=0.4", "distance=0.15", "time_step=0.0166"};
    const struct nb_options options = nb_options_default();
    test_scene(problem, "tomato", (const char *const[]){friction, ways[0], ways[1], ways[2], NULL});
    test_simulate(problem, (int)(seconds / problem->time_step), &options, read_on, readings);
    double lowest = INFINITY;
    for (int i = 0; i < problem->particles.count; ++i)
        lowest = fmin(lowest, problem->particles.position[3 * i + 2]);
    return lowest;
}

/* "Accurately reads the weight of the tomato": on average, as the ball may yet tip from a node of its mesh. */
TEST(the_scale_reads_the_weight)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    double sum[2] = {0};
    const double lowest = carry("friction=0.75", 4, &problem, sum);
    const double reading = sum[0] / sum[1], weight = weight_of(&problem);
    print_message("reads %.5g of %.5g N\n", reading * weight, weight);
    assert_near(reading, 1, 0.01);
    double middle[2] = {0};
    for (int i = 0; i < problem.particles.count; ++i)
        for (int k = 0; k < 2; ++k)
            middle[k] += problem.particles.position[3 * i + k] / problem.particles.count;
    assert_near(hypot(middle[0], middle[1] - 0.15), 0, 0.15 * 0.04); /* the rim keeps it */
    assert_near(lowest, 0.08 - weight / 500, 1e-3);
}

TEST(what_slips_stays)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    double sum[2] = {0};
    const double lowest = carry("friction=0.1", 1.2, &problem, sum);
    assert_near(nb_scene_find("tomato")->observe(&problem), 0, 1e-6);
    assert_near(lowest, 0, 1e-4);
    assert_true(problem.bodies.position[2] > 0.1); /* the fingers are up */
}

TEST(impossible_weighings_are_refused)
{
    assert_scene_refused("tomato", "height=0.08", "height = 0.08 m must be at least 0.084 m");
    assert_scene_refused("tomato", "distance=0.1", "at least 3 radius = 0.12 m");
    assert_scene_refused("tomato", "spring=100", "spring = 100 N/m must be at least");
    assert_scene_refused("tomato", "cells=1", "2 to 32");
}
