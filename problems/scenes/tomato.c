/* Two fingers grip a soft ball, carry it to a scale and put it down, and the scale tells its weight (Macklin et al.
 * 2019, section 10.1.1, figure 1: a tomato of 319 tetrahedra, E = 0.1 MPa, nu = 0.45, 1000 kg/m^3, mu = 0.75; a scale
 * of rigid bodies "connected by prismatic and revolute joints that drive the needle"). Two fingers on springs, as in
 * the scene grasp, stand for the robot, and all sizes are ours; a lattice of four cells a side, bent to a ball, has 320
 * tetrahedra.
 *
 * The scale is a plate with a rim on a spring k, so wound that it bears the plate, and a rod of length L that turns a
 * balanced needle by its arm r. Where the plate has sunk by s, the needle stands at the angle a with
 *
 *     s = r sin a + L - sqrt(L^2 - r^2 (1 - cos a)^2),   and the scale reads k s.
 *
 * The fingers move, along each way of length D in turn, by D (x - sin(2 pi x)/(2 pi)), x the share of its time. */
#include <math.h>

#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_scale.h"

enum {
    CELLS,
    RADIUS,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY,
    FINGER_MASS,
    STIFFNESS,
    SQUEEZE,
    GAP,
    CLOSING,
    HEIGHT,
    DISTANCE,
    MOVING,
    SPRING,
    FRICTION,
    TIME_STEP,
    GRAVITY,
    MARGIN
};
enum { FINGERS = 2,
       PLATE = FINGERS,
       ROD,
       NEEDLE,
       BODIES };
enum { GROUND,
       FIRST_BODY,
       BALL = FIRST_BODY + BODIES,
       RIM,
       SHAPES = RIM + NB_PLATE_SHAPES - 1 };
enum { PLATE_SPRING = FINGERS,
       PLATE_ROD,
       ROD_NEEDLE,
       NEEDLE_AXIS,
       JOINTS };

/* Of the ball's radius: L; r; and how far above the plate the fingers let go. */
static const double rod_length = 1, arm_length = 0.75, drop = 0.05;
static const double rod_mass = 0.01, needle_mass = 0.01; /* [kg] */

static enum nb_status check(const double *values, struct nb_error *error)
{
    const double radius = values[RADIUS], least = (NB_PLATE_TOP + 2 * drop) * radius;
    const double weight = 4 * M_PI / 3 * radius * radius * radius * values[DENSITY] * values[GRAVITY];
    if (values[HEIGHT] < least)
        return nb_fail(error, NB_BAD_INPUT, "tomato: height = %g m must be at least %g m to pass the plate",
                       values[HEIGHT], least);
    if (values[DISTANCE] < 3 * radius)
        return nb_fail(error, NB_BAD_INPUT, "tomato: distance = %g m must be at least 3 radius = %g m",
                       values[DISTANCE], 3 * radius);
    if (weight > values[SPRING] * arm_length * radius / 2)
        return nb_fail(error, NB_BAD_INPUT, "tomato: spring = %g N/m must be at least %g N/m for a ball of %g N",
                       values[SPRING], weight / (arm_length * radius / 2), weight);
    return NB_OK;
}

static enum nb_status make_ball(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int cells = (int)values[CELLS];
    const struct nb_elastic elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                                       values[YOUNG], values[POISSON], values[DENSITY]};
    return nb_scene_make_ball(problem, &problem->shapes[BALL], (const int[]){cells, cells, cells}, values[RADIUS],
                              &elastic, error);
}

static enum nb_status make_finger(const double *values, struct nb_problem *problem, int i, struct nb_error *error)
{
    const double radius = values[RADIUS], sides[3] = {radius / 2, radius, radius};
    const double outwards = i ? 1 : -1;
    const double centre[3] = {outwards * (radius + values[GAP] + sides[0] / 2), 0, radius};
    const enum nb_status status = nb_scene_make_box(problem, i, &problem->shapes[FIRST_BODY + i], sides,
                                                    values[FINGER_MASS], centre, error);
    nb_scene_make_joint(problem, i, NB_JOINT_FIXED, i, -1, centre, NULL);
    problem->joints.compliance[NB_JOINT_ROWS * i] = 1 / values[STIFFNESS];
    return status;
}

/* The plate stands under its middle at y = distance; the needle's arm is level and points along x to the rod. */
static enum nb_status make_scale(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const double radius = values[RADIUS], y = values[DISTANCE];
    const double length = rod_length * radius, arm = arm_length * radius;
    const double needle[3] = {2 * arm, radius / 10, radius / 10};
    const double pin[3] = {0, y, (NB_PLATE_TOP - NB_PLATE_THICKNESS) * radius}, tip[3] = {0, y, pin[2] - length};
    const double axis[3] = {-arm, y, tip[2]}, centre[3] = {0, y, pin[2] - length / 2};
    const double about_y[4] = {M_SQRT1_2, -M_SQRT1_2, 0, 0}, thin = radius / 20;
    struct nb_shape *shapes = problem->shapes + FIRST_BODY;
    const struct nb_plate_on_spring plate = {radius, y, values[SPRING], NB_PLATE_MASS + rod_mass};
    enum nb_status status = nb_scene_make_scale_plate(problem, PLATE, PLATE_SPRING, &shapes[PLATE],
                                                      &problem->shapes[RIM], &plate, error);
    if (!status)
        status = nb_scene_make_box(problem, NEEDLE, &shapes[NEEDLE], needle, needle_mass, axis, error);
    if (status)
        return status;
    nb_scene_make_capsule(problem, ROD, &shapes[ROD], thin, length / 2 - thin, rod_mass, centre);
    nb_scene_make_joint(problem, PLATE_ROD, NB_JOINT_BALL, ROD, PLATE, pin, NULL);
    nb_scene_make_joint(problem, ROD_NEEDLE, NB_JOINT_BALL, ROD, NEEDLE, tip, NULL);
    nb_scene_make_joint(problem, NEEDLE_AXIS, NB_JOINT_HINGE, NEEDLE, -1, axis, about_y);
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate_on_ground(problem, BODIES, SHAPES, values[FRICTION], error);
    if (!status)
        status = nb_scene_allocate_joints(problem, JOINTS, error);
    for (int i = 0; !status && i < FINGERS; ++i)
        status = make_finger(values, problem, i, error);
    if (!status)
        status = make_scale(values, problem, error);
    return status ? status : make_ball(values, problem, error);
}

/* Where the fingers' frames are at time t, from their start: inwards, along y, up. They close, rise, carry, sink and
 * open again. */
static void way(const struct nb_problem *problem, double t, double *at)
{
    const double closing = nb_problem_parameter(problem, "closing", 0);
    const double moving = nb_problem_parameter(problem, "moving", 0);
    const double radius = nb_problem_parameter(problem, "radius", 0);
    const double height = nb_problem_parameter(problem, "height", 0);
    const double in = nb_problem_parameter(problem, "gap", 0) + nb_problem_parameter(problem, "squeeze", 0);
    const double down = height - (NB_PLATE_TOP + drop) * radius;
    at[0] = in * (nb_scene_share(t, 0, closing) - nb_scene_share(t, closing + 3 * moving, closing));
    at[1] = nb_problem_parameter(problem, "distance", 0) * nb_scene_share(t, closing + moving, moving);
    at[2] = height * nb_scene_share(t, closing, moving) - down * nb_scene_share(t, closing + 2 * moving, moving);
}

static void schedule(struct nb_problem *problem)
{
    const double h = problem->time_step;
    double from[3], to[3];
    way(problem, problem->step * h, from);
    way(problem, (problem->step + 1) * h, to);
    for (int i = 0; i < FINGERS && i < problem->joints.count; ++i)
        for (int k = 0; k < 3; ++k)
            problem->joints.drift[6 * i + k] = (k == 0 && i == 1 ? -1 : 1) * (to[k] - from[k]) / h;
}

/* What the needle shows over the ball's weight. */
static double observe(const struct nb_problem *problem)
{
    if (problem->joints.count < JOINTS || problem->joints.kind[NEEDLE_AXIS] != NB_JOINT_HINGE)
        return NAN; /* some other problem of that name */
    const double radius = nb_problem_parameter(problem, "radius", 0), arm = arm_length * radius;
    const double length = rod_length * radius, angle = nb_joint_coordinate(problem, NEEDLE_AXIS);
    const double across = arm * (1 - cos(angle));
    const double sunk = arm * sin(angle) + length - sqrt(length * length - across * across);
    const double weight = nb_scene_soft_weight(problem);
    return weight > 0 ? nb_problem_parameter(problem, "spring", 0) * sunk / weight : 0;
}

const struct nb_scene nb_scene_tomato = {
    .name = "tomato",
    .title = "Soft ball put onto a scale",
    .source = "Macklin et al. 2019, section 10.1.1, figure 1; fingers on springs for the robot, all sizes ours",
    .observable = "what the scale reads over the ball's weight",
    .observable_unit = "1",
    .parameters =
        {
            [CELLS] = {"cells", 4, 2, 32, 1, "1", "cells across the ball, of five tetrahedra each"},
            [RADIUS] = {"radius", 0.04, 1e-3, 1, 0, "m", "radius of the ball"},
            [MATERIAL] = {"material", 0, 0, 1, 1, "1", "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [YOUNG] = {"young", 1e5, 1e3, 1e12, 0, "Pa", "Young's modulus"},
            [POISSON] = {"poisson", 0.45, 0, 0.499, 0, "1", "Poisson's ratio"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the ball"},
            [FINGER_MASS] = {"finger_mass", 0.1, 1e-6, 1e6, 0, "kg", "mass of a finger"},
            [STIFFNESS] = {"stiffness", 500, 1e-3, 1e12, 0, "N/m", "of the spring that presses a finger"},
            [SQUEEZE] = {"squeeze", 0.015, 0, 1, 0, "m", "by which the fingers' frames go into the ball"},
            [GAP] = {"gap", 0.005, 0, 1, 0, "m", "between a finger and the ball at the start"},
            [CLOSING] = {"closing", 0.4, 1e-3, 100, 0, "s", "time in which the fingers close, and open"},
            [HEIGHT] = {"height", 0.12, 0, 10, 0, "m", "by which they rise"},
            [DISTANCE] = {"distance", 0.25, 0, 10, 0, "m", "to the scale"},
            [MOVING] = {"moving", 0.6, 1e-3, 100, 0, "s", "time to rise, to carry, to sink, each"},
            [SPRING] = {"spring", 500, 1e-3, 1e12, 0, "N/m", "of the scale's spring"},
            [FRICTION] = NB_SCENE_FRICTION(0.75),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .schedule = schedule,
    .observe = observe,
};
