/* The scenes with deformable bodies: what they consist of, what is prescribed, what they refuse, and
 * how they deform. */
#include "tests/support/judged.h"
#include "tests/support/support.h"

#include "tests/support/near.h"
#include "tests/support/refused.h"

#include "tests/support/folder.h"

#include "problems/base/vec3.h"
#include "problems/io/problem_file.h"
#include "problems/scenes/build/scene_deform.h"
#include "problems/step.h"
#include "solvers/solve.h"

/* Moves a scene's prescribed frames on by that many steps, without solving anything. */
static void pass_steps(struct nb_problem *problem, int steps)
{
    for (int i = 0; i < steps; ++i) {
        problem->step++;
        nb_scene_move_on(problem);
    }
}

static void run(struct nb_problem *problem, int steps, const char *linear, int newton)
{
    struct nb_options options = nb_options_default();
    options.solver = "newton";
    options.linear = linear;
    options.newton_iterations = newton;
    if (problem->bodies.count == 0)
        options.damping = 1; /* nothing comes into contact */
    test_simulate(problem, steps, &options, NULL, NULL);
}

static double mass_of(const struct nb_problem *problem)
{
    double mass = 0;
    for (int i = 0; i < problem->particles.count; ++i)
        mass += problem->particles.mass[i];
    return mass;
}

/* Three fingers of 150 cells: floors of 200 x 50 x 10 mm and arches of 100 x 50 x 15 mm. */
TEST(the_gripper_has_its_parts)
{
    const double volume = 3 * 0.05 * (0.2 * 0.01 + 0.1 * 0.015);
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "pneunet", NULL);
    assert_int_equal(problem.bodies.count, 2);
    assert_int_equal(problem.tetrahedra.count, 2250); /* in the paper 2241 */
    assert_near(nb_scene_volume(&problem, 0, 2250), volume, 1e-12);
    assert_near(mass_of(&problem), 1200 * volume, 1e-12);
    assert_int_equal(problem.attachments.count, 3 * 18);
    assert_int_equal(problem.distances.count, 3 * (20 * 6 + 20 * 5 + 20 * 5));
    for (int i = 0; i < problem.distances.count; ++i)
        assert_in_range((int)(1e6 * problem.distances.length[i]), 9999, 14143);
    assert_near(problem.bodies.mass[1], 0.32, 0);
    int inflated = 0;
    for (int t = 0; t < 2250; ++t) {
        const int *corner = problem.tetrahedra.particle + 4 * t;
        double out = 0; /* from the layer, of the first finger along x */
        for (int k = 0; k < 4; ++k)
            out += problem.particles.position[3 * corner[k]] / 4 - 0.098 / 4;
        inflated += problem.tetrahedra.inflation[t] > 0;
        if (t < 750)
            assert_int_equal(problem.tetrahedra.inflation[t] > 0, out > 0.01);
    }
    assert_int_equal(inflated, 3 * 250);
    for (int i = 0; i < problem.contacts.count; ++i) /* not with the disc, which holds the fingers */
        assert_true(problem.contacts.body[2 * i] != 0 && problem.contacts.body[2 * i + 1] != 0);
}

/* Pressure after 3 steps, and the disc's world frame, which is that at the end of the step. */
TEST(the_gripper_follows_its_schedule)
{
    const char *settings[] = {"inflate=0.2", "pause=0.1", "lift_time=0.5", "lift=0.3",
                              "time_step=0.01", "pressure=8e6", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "pneunet", settings);
    const double start = problem.joints.point[5];
    assert_near(problem.tetrahedra.inflation[2249], 8e6 * 0.05, 1e-6);
    pass_steps(&problem, 3);
    assert_near(problem.tetrahedra.inflation[2249], 8e6 * 0.2, 1e-6);
    assert_true(problem.tetrahedra.inflation[0] == 0);
    assert_true(problem.joints.point[5] == start);
    pass_steps(&problem, 51); /* 0.55 s at the end of the step: half of the lift */
    assert_near(problem.tetrahedra.inflation[2249], 8e6, 1e-6);
    assert_near(problem.joints.point[5], start + 0.15, 1e-12);
    pass_steps(&problem, 100);
    assert_near(problem.joints.point[5], start + 0.3, 1e-12);
    assert_near(problem.joints.drift[2], 0, 0);
}

TEST(the_bench_pulls_its_end)
{
    const char *const scenes[] = {"material_extension", "sheet"};
    const char *settings[] = {"length=0.2", "stretch=1.5", "rise=0.1", "time_step=0.01", NULL};
    for (int s = 0; s < 2; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, scenes[s], settings);
        const int half = problem.attachments.count / 2;
        for (int steps = 0; steps < 20; ++steps) {
            const double part = fmin((steps + 1) / 10., 1);
            for (int i = 0; i < 2 * half; ++i)
                assert_near(problem.attachments.point[3 * i],
                            i < half ? 0 : 0.2 * (1 + 0.5 * part), 1e-12);
            pass_steps(&problem, 1);
        }
        assert_int_equal(problem.tetrahedra.material[0], s == 0 ? NB_MATERIAL_NEO_HOOKEAN
                                                                 : NB_MATERIAL_HOOKE);
    }
}

/* Steps from a file give the same bits as steps without a pause. */
TEST_IN_FOLDER(a_run_goes_on_from_its_file)
{
    const char *settings[] = {"time_step=0.02", "inflate=0.1", "pause=0", "lift_time=0.1", NULL};
    OWNS(nb_problem_free) struct nb_problem problem, read;
    char path[sizeof folder.path + 16];
    snprintf(path, sizeof path, "%s/pneunet.h5", folder.path);
    test_scene(&problem, "pneunet", settings);
    pass_steps(&problem, 4); /* the lift begins in the next step */
    assert_ok(nb_step_prepare(&problem, &why));
    assert_ok(nb_problem_write(path, &problem, NULL, &why));
    assert_ok(nb_problem_read(path, &read, &why));
    run(&problem, 2, "jacobi", 2);
    run(&read, 1, "jacobi", 2);
    run(&read, 1, "jacobi", 2);
    assert_int_equal(read.step, 6);
    assert_true(problem.joints.drift[2] > 0);
    assert_memory_equal(read.particles.position, problem.particles.position,
                        3 * (size_t)read.particles.count * sizeof(double));
    assert_memory_equal(read.tetrahedra.inflation, problem.tetrahedra.inflation,
                        (size_t)read.tetrahedra.count * sizeof(double));
    assert_memory_equal(read.joints.point, problem.joints.point, 6 * sizeof(double));
}

static double angle_at(const char *pressure)
{
    const char *settings[] = {pressure, "time_step=0.1", "inflate=0.1", NULL};
    struct nb_problem problem;
    test_scene(&problem, "pneunet_finger", settings);
    run(&problem, 2, "cholesky", 3);
    const double angle = nb_scene_find("pneunet_finger")->observe(&problem);
    for (int i = 0; i < problem.distances.count; ++i) { /* the layer keeps its lengths */
        double between[3];
        const int *end = problem.distances.particle + 2 * i;
        nb_subtract3(problem.particles.position + 3 * end[0],
                     problem.particles.position + 3 * end[1], between);
        assert_near(nb_norm3(between) / problem.distances.length[i], 1, 2e-3);
    }
    nb_problem_free(&problem);
    return angle;
}

/* A strip of height H that swells by e = p (1 - 2 nu)/E above its floor of height f, and not at all at
 * its bottom, has the curvature 3/2 e (H^2 - f^2)/H^3: half of the finger is such a strip. That arches
 * bulge over the gaps between them and the layer does not let the finger widen adds to it. */
TEST(a_finger_curls_in_proportion_to_its_pressure)
{
    const double curvature = 1.5 * 4e6 * 0.06 / 1e7 * (25 * 25 - 10 * 10) / (25. * 25 * 25) * 1e3;
    const double angle = angle_at("pressure=4e6"), half = angle_at("pressure=2e6");
    assert_true(angle > curvature * 0.1);
    assert_true(angle < 2 * curvature * 0.1);
    assert_near(angle / half, 2, 0.1);
}

/* The volume at twice the length over that at rest, slowly pulled. */
static double volume_at_double_length(const char *material)
{
    const char *settings[] = {material, "cells=4", "cells_across=1", "time_step=0.1", "rise=0.5",
                              NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "material_extension", settings);
    run(&problem, 6, "cholesky", 8);
    for (int i = 0; i < problem.attachments.count; ++i) /* the clamps hold */
        for (int k = 0; k < 3; ++k)
            assert_near(problem.particles.position[3 * problem.attachments.particle[i] + k],
                        problem.attachments.point[3 * i + k], 1e-5);
    const double volume = nb_scene_find("material_extension")->observe(&problem);
    return volume;
}

/* Figure 13. Far from the clamps the linear material is (1 - nu)^2 2 = 0.6 of its volume. */
TEST(the_linear_material_loses_volume)
{
    const double linear = volume_at_double_length("material=0");
    const double hyperelastic = volume_at_double_length("material=1");
    assert_true(linear > 0.6 && linear < 0.8);
    assert_true(hyperelastic > 1 && hyperelastic < 1.2);
}

TEST(impossible_settings_are_refused)
{
    assert_scene_refused("sheet", "thickness=0", "0.0001 to 10 m");
    assert_scene_refused("sheet", "thickness=0.5", "at most length and width, 0.4 m");
    assert_scene_refused("sheet", "cells=-1", "1 to 200");
    assert_scene_refused("sheet", "poisson=0.5", "0 to 0.499");
    assert_scene_refused("sheet", "rise=0", "0.001 to 1000 s");
    assert_scene_refused("material_extension", "young=0", "1 to 1e+12 Pa");
    assert_scene_refused("material_extension", "material=2", "0 to 1");
    assert_scene_refused("material_extension", "material=0.5", "whole number");
    assert_scene_refused("material_extension", "cells_across=0", "1 to 100");
    assert_scene_refused("material_extension", "side=0", "0.001 to 100 m");
    assert_scene_refused("material_extension", "stretch=0", "0.1 to 10");
    assert_scene_refused("material_extension", "width=1", "known: material, stretch");
    assert_scene_refused("pneunet", "pressure=-1", "0 to 1e+09 Pa");
    assert_scene_refused("pneunet", "ball_radius=0.11", "ball_radius = 0.11 m must be 0.05 to 0.104 m");
    assert_scene_refused("pneunet", "ball_radius=0.04", "0.05 to 0.104 m");
    assert_scene_refused("pneunet", "refinement=0", "1 to 8");
    assert_scene_refused("pneunet", "lift_time=0", "0.001 to 1000 s");
    assert_scene_refused("pneunet_finger", "compliance=-1", "0 to 1 m/N");
}

/* 800 triangles: 21 x 21 particles, of which the border's 80 are held. */
TEST(the_cloth_has_its_parts)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "cloth", NULL);
    assert_int_equal(problem.shapes[0].face_count, 800);
    assert_int_equal(problem.particles.count, 21 * 21);
    assert_int_equal(problem.distances.count, 2 * 21 * 20 + 400);
    assert_int_equal(problem.attachments.count, 80);
    assert_near(mass_of(&problem), 0.2, 1e-12);
    for (int i = 0; i < problem.shapes[0].face_count; ++i) { /* each faces upwards and has half a square */
        const int *corner = problem.shapes[0].face_vertex + 3 * i;
        const double *x = problem.particles.position;
        double a[3], b[3], area[3];
        nb_subtract3(x + 3 * corner[1], x + 3 * corner[0], a);
        nb_subtract3(x + 3 * corner[2], x + 3 * corner[0], b);
        nb_cross3(a, b, area);
        assert_near(area[2] / 2, 0.05 * 0.05 / 2, 1e-15);
    }
}

/* One free particle between eight that are held: k sum (l - L) z/l = m g, l^2 = L^2 + z^2. */
TEST(a_cloth_of_one_free_particle_sags_as_by_hand)
{
    static const char *const settings[] = {"cells=2", "mass=0", "stiffness=50", "time_step=0.05", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    double low = 0, high = 1;
    test_scene(&problem, "cloth", settings);
    test_simulate(&problem, 400, &options, NULL, NULL);
    for (int i = 0; i < 100; ++i) {
        const double z = (low + high) / 2, side = 0.5, diagonal = 0.5 * sqrt(2);
        const double pull = 4 * 50 * z * (2 - side / hypot(side, z) - diagonal / hypot(diagonal, z));
        *(pull < 0.2 * 0.25 * 9.81 ? &low : &high) = z;
    }
    assert_true(low > 0.05);
    assert_near(-problem.particles.position[3 * 4 + 2] / low, 1, 1e-6);
}

struct held {
    const struct nb_problem *problem;
    double weight; /* that the attachments bear in the last step [N] */
};

static int weigh(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    struct held *held = context;
    (void)u;
    held->weight = 0;
    for (int i = 0; i < problem->attachments.count; ++i)
        held->weight += lambda[3 * i + 2];
    return 0;
}

/* At rest the border bears the box and the cloth, whether it is held along the border or a net with branches. */
TEST(what_holds_a_cloth_bears_what_lies_in_it)
{
    static const char *const cloth[] = {"cells=8", "stiffness=500", "height=0.01", "time_step=0.05", NULL};
    static const char *const net[] = {"cells=8", "branches=1", "height=0.01", "time_step=0.05", NULL};
    for (int which = 0; which < 2; ++which) {
        OWNS(nb_problem_free) struct nb_problem problem;
        const struct nb_options options = nb_options_default();
        struct held held = {0};
        test_scene(&problem, which ? "net" : "cloth", which ? net : cloth);
        const double expected = (problem.bodies.mass[0] + mass_of(&problem)) * 9.81;
        test_simulate(&problem, 300, &options, weigh, &held);
        print_message("%s: %g of %g N\n", problem.name, held.weight, expected);
        assert_near(held.weight / expected, 1, 0.02);
    }
}

/* A branch of three rods turns alike about every axis, and its rods cross at right angles. */
TEST(branches_are_symmetric)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "net", NULL);
    assert_int_equal(problem.bodies.count, 3);
    assert_int_equal(problem.shape_count, 10);
    for (int k = 0; k < 9; ++k)
        assert_near(problem.bodies.inertia[k], k % 4 == 0 ? problem.bodies.inertia[0] : 0, 0);
    /* thin rods: each m/3 L^2/12 about two axes */
    assert_near(problem.bodies.inertia[0] / (2 * 0.5 / 3 * 0.3 * 0.3 / 12), 1, 0.1);
    assert_scene_refused("net", "radius=0.2", "length/2");
}
