/* The hand that puts a soft ball onto a scale: its size beside table 2's, its motors and stops, what the scale reads,
 * that friction holds the ball, and that what is not held stays. */
#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/support.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/joints.h"
#include "problems/scenes/build/scene_deform.h"

enum { FINGERS = 4,
       LINKS = 5,
       PLATE = 1 + FINGERS * LINKS };
static const double g = 9.81, degree = M_PI / 180;

/* Of the mesh, not of the masses. */
static double weight_of(const struct nb_problem *problem)
{
    return 1000 * g * nb_scene_volume(problem, 0, problem->tetrahedra.count);
}

/* Table 2, "Allegro Ball": 21 bodies, 21 joints, 427 tetrahedra. The scale has a plate on a joint more. */
TEST(the_hand_is_as_large_as_the_papers)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    test_scene(&problem, "hand", NULL);
    assert_int_equal(problem.bodies.count - 1, 21);
    assert_int_equal(problem.joints.count - 1, 21);
    assert_int_equal(problem.limits.count, 2 * FINGERS);
    assert_int_equal(problem.tetrahedra.count, 400);
    const struct nb_shape *skin = &problem.shapes[1 + PLATE + 1];
    for (int k = 0; k < 3 * skin->face_count; ++k) {
        const double *x = problem.particles.position + 3 * skin->face_vertex[k];
        assert_near(hypot(hypot(x[0], x[1]), x[2] - 0.04), 0.04, 1e-15);
    }
}

static void axis_of(const struct nb_problem *problem, int body, double *axis)
{
    double rotation[9];
    nb_quaternion_matrix(problem->bodies.orientation + 4 * body, rotation);
    for (int k = 0; k < 3; ++k)
        axis[k] = rotation[3 * k + 2];
}

/* Between the axes of a link and of the one that hangs on it [rad]. */
static double bend(const struct nb_problem *problem, int body)
{
    double a[3], b[3], cross[3];
    axis_of(problem, body, a);
    axis_of(problem, body + 1, b);
    nb_cross3(a, b, cross);
    return atan2(nb_norm3(cross), nb_dot3(a, b));
}

/* The open hand's links are inclined by -90, -20, -5, 10 and 10 degrees. Stiff motors, away from the ball, add 2
 * degrees each; the hinge hangs on its stop. */
TEST(motors_set_angles)
{
    static const double bends[] = {70 + 2, 15 + 2, 15, 0};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    test_scene(&problem, "hand", (const char *const[]){"cells=2", "stiffness=1e4", "flexion=2", "moving=100", NULL});
    test_simulate(&problem, 60, &options, NULL, NULL);
    for (int finger = 0; finger < FINGERS; ++finger)
        for (int link = 0; link + 1 < LINKS; ++link)
            assert_near(bend(&problem, 1 + LINKS * finger + link) / degree, bends[link], 1e-2);
}

/* In the open hand the first flexing motor bears the weights beyond it: k 2 sin(sag/2) is their moment about it. */
TEST(motors_bear_what_hangs_on_them)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    test_scene(&problem, "hand", (const char *const[]){"cells=2", "flexion=0", "moving=100", "stiffness=1", NULL});
    test_simulate(&problem, 150, &options, NULL, NULL);
    for (int finger = 0; finger < FINGERS; ++finger) {
        const int first = 1 + LINKS * finger + 1;
        const double *at = problem.bodies.position, *end = at + 3 * (first - 1);
        double along[3], moment = 0, pivot[3];
        axis_of(&problem, first - 1, along);
        nb_add_scaled3(end, 0.2 * 0.04, along, pivot);
        const double outwards = hypot(pivot[0], pivot[1]);
        for (int body = first; body < first + LINKS - 1; ++body)
            moment += 0.03 * g * (nb_dot3(pivot, at + 3 * body) - pivot[2] * at[3 * body + 2] - outwards * outwards) /
                      outwards;
        const double sag = bend(&problem, first - 1) - 70 * degree;
        assert_true(moment > 5e-3);
        assert_near(2 * sin(sag / 2), moment, 0.01 * moment);
    }
}

/* Watches nb_simulate: the mean over the time from `from` on of reading and spring, less what it bore at first. */
struct readings {
    double from, reading, spring;
    int count;
};

static int read_on(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    struct readings *readings = context;
    int row = 2;
    (void)u;
    for (int i = 0; i < PLATE; ++i)
        row += nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]);
    if (problem->step * problem->time_step < readings->from)
        return 0;
    readings->reading += nb_scene_find("hand")->observe(problem);
    readings->spring += lambda[row] - problem->bodies.mass[PLATE] * g;
    ++readings->count;
    return 0;
}

/* It is let go at 1.8 s, and the hand is away at 2.2 s. */
static void carry(const char *cells, const char *flexion, double seconds, struct nb_problem *problem,
                  struct readings *readings)
{
    static const char *const ways[] = {"moving=0.4", "closing=0.3", "distance=0.16", "time_step=0.0166"};
    const struct nb_options options = nb_options_default();
    test_scene(problem, "hand", (const char *const[]){cells, flexion, ways[0], ways[1], ways[2], ways[3], NULL});
    test_simulate(problem, (int)(seconds / problem->time_step), &options, read_on, readings);
}

static void reads_the_weight(const char *cells)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    struct readings mean = {.from = 2.3};
    double middle[3] = {0};
    carry(cells, "flexion=10", 2.8, &problem, &mean);
    const double weight = weight_of(&problem), reading = mean.reading / mean.count, force = mean.spring / mean.count;
    print_message("reads %.5g, bears %.5g of %.5g N\n", reading * weight, force, weight);
    assert_near(force, weight, 0.01 * weight);
    assert_near(reading, 1, 0.01);
    for (int i = 0; i < problem.particles.count; ++i)
        for (int k = 0; k < 3; ++k)
            middle[k] += problem.particles.position[3 * i + k] / problem.particles.count;
    assert_near(hypot(middle[0], middle[1] - 0.16), 0, 0.15 * 0.04); /* the rim keeps it */
    assert_true(problem.bodies.position[2] > 0.2);                   /* the hand is up */
}

TEST(the_scale_reads_a_coarse_balls_weight)
{
    reads_the_weight("cells=2");
}

FULL_TEST(the_scale_reads_the_weight)
{
    reads_the_weight("cells=4");
}

/* A hand that does not close as far as to the ball leaves it where it is. */
TEST(what_is_not_held_stays)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    struct readings mean = {.from = 0};
    carry("cells=2", "flexion=2", 1, &problem, &mean);
    assert_near(mean.reading / mean.count, 0, 1e-6);
    for (int i = 0; i < problem.particles.count; ++i)
        assert_true(problem.particles.position[3 * i + 2] < 0.085);
    assert_true(problem.bodies.position[2] > 0.2);
}

/* How high a ball is in a hand that has risen by 0.12 m and stays there until 0.95 s, by fingers that do not reach
 * below it, and the least of it since 0.7 s. */
static double carried_by_friction(const char *friction, double *least)
{
    const char *const grip[] = {"cells=2", "flexion=6", "moving=0.4", "closing=0.3", "distance=0.16",
                                "time_step=0.0166", friction, NULL};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    double height = 0;
    test_scene(&problem, "hand", grip);
    *least = 1;
    for (int steps = 42; steps < 60; steps += 5) {
        test_simulate(&problem, steps - problem.step, &options, NULL, NULL);
        height = 0;
        for (int i = 0; i < problem.particles.count; ++i)
            height += problem.particles.position[3 * i + 2] / problem.particles.count;
        *least = fmin(*least, height);
    }
    return height;
}

/* With the printed friction the ball hangs in the hand, and without it slips out and is on the ground. Fingers that
 * close by ten degrees, as by default, reach below the ball, which they then carry without friction, too. */
TEST(friction_holds_the_ball)
{
    double held_least, free_least;
    const double held = carried_by_friction("friction=0.75", &held_least);
    const double free = carried_by_friction("friction=0", &free_least);
    print_message("height of the ball: %.4f m held, %.4f m without friction\n", held, free);
    assert_near(held, 0.04 + 0.12, 3e-3);
    assert_near(held_least, held, 1e-4);
    assert_true(free < 0.04);
}

TEST(impossible_hands_are_refused)
{
    assert_scene_refused("hand", "height=0.08", "height = 0.08 m must be at least 0.084 m");
    assert_scene_refused("hand", "distance=0.1", "at least 4 radius = 0.16 m");
    assert_scene_refused("hand", "spring=50", "spring = 50 N/m must be at least");
    assert_scene_refused("hand", "flexion=31", "0 to 30 degrees");
    assert_scene_refused("hand", "spread=30", "40 to 90 degrees");
    assert_scene_refused("hand", "cells=1", "2 to 32");
}
