/* Squared logs slide down a ravine whose ground has structure (Macklin 2020, thesis, section 3.4, figures 6 to 8:
 * hundreds of logs are steered towards a cube-shaped building, or around it; no numbers are printed, all are ours).
 *
 * The slope's frame has x downhill, y across and z up from it. Two planes, each tilted by `flank` about x, meet at
 * y = 0. The structure of either is turned from x by `steer`, towards the middle or, negative, away from it. With
 * little friction along and much across a log slides along the structure, and its force of friction is not against its
 * motion. Where across = along, `steer` changes nothing. */
#include <math.h>
#include <string.h>

#include "problems/base/random.h"
#include "problems/base/rotation.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum {
    COUNT,
    STEER,
    ALONG,
    ACROSS,
    SLOPE,
    FLANK,
    LENGTH,
    THICKNESS,
    DENSITY,
    FRICTION,
    BUILDING,
    WAY,
    JITTER,
    SEED,
    TIME_STEP,
    GRAVITY,
    MARGIN
};
enum { FLANKS = 2,
       HOUSE = FLANKS,
       LOGS };

static const double degree = M_PI / 180;

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[ACROSS] < values[ALONG] / NB_ANISOTROPY || values[ACROSS] > values[ALONG] * NB_ANISOTROPY)
        return nb_fail(error, NB_BAD_INPUT, "log_slide: across = %g, allowed: along/%g to %g along", values[ACROSS],
                       NB_ANISOTROPY, NB_ANISOTROPY);
    if (values[THICKNESS] > values[LENGTH])
        return nb_fail(error, NB_BAD_INPUT, "log_slide: thickness = %g m must be at most length = %g m",
                       values[THICKNESS], values[LENGTH]);
    const double reach = values[LENGTH] * (0.5 + values[JITTER]); /* of the lowest row, at most */
    if (values[WAY] < reach)
        return nb_fail(error, NB_BAD_INPUT,
                       "log_slide: way = %g m is less than (1/2 + jitter) length = %g m: the lowest row would begin in "
                       "the building; allowed: %g to 10000 m",
                       values[WAY], reach, reach);
    return NB_OK;
}

/* The slope's frame, turned about its x by that angle. */
static void orient(const double *values, double about_x, double *orientation)
{
    const double half = values[SLOPE] * degree / 2, slope[4] = {cos(half), 0, sin(half), 0};
    const double flank[4] = {cos(about_x / 2), sin(about_x / 2), 0, 0};
    nb_quaternion_product(slope, flank, orientation);
}

/* From the slope's frame to the world. */
static void place(const double *values, const double *in_slope, double *out)
{
    double orientation[4], rotation[9];
    orient(values, 0, orientation);
    nb_quaternion_matrix(orientation, rotation);
    nb_rotate(rotation, in_slope, out);
}

/* side: 1 where y > 0, and its middle is towards -y. */
static void make_flank(const double *values, struct nb_shape *shape, double side)
{
    shape->kind = NB_SHAPE_PLANE;
    orient(values, side * values[FLANK] * degree, shape->orientation);
    shape->friction = values[ALONG];
    shape->structure[0] = cos(values[STEER] * degree);
    shape->structure[1] = -side * sin(values[STEER] * degree);
    shape->across = values[ACROSS];
}

/* Fixed to the world, its middle at the height of the ground. */
static enum nb_status make_building(const double *values, struct nb_shape *shape, struct nb_error *error)
{
    const double side = values[BUILDING], sides[3] = {side, side, 2 * side}, middle[3] = {values[WAY] + side / 2, 0, 0};
    place(values, middle, shape->position);
    orient(values, 0, shape->orientation);
    shape->friction = values[FRICTION];
    return nb_shape_box(shape, sides, error);
}

/* In rows of about as many logs as there are rows, half of them on either flank, none above the valley. */
static enum nb_status make_log(const double *values, struct nb_problem *problem, int i, uint64_t *chance,
                               struct nb_error *error)
{
    const int row_of = 2 * (int)ceil(sqrt(values[COUNT]) / 2), row = i / row_of, column = i % row_of;
    const double thickness = values[THICKNESS], sides[3] = {values[LENGTH], thickness, thickness};
    const double side = 2 * column < row_of ? -1 : 1, flank = side * values[FLANK] * degree;
    const double shift = values[JITTER] * nb_random_signed(chance), back = values[JITTER] * nb_random_signed(chance);
    const double across = thickness * (3 * (column - (row_of - 1) / 2.0) + shift);
    const double along = values[LENGTH] * (back - 1.5 * row);
    const double up = thickness / 2 + 1e-3 * thickness;
    const double in_slope[3] = {along, across * cos(flank) - up * sin(flank), across * sin(flank) + up * cos(flank)};
    double centre[3];
    place(values, in_slope, centre);
    orient(values, flank, problem->bodies.orientation + 4 * i);
    problem->shapes[LOGS + i].friction = values[FRICTION];
    return nb_scene_make_box(problem, i, &problem->shapes[LOGS + i], sides,
                             values[DENSITY] * values[LENGTH] * thickness * thickness, centre, error);
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int logs = (int)values[COUNT];
    uint64_t chance = (uint64_t)values[SEED];
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, logs, LOGS + logs, error);
    if (status)
        return status;
    make_flank(values, &problem->shapes[0], -1);
    make_flank(values, &problem->shapes[1], 1);
    status = make_building(values, &problem->shapes[HOUSE], error);
    for (int i = 0; !status && i < logs; ++i)
        status = make_log(values, problem, i, &chance, error);
    return status;
}

/* The mean distance of the logs from the middle of the ravine. */
static double observe(const struct nb_problem *problem)
{
    double sum = 0;
    for (int i = 0; i < problem->bodies.count; ++i)
        sum += fabs(problem->bodies.position[3 * i + 1]);
    return sum / problem->bodies.count;
}

const struct nb_scene nb_scene_log_slide = {
    .name = "log_slide",
    .title = "Logs steered by the ground's structure",
    .source = "Erleben et al. 2020, The Matchstick Model; Macklin 2020 (thesis), figures 6 to 8; numbers ours",
    .observable = "mean distance of the logs from the middle",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 36, 1, 10000, 1, "1", "logs"},
            [STEER] = {"steer", 20, -80, 80, 0, "degrees", "of the structure from downhill, towards the middle"},
            [ALONG] = {"along", 0.2, 1e-3, 10, 0, "1", "friction of the ground along its structure"},
            [ACROSS] = {"across", 0.8, 1e-6, 100, 0, "1", "friction of the ground across it"},
            [SLOPE] = {"slope", 30, 0, 80, 0, "degrees", "of the ravine"},
            [FLANK] = {"flank", 2, 0.1, 45, 0, "degrees", "by which either side is tilted towards the middle"},
            [LENGTH] = {"length", 1, 1e-2, 100, 0, "m", "length of a log"},
            [THICKNESS] = {"thickness", 0.2, 1e-3, 10, 0, "m", "of a log, which is square"},
            [DENSITY] = {"density", 600, 1, 1e5, 0, "kg/m^3", "density of the logs"},
            [FRICTION] = {"friction", 0.2, 0, 10, 0, "1", "of logs with one another and the building"},
            [BUILDING] = {"building", 1, 1e-2, 100, 0, "m", "side of the building, twice as high"},
            [WAY] = {"way", 8, 0.1, 1e4, 0, "m", "from the lowest row of logs down to it"},
            [JITTER] = {"jitter", 0.1, 0, 0.2, 0, "1", "largest shift by chance over a log's sides"},
            [SEED] = {"seed", 1, 0, 1e9, 1, "1", "of the shifts"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
