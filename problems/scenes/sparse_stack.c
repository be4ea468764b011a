/* Identical boxes in one column: the lowest carries the weight of all others, and all normals are
 * parallel (Silcowitz et al. 2009, section 4, "sparse structure", figure 5b). */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT, SIDE, HEIGHT, DENSITY, FRICTION, GAP, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    const double sides[3] = {values[SIDE], values[SIDE], values[HEIGHT]};
    const double mass = values[DENSITY] * sides[0] * sides[1] * sides[2];
    enum nb_status status = nb_scene_allocate_on_ground(problem, count, count + 1, values[FRICTION], error);
    if (status)
        return status;
    for (int i = 0; !status && i < count; ++i) {
        const double z = (i + 1) * values[GAP] + (i + 0.5) * sides[2], centre[3] = {0, 0, z};
        status = nb_scene_make_box(problem, i, &problem->shapes[i + 1], sides, mass, centre, error);
    }
    return status;
}

const struct nb_scene nb_scene_sparse_stack = {
    .name = "sparse_stack",
    .title = "Column of equal boxes",
    .source = "Silcowitz, Niebe and Erleben 2009, section 4, figure 5b",
    .observable = "height of the top box's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 10, 1, 10000, 1, "1", "boxes"},
            [SIDE] = {"side", 0.5, 1e-2, 100, 0, "m", "width and depth of a box"},
            [HEIGHT] = {"height", 0.5, 1e-2, 100, 0, "m", "height of a box"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the boxes"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [GAP] = {"gap", 0, 0, 1, 0, "m", "initial gap below each box"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
