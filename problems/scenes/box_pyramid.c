/* A pyramid of equal boxes, each standing on two (Silcowitz et al. 2009, figures 1d and 3).
 *
 * Rows of n, n - 1, ..., 1 boxes; four contacts under a box on the ground and four on each of the
 * two boxes under any other, 4 n + 4 n (n - 1) in all: 100 for five rows, where the paper, which
 * prints no sizes, counts 103. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { ROWS, SIDE, DEPTH, SPACING, DENSITY, FRICTION, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[SPACING] > 0.8 * values[SIDE])
        return nb_fail(error, NB_BAD_INPUT,
                       "box_pyramid: spacing = %g m is more than 0.8 of the side, %g m: a box "
                       "would fall between two others", values[SPACING], values[SIDE]);
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int rows = (int)values[ROWS], count = rows * (rows + 1) / 2;
    const double sides[3] = {values[SIDE], values[DEPTH], values[SIDE]};
    const double mass = values[DENSITY] * sides[0] * sides[1] * sides[2];
    const double pitch = values[SIDE] + values[SPACING];
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, count, count + 1, error);
    if (status)
        return status;
    problem->time_step = values[TIME_STEP];
    problem->gravity[2] = -values[GRAVITY];
    problem->shapes[0].kind = NB_SHAPE_PLANE;
    problem->shapes[0].friction = values[FRICTION];
    for (int row = 0, body = 0; row < rows; ++row)
        for (int k = 0; !status && k < rows - row; ++k, ++body) {
            const double centre[3] = {(k - (rows - row - 1) / 2.0) * pitch, 0,
                                      (row + 0.5) * sides[2]};
            struct nb_shape *shape = &problem->shapes[body + 1];
            shape->friction = values[FRICTION];
            status = nb_scene_make_box(problem, body, shape, sides, mass, centre, error);
        }
    return status;
}

static double observe(const struct nb_problem *problem)
{
    return problem->bodies.position[3 * (problem->bodies.count - 1) + 2];
}

const struct nb_scene nb_scene_box_pyramid = {
    .name = "box_pyramid",
    .title = "Pyramid of boxes",
    .source = "Silcowitz, Niebe and Erleben 2009, figures 1d and 3",
    .observable = "height of the top box's centre",
    .observable_unit = "m",
    .parameters =
        {
            [ROWS] = {"rows", 5, 1, 500, 1, "1", "rows; the lowest has as many boxes"},
            [SIDE] = {"side", 0.5, 5e-2, 100, 0, "m", "width and height of a box"},
            [DEPTH] = {"depth", 0.5, 5e-2, 100, 0, "m", "depth of a box"},
            [SPACING] = {"spacing", 0.1, 0, 100, 0, "m", "gap between the boxes of a row"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the boxes"},
            [FRICTION] = {"friction", 0.5, 0, 10, 0, "1", "friction coefficient of all surfaces"},
            [TIME_STEP] = {"time_step", 0.0083, 1e-6, 0.1, 0, "s", "time step"},
            [GRAVITY] = {"gravity", 9.81, 0, 1000, 0, "m/s^2", "gravity, downwards"},
            [MARGIN] = {"margin", 0.01, 0, 1, 0, "m", "largest gap that makes a contact"},
        },
    .build = build,
    .observe = observe,
};
