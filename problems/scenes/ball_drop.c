/* Balls one above the other, touching, that drop together: when the lowest meets the floor, the
 * shock is to stop all of them within one step (Todorov 2010, figure 6: 5 balls; sizes are not
 * printed). */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT, RADIUS, MASS, HEIGHT, FRICTION, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    static const double origin[3] = {0}, up[3] = {0, 0, 1};
    const int count = (int)values[COUNT];
    const enum nb_status status = nb_scene_allocate(problem, count, count + 1, error);
    if (status)
        return status;
    nb_scene_make_plane(&problem->shapes[0], origin, up, values[FRICTION]);
    for (int i = 0; i < count; ++i) {
        const double centre[3] = {0, 0, values[HEIGHT] + (2 * i + 1) * values[RADIUS]};
        problem->shapes[i + 1].friction = values[FRICTION];
        nb_scene_make_sphere(problem, i, &problem->shapes[i + 1], values[RADIUS], values[MASS],
                             centre);
    }
    return NB_OK;
}

static double observe(const struct nb_problem *problem)
{
    return problem->bodies.velocity[6 * (problem->bodies.count - 1) + 2];
}

const struct nb_scene nb_scene_ball_drop = {
    .name = "ball_drop",
    .title = "Column of dropped balls",
    .source = "Todorov 2010, section IV, figure 6",
    .observable = "vertical velocity of the top ball",
    .observable_unit = "m/s",
    .parameters =
        {
            [COUNT] = {"count", 5, 2, 1000, 1, "1", "balls"},
            [RADIUS] = {"radius", 0.1, 1e-3, 100, 0, "m", "radius of a ball"},
            [MASS] = {"mass", 1, 1e-3, 1e6, 0, "kg", "mass of a ball"},
            [HEIGHT] = {"height", 0.1, 0, 100, 0, "m", "gap below the lowest ball"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.005, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
