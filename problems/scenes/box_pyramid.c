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
        status = nb_scene_allocate_on_ground(problem, count, count + 1, values[FRICTION], error);
    if (status)
        return status;
    for (int row = 0, body = 0; row < rows; ++row)
        for (int k = 0; !status && k < rows - row; ++k, ++body) {
            const double centre[3] = {(k - (rows - row - 1) / 2.0) * pitch, 0,
                                      (row + 0.5) * sides[2]};
            struct nb_shape *shape = &problem->shapes[body + 1];
            status = nb_scene_make_box(problem, body, shape, sides, mass, centre, error);
        }
    return status;
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
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
