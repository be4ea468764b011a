/* A gripper of three inflating fingers that lifts a ball (Macklin et al. 2019, section 10.1.4, figure
 * 2, after Ilievski et al. 2011). As printed: E = 0.01 GPa, nu = 0.47, density 1200 kg/m^3, the ball's
 * mass of 0.32 kg, mu = 0.7, an inextensible layer, inflation as a volumetric stress in the arches, the
 * co-rotational linear material. The paper's mesh has 2241 tetrahedra; three fingers of 750 make 2250.
 *
 * Sizes and motion are not printed and ours: a ball of the size and weight of a small football; the
 * fingers hang round it from a disc, curl under it while the pressure rises, and are lifted with the disc
 * after a pause. The lift's height over time is smooth, 3 x^2 - 2 x^3.
 *
 * Size decides how hard the step is: the ratio of J M^-1 J^T to E/h^2 grows with (h c/l)^2, the way of
 * a pressure wave in a step over the length of a cell. At the paper's 4 Newton x 80 PCR iterations
 * these cells of 1 cm carry the ball; fingers of half the size in cells of 5 mm did not. The margin
 * is such that about as many contacts are there as in the paper: 520 while the ball is held, 532
 * printed. */
#include <math.h>
#include <stddef.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_finger.h"

enum {
    PRESSURE, INFLATE, PAUSE, LIFT, LIFT_TIME, MATERIAL, YOUNG, POISSON, DENSITY, COMPLIANCE,
    REFINEMENT, BALL_MASS, BALL_RADIUS, FRICTION, TIME_STEP, GRAVITY, MARGIN
};
enum { DISC, BALL, BODIES };
enum { FINGERS = 3, SHAPES = BODIES + 1 + FINGERS };

static const double tip_clearance = 0.008, ball_clearance = 0.004;
static const double disc_height = 0.02, disc_mass = 0.5;

static enum nb_status check(const double *values, struct nb_error *error)
{
    const double least = NB_FINGER_WIDTH, most = (NB_FINGER_LENGTH + tip_clearance) / 2;
    if (values[BALL_RADIUS] < least || values[BALL_RADIUS] > most)
        return nb_fail(error, NB_BAD_INPUT,
                       "pneunet: ball_radius = %g m must be %g to %g m, or fingers of %g m do not "
                       "reach round it", values[BALL_RADIUS], least, most, NB_FINGER_LENGTH);
    return NB_OK;
}

static enum nb_status make_rigid(struct nb_problem *problem, const double *values,
                                 struct nb_error *error)
{
    const double origin[3] = {0}, up[3] = {0, 0, 1}, radius = values[BALL_RADIUS];
    const double ball[3] = {0, 0, radius}, reach = radius + ball_clearance;
    const double disc[3] = {0, 0, tip_clearance + NB_FINGER_LENGTH + disc_height / 2};
    struct nb_shape *shapes = problem->shapes;
    nb_scene_make_plane(&shapes[BODIES], origin, up, values[FRICTION]);
    shapes[BALL].friction = shapes[DISC].friction = values[FRICTION];
    nb_scene_make_sphere(problem, BALL, &shapes[BALL], radius, values[BALL_MASS], ball);
    const enum nb_status status = nb_shape_cylinder(
        &shapes[DISC], reach + NB_FINGER_FLOOR + NB_FINGER_ARCH, disc_height, 24, 0, error);
    if (status)
        return status;
    nb_scene_make_convex(problem, DISC, &shapes[DISC], disc_mass, disc);
    nb_scene_make_joint(problem, 0, NB_JOINT_FIXED, DISC, -1, disc, NULL);
    return NB_OK;
}

static enum nb_status make_fingers(struct nb_problem *problem, const double *values,
                                   struct nb_error *error)
{
    const struct nb_finger finger = {
        .refinement = (int)values[REFINEMENT], .compliance = values[COMPLIANCE],
        .elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                    values[YOUNG], values[POISSON], values[DENSITY]},
    };
    const double centre[3] = {0, 0, tip_clearance + NB_FINGER_LENGTH};
    for (int i = 0; i < FINGERS; ++i)
        problem->shapes[BODIES + 1 + i].friction = values[FRICTION];
    return nb_scene_make_fingers(problem, FINGERS, problem->shapes + BODIES + 1, &finger, centre,
                                 values[BALL_RADIUS] + ball_clearance, DISC, error);
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, BODIES, SHAPES, error);
    if (!status)
        status = nb_scene_allocate_joints(problem, 1, error);
    if (status)
        return status;
    status = make_rigid(problem, values, error);
    return status ? status : make_fingers(problem, values, error);
}

/* The disc's height above its start. */
static double lifted(const struct nb_problem *problem, double time)
{
    const double begin = nb_problem_parameter(problem, "inflate", 0) +
                         nb_problem_parameter(problem, "pause", 0);
    const double x = (time - begin) / nb_problem_parameter(problem, "lift_time", 1);
    const double part = fmin(fmax(x, 0), 1);
    return nb_problem_parameter(problem, "lift", 0) * part * part * (3 - 2 * part);
}

static void schedule(struct nb_problem *problem)
{
    const double h = problem->time_step, now = problem->step * h;
    const double part = (now + h) / nb_problem_parameter(problem, "inflate", 1);
    nb_scene_inflate(problem, FINGERS,
                     nb_problem_parameter(problem, "pressure", 0) * fmin(part, 1));
    if (problem->joints.count > 0)
        problem->joints.drift[2] = (lifted(problem, now + h) - lifted(problem, now)) / h;
}

/* Of the ball's lowest point. */
static double observe(const struct nb_problem *problem)
{
    if (problem->bodies.count < BODIES || problem->shape_count < BODIES)
        return NAN; /* some other problem of that name */
    return problem->bodies.position[3 * BALL + 2] - problem->shapes[BALL].radius;
}

const struct nb_scene nb_scene_pneunet = {
    .name = "pneunet",
    .title = "Soft gripper lifting a ball",
    .source = "Macklin et al. 2019, section 10.1.4, figure 2; sizes and motion ours",
    .observable = "height of the ball above the ground",
    .observable_unit = "m",
    .parameters =
        {
            [PRESSURE] = {"pressure", 2e7, 0, 1e9, 0, "Pa", "volumetric stress in the arches"},
            [INFLATE] = {"inflate", 0.6, 1e-3, 1000, 0, "s", "time in which it rises evenly"},
            [PAUSE] = {"pause", 0.15, 0, 1000, 0, "s", "then, before the lift"},
            [LIFT] = {"lift", 0.1, 0, 10, 0, "m", "height of the lift"},
            [LIFT_TIME] = {"lift_time", 0.5, 1e-3, 1000, 0, "s", "its duration"},
            [MATERIAL] = {"material", 0, 0, 1, 1, "1",
                          "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [YOUNG] = {"young", 1e7, 1e3, 1e12, 0, "Pa", "Young's modulus of the fingers"},
            [POISSON] = {"poisson", 0.47, 0, 0.499, 0, "1", "Poisson's ratio of the fingers"},
            [DENSITY] = {"density", 1200, 1, 1e5, 0, "kg/m^3", "density of the fingers"},
            [COMPLIANCE] = {"compliance", 1e-7, 0, 1, 0, "m/N", "of the layer between two nodes"},
            [REFINEMENT] = {"refinement", 1, 1, 8, 1, "1", "cells divided along each axis"},
            [BALL_MASS] = {"ball_mass", 0.32, 1e-3, 100, 0, "kg", "mass of the ball"},
            [BALL_RADIUS] = {"ball_radius", 0.094, 1e-3, 1, 0, "m", "radius of the ball"},
            [FRICTION] = NB_SCENE_FRICTION(0.7),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.02),
        },
    .build = build,
    .schedule = schedule,
    .observe = observe,
};
