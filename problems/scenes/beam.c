/* A flexible beam pushed into a slot (Macklin et al. 2019, section 10.1.2, figures 7 and 16): links
 * of 0.003 kg on fixed joints whose rotational rows have the compliance 1/(250 N m). The paper's
 * beam is held by a robot; here a carriage, a joint to the world with prescribed motion, pushes its
 * last link along x.
 *
 * The slot is made of four walls with slanted mouths around the x axis, from x = 0 on. It is higher
 * than the carriage by an offset, so that the beam has to bend. Sizes, speed, slot and friction are
 * not printed and ours: links of 25 x 10 x 10 mm have the density 1200 kg/m^3, and 132 steps push
 * the beam in to its last link. There the carriage stops: pushed on, its own link, which it holds below the slot, would
 * have to go through the wall. */
#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum {
    COUNT, MASS, LENGTH, SIDE, STIFFNESS, SPEED, CLEARANCE, OFFSET, FRICTION, TIME_STEP, GRAVITY,
    MARGIN
};
enum { WALLS = 4 };

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[LENGTH] <= values[MARGIN])
        return nb_fail(error, NB_BAD_INPUT,
                       "beam: length = %g m must be above margin = %g m, or links touch that are not "
                       "neighbours", values[LENGTH], values[MARGIN]);
    if (fabs(values[OFFSET]) >= values[CLEARANCE] + values[SIDE])
        return nb_fail(error, NB_BAD_INPUT,
                       "beam: offset = %g m must be within -%g to %g m (clearance + side), or the "
                       "tip misses the mouth", values[OFFSET], values[CLEARANCE] + values[SIDE],
                       values[CLEARANCE] + values[SIDE]);
    return NB_OK;
}

/* Wall k is the floor of the slot turned about x by k quarter turns. Its mouth recedes by one side
 * over two sides of length. */
static enum nb_status make_wall(struct nb_shape *shape, const double *values, int k,
                                struct nb_error *error)
{
    const double half = values[SIDE] / 2 + values[CLEARANCE], depth = values[SIDE];
    const double end = (values[COUNT] + 2) * values[LENGTH];
    const double corners[8] = {0, -half - depth, end, -half - depth, end, -half,
                               2 * depth, -half};
    const double angle = k * M_PI / 4; /* half of the quarter turns */
    const double orientation[4] = {cos(angle), sin(angle), 0, 0};
    memcpy(shape->orientation, orientation, sizeof orientation);
    shape->position[2] = values[OFFSET];
    shape->friction = values[FRICTION];
    return nb_shape_prism(shape, corners, 2 * (half + depth), 0, error);
}

/* Link 0 is the carriage's; the tip of the last one is a margin before the mouth. */
static enum nb_status make_link(struct nb_problem *problem, const double *values, int i,
                                struct nb_error *error)
{
    const double sides[3] = {values[LENGTH], values[SIDE], values[SIDE]};
    const double centre[3] = {
        -values[MARGIN] - (values[COUNT] - i - 0.5) * values[LENGTH], 0, 0};
    const double anchor[3] = {centre[0] - values[LENGTH] / 2, 0, 0};
    problem->shapes[WALLS + i].friction = values[FRICTION];
    const enum nb_status status = nb_scene_make_box(problem, i, &problem->shapes[WALLS + i], sides,
                                                    values[MASS], centre, error);
    nb_scene_make_joint(problem, i, NB_JOINT_FIXED, i, i - 1, anchor, NULL);
    for (int k = 3; i > 0 && k < NB_JOINT_ROWS; ++k)
        problem->joints.compliance[NB_JOINT_ROWS * i + k] = 1 / values[STIFFNESS];
    problem->bodies.velocity[6 * i] = values[SPEED];
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, count, WALLS + count, error);
    if (!status)
        status = nb_scene_allocate_joints(problem, count, error);
    if (status)
        return status;
    for (int k = 0; !status && k < WALLS; ++k)
        status = make_wall(&problem->shapes[k], values, k, error);
    for (int i = 0; !status && i < count; ++i)
        status = make_link(problem, values, i, error);
    return status;
}

/* The carriage's link goes in by its side at most, half of the mouth. */
static void schedule(struct nb_problem *problem)
{
    const double length = nb_problem_parameter(problem, "length", 0), side = nb_problem_parameter(problem, "side", 0);
    const double speed = nb_problem_parameter(problem, "speed", 0), end = (problem->step + 1) * problem->time_step;
    const double way = nb_problem_parameter(problem, "margin", 0) + (problem->joints.count - 1) * length + side;
    if (problem->joints.count > 0)
        problem->joints.drift[0] = speed * end <= way ? speed : 0;
}

/* The tip's distance behind the mouth. */
static double observe(const struct nb_problem *problem)
{
    const struct nb_bodies *bodies = &problem->bodies;
    const int last = bodies->count - 1;
    double rotation[9];
    if (last < 0 || problem->shape_count <= WALLS + last || problem->shapes[WALLS + last].vertex_count == 0)
        return NAN; /* some other problem of that name */
    nb_quaternion_matrix(bodies->orientation + 4 * last, rotation);
    return bodies->position[3 * last] - rotation[0] * problem->shapes[WALLS + last].vertex[0];
}

const struct nb_scene nb_scene_beam = {
    .name = "beam",
    .title = "Flexible beam insertion",
    .source = "Macklin et al. 2019, section 10.1.2, figures 7 and 16; a prescribed carriage for the "
              "robot, sizes and slot ours",
    .observable = "depth of the tip in the slot",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 16, 1, 1000, 1, "1", "links"},
            [MASS] = {"mass", 0.003, 1e-6, 1000, 0, "kg", "mass of a link"},
            [LENGTH] = {"length", 0.025, 1e-3, 10, 0, "m", "length of a link"},
            [SIDE] = {"side", 0.01, 1e-4, 10, 0, "m", "side of a link's square section"},
            [STIFFNESS] = {"stiffness", 250, 1e-6, 1e12, 0, "N m", "rotational, of each joint"},
            [SPEED] = {"speed", 0.36, 0, 100, 0, "m/s", "speed of the carriage"},
            [CLEARANCE] = {"clearance", 0.002, 0, 1, 0, "m", "between the beam and each wall"},
            [OFFSET] = {"offset", 0.004, -10, 10, 0, "m", "height of the slot above the carriage"},
            [FRICTION] = NB_SCENE_FRICTION(0.3),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .schedule = schedule,
    .observe = observe,
};
