/* Boxes side by side on the ground, or dropped on it: at rest each carries its weight on four equal
 * contacts; before it lands it falls freely. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT, MASS, SIDE, GAP, FRICTION, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    const double side = values[SIDE], sides[3] = {side, side, side};
    enum nb_status status = nb_scene_allocate_on_ground(problem, count, count + 1, values[FRICTION], error);
    if (status)
        return status;
    for (int i = 0; !status && i < count; ++i) {
        struct nb_shape *shape = &problem->shapes[i + 1];
        const double centre[3] = {(2 * side + values[MARGIN]) * i, 0, values[GAP] + side / 2};
        status = nb_scene_make_box(problem, i, shape, sides, values[MASS], centre, error);
    }
    return status;
}

static double observe(const struct nb_problem *problem)
{
    return problem->bodies.position[2];
}

const struct nb_scene nb_scene_box_on_plane = {
    .name = "box_on_plane",
    .title = "Boxes on a plane",
    .source = "analytic: free fall, then weight = sum of the normal forces",
    .observable = "height of the first box's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 1, 1, 100000, 1, "1", "boxes, side by side and apart"},
            [MASS] = {"mass", 10, 1e-3, 1e6, 0, "kg", "mass of a box"},
            [SIDE] = {"side", 0.5, 1e-3, 100, 0, "m", "side of a box"},
            [GAP] = {"gap", 0, 0, 100, 0, "m", "initial gap below the boxes"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
