/* A box that slides along x on level ground: friction takes mu g h from its speed in every step
 * until it rests. It does not tip while mu is below side / height = 1. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { SPEED, MASS, SIDE, FRICTION, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const double side = values[SIDE], sides[3] = {side, side, side};
    const double centre[3] = {0, 0, side / 2};
    const enum nb_status status = nb_scene_allocate_on_ground(problem, 1, 2, values[FRICTION], error);
    if (status)
        return status;
    problem->bodies.velocity[0] = values[SPEED];
    return nb_scene_make_box(problem, 0, &problem->shapes[1], sides, values[MASS], centre, error);
}

static double observe(const struct nb_problem *problem)
{
    return problem->bodies.velocity[0];
}

const struct nb_scene nb_scene_sliding_box = {
    .name = "sliding_box",
    .title = "Sliding box",
    .source = "analytic: deceleration mu g",
    .observable = "speed along x",
    .observable_unit = "m/s",
    .parameters =
        {
            [SPEED] = {"speed", 2, -1000, 1000, 0, "m/s", "initial speed along x"},
            [MASS] = {"mass", 10, 1e-3, 1e6, 0, "kg", "mass of the box"},
            [SIDE] = {"side", 0.5, 1e-3, 100, 0, "m", "side of the box"},
            [FRICTION] = {"friction", 0.3, 0, 10, 0, "1", "friction coefficient"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
