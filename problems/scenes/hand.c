/* A hand of links on joints squeezes a soft ball, carries it to a scale and lets go, and the scale tells its weight
 * (Macklin et al. 2019, figure 3: the Allegro hand with "full coupling between the articulated fingers and the ball's
 * internal dynamics", in table 2 of 21 bodies, 21 joints and 427 tetrahedra; the ball's material and the scale are
 * those of figure 1 and section 10.1.1). The robot's model is not there: all sizes are ours.
 *
 * A palm has a thumb and three fingers, each of five capsules: the knuckle on the palm, three links that flex and a
 * tip fixed to the last one, 21 bodies on 21 joints. Knuckle, first and second link have motors: the joint holds its
 * angle to a set one as a spring k [N m] does, e_z = 2 sin((angle - set)/2) against a torque over k, and the set angle
 * moves as prescribed. The third link is on a hinge with limits, without a motor: it cannot bend back, and what it
 * presses on holds it there. The palm's frame moves as prescribed.
 *
 * The scale is a plate on a spring, wound so that it bears the plate: it reads the spring's stiffness times the way by
 * which the plate has sunk. */
#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_scale.h"

enum { CELLS,
       RADIUS,
       MATERIAL,
       YOUNG,
       POISSON,
       DENSITY,
       LINK_MASS,
       SPREAD,
       STIFFNESS,
       FLEXION,
       CLOSING,
       HEIGHT,
       DISTANCE,
       MOVING,
       SPRING,
       FRICTION,
       TIME_STEP,
       GRAVITY,
       MARGIN };
enum { FINGERS = 4,
       LINKS = 5,
       PALM = 0,
       PLATE = 1 + FINGERS * LINKS,
       BODIES };
enum { GROUND,
       FIRST_BODY,
       BALL = FIRST_BODY + BODIES,
       RIM,
       SHAPES = RIM + NB_PLATE_SHAPES - 1 };
enum { KNUCKLE,
       FIRST_FLEXED,
       SECOND_FLEXED,
       HINGED,
       TIP };

static const double degree = M_PI / 180;

/* Of the ball's radius, from its centre: the palm's radius, height and half thickness, the links' lengths and radius,
 * and how far above the plate the hand lets go. */
static const double palm_radius = 0.5, palm_height = 2.1, palm_half = 0.15, drop = 0.05, link_radius = 0.18;
static const double length_of[LINKS] = {0.4, 1.3, 0.75, 0.45, 0.3};

/* Of the open hand: from downwards to inwards [degrees]; and how far a hinge may flex. */
static const double inclination_of[LINKS] = {-90, -20, -5, 10, 10};
static const double hinge_flexes = 90;

/* Turns z of a capsule to y, along which a link is; y to z. */
static const double along_y[4] = {M_SQRT1_2, -M_SQRT1_2, 0, 0}, back_from_y[4] = {M_SQRT1_2, M_SQRT1_2, 0, 0};

static int body_of(int finger, int link)
{
    return 1 + LINKS * finger + link; /* and the joint to what it hangs on */
}

static enum nb_status check(const double *values, struct nb_error *error)
{
    const double radius = values[RADIUS], least = (NB_PLATE_TOP + 2 * drop) * radius;
    if (values[HEIGHT] < least)
        return nb_fail(error, NB_BAD_INPUT, "hand: height = %g m must be at least %g m to pass the plate",
                       values[HEIGHT], least);
    if (values[DISTANCE] < 4 * radius)
        return nb_fail(error, NB_BAD_INPUT, "hand: distance = %g m must be at least 4 radius = %g m", values[DISTANCE],
                       4 * radius);
    const double weight = 4 * M_PI / 3 * radius * radius * radius * values[DENSITY] * values[GRAVITY];
    const double room = (NB_PLATE_TOP - NB_PLATE_THICKNESS) * radius;
    if (weight > values[SPRING] * room / 2)
        return nb_fail(error, NB_BAD_INPUT, "hand: spring = %g N/m must be at least %g N/m for a ball of %g N",
                       values[SPRING], 2 * weight / room, weight);
    return NB_OK;
}

/* Turns by that angle about z. */
static void turn_about_z(double angle, double *turn)
{
    turn[0] = cos(angle / 2);
    turn[1] = turn[2] = 0;
    turn[3] = sin(angle / 2);
}

/* The frame of a finger's joints: x outwards, y down, z such that a turn about it flexes. */
static void finger_frame(const double *values, int finger, double *outwards, double *frame)
{
    const double azimuth = finger == 0 ? M_PI : (finger - 2) * values[SPREAD] * degree;
    double turn[4];
    outwards[0] = cos(azimuth);
    outwards[1] = sin(azimuth);
    outwards[2] = 0;
    turn_about_z(azimuth, turn);
    nb_quaternion_product(turn, along_y, frame);
}

/* Of a motor's joint: side b's frame in the body that it is on, of that inclination, with the set angle. */
static void set_motor(struct nb_problem *problem, int joint, double inclination, double angle)
{
    double turn[4];
    turn_about_z(angle - inclination, turn);
    nb_quaternion_product(back_from_y, turn, problem->joints.orientation + 8 * joint + 4);
}

static void join(const double *values, struct nb_problem *problem, int finger, int link, const double *at,
                 const double *frame)
{
    const int joint = body_of(finger, link), parent = link ? joint - 1 : PALM;
    const int is_motor = link == KNUCKLE || link == FIRST_FLEXED || link == SECOND_FLEXED;
    nb_scene_make_joint(problem, joint, link == HINGED ? NB_JOINT_HINGE : NB_JOINT_FIXED, joint, parent, at,
                        link == KNUCKLE ? NULL : frame);
    if (is_motor)
        problem->joints.compliance[NB_JOINT_ROWS * joint + 5] = 1 / values[STIFFNESS];
    if (link == HINGED)
        nb_scene_limit_joint(problem, joint, 0, hinge_flexes * degree);
}

static void make_finger(const double *values, struct nb_problem *problem, int finger)
{
    const double radius = values[RADIUS];
    double outwards[3], frame[4];
    finger_frame(values, finger, outwards, frame);
    double at[3] = {palm_radius * radius * outwards[0], palm_radius * radius * outwards[1], (1 + palm_height) * radius};
    for (int link = 0; link < LINKS; ++link) {
        const int body = body_of(finger, link);
        const double angle = inclination_of[link] * degree, length = length_of[link] * radius;
        const double along[3] = {-sin(angle) * outwards[0], -sin(angle) * outwards[1], -cos(angle)};
        double centre[3], turn[4], leant[4];
        for (int k = 0; k < 3; ++k)
            centre[k] = at[k] + length / 2 * along[k];
        nb_scene_make_capsule(problem, body, &problem->shapes[FIRST_BODY + body], link_radius * radius, length / 2,
                              values[LINK_MASS], centre);
        turn_about_z(angle, turn);
        nb_quaternion_product(turn, along_y, leant);
        nb_quaternion_product(frame, leant, problem->bodies.orientation + 4 * body);
        join(values, problem, finger, link, at, frame);
        for (int k = 0; k < 3; ++k)
            at[k] += length * along[k];
    }
}

static enum nb_status make_hand(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const double radius = values[RADIUS], centre[3] = {0, 0, (1 + palm_height) * radius};
    struct nb_shape *shape = &problem->shapes[FIRST_BODY + PALM];
    const enum nb_status status = nb_shape_cylinder(shape, palm_radius * radius, 2 * palm_half * radius, 12, 0, error);
    if (status)
        return status;
    nb_scene_make_convex(problem, PALM, shape, LINKS * values[LINK_MASS], centre);
    nb_scene_make_joint(problem, PALM, NB_JOINT_FIXED, PALM, -1, centre, NULL);
    for (int finger = 0; finger < FINGERS; ++finger)
        make_finger(values, problem, finger);
    return NB_OK;
}

static enum nb_status make_ball(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int cells = (int)values[CELLS];
    const struct nb_elastic elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                                       values[YOUNG], values[POISSON], values[DENSITY]};
    return nb_scene_make_ball(problem, &problem->shapes[BALL], (const int[]){cells, cells + 1, cells}, values[RADIUS],
                              &elastic, error);
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_plate_on_spring plate = {values[RADIUS], values[DISTANCE], values[SPRING], NB_PLATE_MASS};
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate_on_ground(problem, BODIES, SHAPES, values[FRICTION], error);
    if (!status)
        status = nb_scene_allocate_joints(problem, BODIES, error);
    if (!status)
        status = make_hand(values, problem, error);
    if (!status)
        status = nb_scene_make_scale_plate(problem, PLATE, PLATE, &problem->shapes[FIRST_BODY + PLATE],
                                           &problem->shapes[RIM], &plate, error);
    return status ? status : make_ball(values, problem, error);
}

/* Where the palm's frame is at time t, from its start, along y and up, and what share of the flexion is set. The hand
 * closes, rises, is carried, sinks, opens and rises again. */
static double way(const struct nb_problem *problem, double t, double *at)
{
    const double closing = nb_problem_parameter(problem, "closing", 0);
    const double moving = nb_problem_parameter(problem, "moving", 0);
    const double height = nb_problem_parameter(problem, "height", 0);
    const double down = height - (NB_PLATE_TOP + drop) * nb_problem_parameter(problem, "radius", 0);
    const double opens = closing + 3 * moving;
    at[0] = nb_problem_parameter(problem, "distance", 0) * nb_scene_share(t, closing + moving, moving);
    at[1] = height * nb_scene_share(t, closing, moving) - down * nb_scene_share(t, closing + 2 * moving, moving) +
            down * nb_scene_share(t, opens + closing, moving);
    return nb_scene_share(t, 0, closing) - nb_scene_share(t, opens, closing);
}

static int is_its_own(const struct nb_problem *problem)
{
    return problem->bodies.count == BODIES && problem->joints.count == BODIES;
}

static void schedule(struct nb_problem *problem)
{
    const double h = problem->time_step, flexion = nb_problem_parameter(problem, "flexion", 0) * degree;
    double from[2], to[2];
    if (!is_its_own(problem))
        return;
    way(problem, problem->step * h, from);
    const double share = way(problem, (problem->step + 1) * h, to);
    for (int k = 0; k < 2; ++k)
        problem->joints.drift[6 * PALM + 1 + k] = (to[k] - from[k]) / h;
    for (int finger = 0; finger < FINGERS; ++finger)
        for (int link = FIRST_FLEXED; link <= SECOND_FLEXED; ++link)
            set_motor(problem, body_of(finger, link), inclination_of[link - 1] * degree, share * flexion);
}

/* What the scale reads over the ball's weight. */
static double observe(const struct nb_problem *problem)
{
    const double weight = nb_scene_soft_weight(problem), radius = nb_problem_parameter(problem, "radius", 0);
    if (!is_its_own(problem))
        return NAN; /* some other problem of that name */
    const double force = nb_problem_parameter(problem, "spring", 0) * nb_scene_plate_sunk(problem, PLATE, radius);
    return weight > 0 ? force / weight : 0;
}

const struct nb_scene nb_scene_hand = {
    .name = "hand",
    .title = "Hand puts a soft ball onto a scale",
    .source = "Macklin et al. 2019, figures 1 and 3, section 10.1.1; the hand's model and all sizes ours",
    .observable = "what the scale reads over the ball's weight",
    .observable_unit = "1",
    .parameters =
        {
            [CELLS] = {"cells", 4, 2, 32, 1, "1", "cells across the ball, one more along y, of five tetrahedra each"},
            [RADIUS] = {"radius", 0.04, 1e-3, 1, 0, "m", "radius of the ball"},
            [MATERIAL] = {"material", 0, 0, 1, 1, "1", "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [YOUNG] = {"young", 1e5, 1e3, 1e12, 0, "Pa", "Young's modulus"},
            [POISSON] = {"poisson", 0.45, 0, 0.499, 0, "1", "Poisson's ratio"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the ball"},
            [LINK_MASS] = {"link_mass", 0.03, 1e-6, 1e6, 0, "kg", "mass of a link; the palm has five times as much"},
            [SPREAD] = {"spread", 60, 40, 90, 0, "degrees", "from one finger to the next, the thumb opposite"},
            [STIFFNESS] = {"stiffness", 2, 1e-6, 1e12, 0, "N m", "of the springs by which motors hold angles"},
            [FLEXION] = {"flexion", 10, 0, 30, 0, "degrees", "by which either motor of a finger closes"},
            [CLOSING] = {"closing", 0.4, 1e-3, 100, 0, "s", "time in which the hand closes, and opens"},
            [HEIGHT] = {"height", 0.12, 0, 10, 0, "m", "by which it rises"},
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
