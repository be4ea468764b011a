/* Scenes of balls and capsules: shock through a column, energy of balls in a cube, the statics of a
 * leaning capsule, the silo's packing. */
#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/rest.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/scene.h"

/* The balls fall as one, and within one step after the lowest has met the floor all stand still.
 * The step of the meeting itself keeps what closes the gap. */
TEST(the_shock_passes_in_one_step)
{
    const struct nb_options options = rest_options();
    const double gravity = 9.81;
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "ball_drop", NULL);
    const double h = problem.time_step;
    int steps = 0; /* until the free motion would pass the floor */
    while (h * h * gravity * (steps + 1) * (steps + 2) / 2 < 0.1)
        ++steps;
    assert_ok(nb_simulate(&problem, steps, &options, NULL, NULL, &why));
    for (int i = 0; i < 5; ++i)
        assert_near(problem.bodies.velocity[6 * i + 2], -steps * h * gravity, 1e-6);
    assert_ok(nb_simulate(&problem, 2, &options, NULL, NULL, &why));
    for (int i = 0; i < 5; ++i) {
        assert_near(problem.bodies.velocity[6 * i + 2], 0, 0.1 * steps * h * gravity);
        assert_near(problem.bodies.position[3 * i + 2], 0.1 * (2 * i + 1), 1e-2);
    }
    const struct rest rest = rest_run(&problem, 2, &options);
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 6; ++k)
            assert_near(problem.bodies.velocity[6 * i + k], 0, 1e-7);
        assert_near(problem.bodies.position[3 * i + 2], 0.1 * (2 * i + 1), 1e-8);
        assert_near(problem.bodies.position[3 * i], 0, 1e-9);
        assert_near(problem.bodies.position[3 * i + 1], 0, 1e-9);
    }
    assert_near(rest.ground_force, rest.weight, 1e-6 * rest.weight);
}

/* Balls lose energy to impacts and never gain it; none leaves the cube. */
TEST(balls_stay_in_the_cube)
{
    const char *settings[] = {"count=5", NULL};
    struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    options.damping = 0.75;
    options.linear_iterations = 60;
    test_scene(&problem, "balls_in_cube", settings);
    double start = 0;
    for (int i = 0; i < 5; ++i)
        start += problem.bodies.mass[i] / 2 *
                 nb_dot3(problem.bodies.velocity + 6 * i, problem.bodies.velocity + 6 * i);
    const struct rest rest = rest_run(&problem, 120, &options);
    print_message("energy at most %+.2e J of %.2e J kinetic at the start\n", rest.most_energy,
                  start);
    assert_true(rest.most_energy <= start * (1 + 1e-9));
    for (int i = 0; i < 5; ++i) {
        const double *p = problem.bodies.position + 3 * i, r = problem.shapes[6 + i].radius;
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(p[k] - (k == 2 ? 0.5 : 0)) < 0.5 - r + 1e-3);
    }
}

/* Table 1 has 7, 16 and 27 contacts on average for 5, 10 and 15 balls of unknown radii. */
TEST(balls_start_apart)
{
    static const char *const counts[] = {"count=5", "count=10", "count=15"};
    for (int c = 0; c < 3; ++c) {
        const char *settings[] = {counts[c], "seed=3", NULL};
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        test_scene(&problem, "balls_in_cube", settings);
        assert_int_equal(problem.bodies.count, 5 * (c + 1));
        assert_true(problem.time_step == 0.005);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        for (int i = 0; i < problem.contacts.count; ++i)
            assert_true(linear.linear.contact_velocity[3 * i] >= 0);
    }
}

/* Smallest coefficient with (x - r)/2 <= mu/(1 + mu^2) (z + mu x), see the scene: x, z of the
 * contacts with floor and wall. */
static double least_friction(double angle, double length, double radius)
{
    const double x = radius + length * sin(angle), z = radius + length * cos(angle);
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
        const double mu = (low + high) / 2;
        if ((x - radius) / 2 <= mu / (1 + mu * mu) * (z + mu * x))
            high = mu;
        else
            low = mu;
    }
    return high;
}

/* The height that the capsule loses in 40 steps with that friction. */
static double capsule_drop(double friction)
{
    char setting[64];
    const char *settings[] = {setting, "angle=30", NULL};
    const struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    snprintf(setting, sizeof setting, "friction=%.6f", friction);
    test_scene(&problem, "leaning_capsule", settings);
    assert_int_equal(problem.contacts.count, 2);
    const double height = problem.bodies.position[2];
    rest_run(&problem, 40, &options);
    const double drop = height - problem.bodies.position[2];
    return drop;
}

TEST(the_capsule_stands_by_friction)
{
    const double least = least_friction(M_PI / 6, 1, 0.1);
    const double above = capsule_drop(1.2 * least), below = capsule_drop(0.8 * least);
    print_message("least friction %.4f: drop %.1e m above, %.1e m below\n", least, above, below);
    assert_near(above, 0, 1e-8);
    assert_true(below > 1e-3);
}

/* The lever of a capsule's weight about the line e through its contacts, with its centre at c and the axis a: e x (c -
 * foot). */
static void capsule_lever(const double *c, const double *a, double length, double radius, double *e, double *lever)
{
    double foot[3], to_centre[3];
    for (int k = 0; k < 3; ++k) {
        foot[k] = c[k] - length / 2 * a[k] - (k == 2) * radius;
        e[k] = c[k] + length / 2 * a[k] - (k == 0) * radius - foot[k];
    }
    nb_normalise3(e);
    nb_subtract3(c, foot, to_centre);
    nb_cross3(e, to_centre, lever);
}

/* Two contacts leave a capsule one motion: it rolls on both ends about the line through them. Its centre is above that
 * line, so that it stands as a pendulum upright does, and leaves at the rate s, s^2 = -m g (d lever_z/d angle)/I_e. */
static double capsule_rate(const struct nb_problem *problem, double length, double radius)
{
    const double *centre = problem->bodies.position, step = 1e-5, mass = problem->bodies.mass[0];
    double rotation[9], inertia[9], e[3], lever[3], turned[3], moved_e[3], moved_lever[3], slope = 0;
    nb_quaternion_matrix(problem->bodies.orientation, rotation);
    nb_world_inertia(rotation, problem->bodies.inertia, inertia);
    const double axis[3] = {rotation[2], rotation[5], rotation[8]};
    capsule_lever(centre, axis, length, radius, e, lever);
    nb_cross3(e, axis, turned);
    for (int side = -1; side <= 1; side += 2) {
        double c[3], a[3];
        nb_add_scaled3(centre, side * step, lever, c);
        nb_add_scaled3(axis, side * step, turned, a);
        capsule_lever(c, a, length, radius, moved_e, moved_lever);
        slope += side * moved_lever[2] / (2 * step);
    }
    nb_rotate(inertia, e, moved_e);
    return sqrt(-mass * 9.81 * slope / (mass * nb_dot3(lever, lever) + nb_dot3(e, moved_e)));
}

TEST(the_capsule_leaves_its_balance_by_rolling)
{
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem problem;
    double speed[2];
    test_scene(&problem, "leaning_capsule", NULL);
    const double rate = capsule_rate(&problem, 1, 0.1);
    problem.bodies.velocity[5] = 1e-6;
    for (int k = 0; k < 2; ++k) {
        test_simulate(&problem, k ? 240 : 480, &options, NULL, NULL);
        speed[k] = nb_norm3(problem.bodies.velocity + 3);
    }
    const double measured = log(speed[1] / speed[0]) / (240 * problem.time_step);
    print_message("leaves at %.4f/s, by theory %.4f/s\n", measured, rate);
    assert_near(measured, rate, 0.01 * rate);
}

/* No overlap, every neighbour in contact, 5 g and 5 mm on average, 80000:1. */
TEST(the_silo_is_packed)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double mass = 0, radius = 0;
    test_scene(&problem, "granular_silo", NULL);
    assert_int_equal(problem.bodies.count, 1001);
    for (int i = 0; i < 1000; ++i) {
        mass += problem.bodies.mass[i] / 1000;
        radius += problem.shapes[5 + i].radius / 1000;
    }
    assert_near(mass, 0.005, 1e-2 * 0.005);
    assert_near(radius, 0.005, 1e-2 * 0.005);
    assert_near(problem.bodies.mass[1000], 400, 1e-9);
    assert_in_range(problem.contacts.count, 5000, 6000);
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    for (int i = 0; i < problem.contacts.count; ++i)
        assert_true(linear.linear.contact_velocity[3 * i] * problem.time_step > -1e-12);
}

/* Any number of grains, a layer that is not full included: a grain more is a body more, and all lie
 * between the walls. */
TEST(the_silo_takes_any_number)
{
    static const int counts[] = {13, 14, 35, 36, 100, 137};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        char setting[32];
        const char *settings[] = {setting, NULL};
        OWNS(nb_problem_free) struct nb_problem problem;
        snprintf(setting, sizeof setting, "count=%d", counts[c]);
        test_scene(&problem, "granular_silo", settings);
        assert_int_equal(problem.bodies.count, counts[c] + 1);
        const double half = problem.shapes[2].position[0];
        for (int i = 0; i < counts[c]; ++i)
            for (int k = 0; k < 2; ++k)
                assert_true(fabs(problem.bodies.position[3 * i + k]) <
                            half - problem.shapes[5 + i].radius);
    }
}

/* At a mass ratio that the damped Newton method resolves, the grains carry the weight. */
TEST(the_grains_carry_a_light_weight)
{
    const char *settings[] = {"count=35", "ratio=20", NULL};
    struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "granular_silo", settings);
    const double height = problem.bodies.position[3 * 35 + 2];
    const struct rest rest = rest_run(&problem, 30, &options);
    print_message("weight sinks by %.1e m, kinetic %.1e J\n",
                  height - problem.bodies.position[3 * 35 + 2], rest.kinetic);
    assert_true(height - problem.bodies.position[3 * 35 + 2] < 1e-3);
    assert_true(rest.most_energy < 1e-6);
}

/* At 80000:1 a method that solves the step to a hundredth of a grain brings the weight to rest. */
TEST(the_grains_carry_the_heavy_weight)
{
    const char *settings[] = {"count=35", NULL};
    struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    options.solver = "apgd";
    options.newton_iterations = 1000;
    test_scene(&problem, "granular_silo", settings);
    const double start = problem.bodies.position[3 * 35 + 2];
    rest_run(&problem, 40, &options);
    const double height = problem.bodies.position[3 * 35 + 2];
    const struct rest rest = rest_run(&problem, 20, &options);
    print_message("weight sinks by %.2e m, then by %.0e m, penetration %.0e m\n", start - height,
                  height - problem.bodies.position[3 * 35 + 2], rest.penetration);
    assert_true(start - height < 1e-3);
    assert_near(problem.bodies.position[3 * 35 + 2], height, 2e-5);
    assert_true(rest.penetration < 1e-4);
}

TEST(impossible_balls_are_refused)
{
    static const struct {
        const char *scene, *setting, *expected;
    } cases[] = {{"balls_in_cube", "count=1000", "found no room for ball"},
                 {"balls_in_cube", "radius_min=0.3", "more than radius_max"},
                 {"balls_in_cube", "radius_max=0.6", "at most half the side"},
                 {"ball_drop", "count=1", "2 to 1000"},
                 {"leaning_capsule", "radius=0", "0.001 to 100 m"},
                 {"granular_silo", "count=300001", "13 to 300000"},
                 {"granular_silo", "jitter=-1", "0 to 0.1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nb_error error = {""};
        struct nb_problem problem;
        assert_int_equal(nb_scene_create(cases[i].scene, 1, &cases[i].setting, &problem, &error),
                         NB_BAD_INPUT);
        if (!strstr(error.text, cases[i].expected))
            fail_msg("%s: %s", cases[i].setting, error.text);
        assert_null(problem.shapes);
    }
}

/* A fall onto a plate on an implicit spring by hand: height and velocity of a ball's lowest point, and of the plate,
 * whose spring bears its weight. */
struct fall {
    double z, v, plate, plate_v;
};

static void fall_on(struct fall *f, double h, double m, double plate_m, double k)
{
    const double freely = f->v - h * 9.81, pull = plate_m * f->plate_v - h * k * f->plate, gap = f->z - f->plate;
    f->v = freely;
    f->plate_v = pull / (plate_m + h * h * k);
    if (gap + h * (f->v - f->plate_v) < 0) { /* v = plate_v - gap/h, and both share their momentum */
        f->plate_v = (pull + m * (freely + gap / h)) / (m + plate_m + h * h * k);
        f->v = f->plate_v - gap / h;
    }
    f->z += h * f->v;
    f->plate += h * f->plate_v;
}

TEST(a_ball_bounces_off_a_sprung_floor_as_by_hand)
{
    static const char *const settings[] = {"launch_x=0", "time_step=0.002", NULL};
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free)
    struct nb_problem problem;
    struct fall fall = {.z = 0.3 - 0.05, .v = -1.3};
    double highest = 0;
    test_scene(&problem, "bouncing_ball", settings);
    for (int step = 0; step < 250; ++step) {
        test_simulate(&problem, 1, &options, NULL, NULL);
        fall_on(&fall, 0.002, 0.1, 0.005, 200);
        assert_near(problem.bodies.position[2] - 0.05, fall.z, 1e-8);
        if (step > 100)
            highest = fmax(highest, fall.z);
    }
    assert_true(highest > 0.1); /* it has bounced */
}

/* The ball comes at 1 m/s and, of twice and of the whole time step, leaves at a speed that goes to m/(m + m_p) as the
 * step goes to 0. */
TEST(a_sprung_wall_has_the_restitution_of_its_mass)
{
    const char *settings[] = {"gravity=0", "launch_x=1", "launch_z=0", "distance=0.1",
                              "stiffness=2000", "plate_mass=0.02", NULL, NULL};
    const struct nb_options options = nb_options_default();
    double speed[2];
    for (int i = 0; i < 2; ++i) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        settings[6] = i == 0 ? "time_step=4e-4" : "time_step=2e-4";
        test_scene(&problem, "bouncing_ball", settings);
        test_simulate(&problem, (int)(0.1 / problem.time_step), &options, NULL, NULL);
        speed[i] = -problem.bodies.velocity[0];
        assert_near(problem.bodies.velocity[2], 0, 1e-12);
    }
    assert_near(2 * speed[1] - speed[0], 0.1 / 0.12, 0.01);
    assert_true(speed[0] < speed[1] && speed[1] < 0.1 / 0.12);
}

TEST(a_ball_that_begins_in_the_floor_is_refused)
{
    assert_scene_refused("bouncing_ball", "height=0.04", "must be above radius");
    assert_scene_refused("bouncing_ball", "distance=0.04", "must be above radius");
}
