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
    enum nb_status status = nb_scene_allocate(problem, count, count + 1, error);
    if (status)
        return status;
    problem->time_step = values[TIME_STEP];
    problem->gravity[2] = -values[GRAVITY];
    problem->shapes[0].kind = NB_SHAPE_PLANE;
    problem->shapes[0].friction = values[FRICTION];
    for (int i = 0; !status && i < count; ++i) {
        struct nb_shape *shape = &problem->shapes[i + 1];
        const double centre[3] = {(2 * side + values[MARGIN]) * i, 0, values[GAP] + side / 2};
        shape->friction = values[FRICTION];
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
            [FRICTION] = {"friction", 0.5, 0, 10, 0, "1", "friction coefficient of all surfaces"},
            [TIME_STEP] = {"time_step", 0.0083, 1e-6, 0.1, 0, "s", "time step"},
            [GRAVITY] = {"gravity", 9.81, 0, 1000, 0, "m/s^2", "gravity, downwards"},
            [MARGIN] = {"margin", 0.01, 0, 1, 0, "m", "largest gap that makes a contact"},
        },
    .build = build,
    .observe = observe,
};
