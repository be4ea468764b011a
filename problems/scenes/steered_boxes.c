/* Boxes slide down a slope whose ground has a field of structure (Macklin 2020, thesis, section 3.4, figure 6:
 * channelling, spreading and slaloming; no numbers are printed, all are ours).
 *
 * The slope's frame has x downhill and y across. Structure is turned from x by
 *
 *     channel   -steer y/width,      spread   steer y/width,      slalom   steer sin(2 pi x/wave),
 *
 * y within -width to width: a map at the nodes of a grid, so fine that a wave has 64 nodes. With little friction along
 * structure and much across it a box slides along it; where both are equal the field changes nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum {
    PATTERN,
    COUNT,
    STEER,
    ALONG,
    ACROSS,
    SLOPE,
    SPEED,
    SPACING,
    WIDTH,
    WAVE,
    REACH,
    SIDE,
    MASS,
    FRICTION,
    TIME_STEP,
    GRAVITY,
    MARGIN
};
enum { CHANNEL,
       SPREAD,
       SLALOM };
enum { NODES_OF_A_WAVE = 64,
       NODES_ACROSS = 3 };

static const double degree = M_PI / 180;

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[ACROSS] < values[ALONG] / NB_ANISOTROPY || values[ACROSS] > values[ALONG] * NB_ANISOTROPY)
        return nb_fail(error, NB_BAD_INPUT, "steered_boxes: across = %g, allowed: along/%g to %g along", values[ACROSS],
                       NB_ANISOTROPY, NB_ANISOTROPY);
    if (values[SPACING] < 1.5 * values[SIDE])
        return nb_fail(error, NB_BAD_INPUT, "steered_boxes: spacing = %g m, allowed: 1.5 side = %g to 1000 m",
                       values[SPACING], 1.5 * values[SIDE]);
    const double nodes = NODES_OF_A_WAVE * values[REACH] / values[WAVE];
    if (nodes < 1 || nodes > NB_MAP_NODES - 1)
        return nb_fail(error, NB_BAD_INPUT, "steered_boxes: reach = %g m, allowed: wave/%d to %g wave", values[REACH],
                       NODES_OF_A_WAVE, (NB_MAP_NODES - 1.0) / NODES_OF_A_WAVE);
    return NB_OK;
}

static double angle_at(const double *values, double x, double y)
{
    const double steer = values[STEER] * degree;
    if (values[PATTERN] == SLALOM)
        return steer * sin(2 * M_PI * x / values[WAVE]);
    return (values[PATTERN] == SPREAD ? steer : -steer) * y / values[WIDTH];
}

static enum nb_status make_map(const double *values, struct nb_structure_map *map, struct nb_error *error)
{
    map->nodes[0] = (int)ceil(NODES_OF_A_WAVE * values[REACH] / values[WAVE]) + 1;
    map->nodes[1] = NODES_ACROSS;
    map->spacing[0] = values[WAVE] / NODES_OF_A_WAVE;
    map->spacing[1] = 2 * values[WIDTH] / (NODES_ACROSS - 1);
    map->corner[1] = -values[WIDTH];
    map->angle = malloc(nb_structure_map_nodes(map) * sizeof *map->angle);
    if (!map->angle)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a map of %d nodes", map->nodes[0]);
    for (int j = 0; j < map->nodes[1]; ++j)
        for (int i = 0; i < map->nodes[0]; ++i)
            map->angle[j * map->nodes[0] + i] = angle_at(values, map->corner[0] + i * map->spacing[0],
                                                         map->corner[1] + j * map->spacing[1]);
    return NB_OK;
}

static enum nb_status make_ground(const double *values, const double *orientation, struct nb_shape *shape,
                                  struct nb_error *error)
{
    shape->kind = NB_SHAPE_PLANE;
    memcpy(shape->orientation, orientation, sizeof shape->orientation);
    shape->friction = values[ALONG];
    shape->structure[0] = 1;
    shape->across = values[ACROSS];
    return make_map(values, &shape->map, error);
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int count = (int)values[COUNT];
    const double half = values[SLOPE] * degree / 2, orientation[4] = {cos(half), 0, sin(half), 0};
    const double side = values[SIDE], sides[3] = {side, side, side / 2}, downhill[3] = {values[SPEED], 0, 0};
    double rotation[9], centre[3];
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, count, count + 1, error);
    if (!status)
        status = make_ground(values, orientation, &problem->shapes[0], error);
    nb_quaternion_matrix(orientation, rotation);
    for (int i = 0; !status && i < count; ++i) {
        const double in_slope[3] = {0, values[SPACING] * (i - (count - 1) / 2.0), side / 4};
        nb_rotate(rotation, in_slope, centre);
        problem->shapes[i + 1].friction = values[FRICTION];
        status = nb_scene_make_box(problem, i, &problem->shapes[i + 1], sides, values[MASS], centre, error);
        memcpy(problem->bodies.orientation + 4 * i, orientation, sizeof orientation);
        nb_rotate(rotation, downhill, problem->bodies.velocity + 6 * i);
    }
    return status;
}

/* Where the outermost box on the left is, across the slope. */
static double observe(const struct nb_problem *problem)
{
    return problem->bodies.position[3 * (problem->bodies.count - 1) + 1];
}

const struct nb_scene nb_scene_steered_boxes = {
    .name = "steered_boxes",
    .title = "Boxes steered by a field of structure",
    .source = "Erleben et al. 2020, The Matchstick Model; Macklin 2020 (thesis), figure 6; numbers ours",
    .observable = "distance of the leftmost box from the middle",
    .observable_unit = "m",
    .parameters =
        {
            [PATTERN] = {"pattern", SLALOM, CHANNEL, SLALOM, 1, "1", "0: channel, 1: spread, 2: slalom"},
            [COUNT] = {"count", 5, 1, 10000, 1, "1", "boxes, side by side across the slope"},
            [STEER] = {"steer", 40, -80, 80, 0, "degrees", "largest turn of structure from downhill"},
            [ALONG] = {"along", 0.1, 1e-3, 10, 0, "1", "friction of the ground along its structure"},
            [ACROSS] = {"across", 0.8, 1e-6, 100, 0, "1", "friction of the ground across it"},
            [SLOPE] = {"slope", 20, 0, 80, 0, "degrees", "of the ground"},
            [SPEED] = {"speed", 2, 0, 1000, 0, "m/s", "initial speed downhill"},
            [SPACING] = {"spacing", 0.5, 1e-2, 1e3, 0, "m", "distance of neighbours"},
            [WIDTH] = {"width", 1, 1e-2, 1e4, 0, "m", "from the middle to where structure is turned most"},
            [WAVE] = {"wave", 4, 0.1, 1e4, 0, "m", "length of a wave of the slalom"},
            [REACH] = {"reach", 40, 0.1, 1e5, 0, "m", "of the field downhill, beyond which it is as at its end"},
            [SIDE] = {"side", 0.2, 1e-3, 100, 0, "m", "side of a box, which is half as high"},
            [MASS] = {"mass", 5, 1e-3, 1e6, 0, "kg", "mass of a box"},
            [FRICTION] = {"friction", 0.1, 0, 10, 0, "1", "of the boxes, which have no structure"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
