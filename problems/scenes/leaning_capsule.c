/* A capsule that leans against a wall and stands by friction alone (Macklin 2020, table 3: 11
 * contacts of a triangle mesh; sizes are not printed).
 *
 * With the foot's contact at (x, 0), the wall's at (0, z) and the weight m g at (x + r)/2, the wall
 * pushes with N <= mu m g/(1 + mu^2), and moments about the foot give
 *
 *     stands  <=>  (x - r)/2 <= mu/(1 + mu^2) (z + mu x),
 *
 * which is tan(angle) <= 2 mu/(1 - mu^2) for a thin rod. Its two contacts leave it one motion, to roll sideways on both
 * ends, over which it stands as a pendulum upright does: what rounding has of that grows by 1.56/s, to 6 nm of height
 * after 20 s. */
#include <math.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { ANGLE, LENGTH, RADIUS, MASS, FRICTION, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    static const double origin[3] = {0}, up[3] = {0, 0, 1}, right[3] = {1, 0, 0};
    const double angle = values[ANGLE] * M_PI / 180, half = values[LENGTH] / 2;
    const double centre[3] = {values[RADIUS] + half * sin(angle), 0,
                              values[RADIUS] + half * cos(angle)};
    const enum nb_status status = nb_scene_allocate(problem, 1, 3, error);
    if (status)
        return status;
    nb_scene_make_plane(&problem->shapes[0], origin, up, values[FRICTION]);
    nb_scene_make_plane(&problem->shapes[1], origin, right, values[FRICTION]);
    problem->shapes[2].friction = values[FRICTION];
    nb_scene_make_capsule(problem, 0, &problem->shapes[2], values[RADIUS], half, values[MASS],
                          centre);
    /* The upper end turns towards the wall, which is at x = 0. */
    problem->bodies.orientation[0] = cos(angle / 2);
    problem->bodies.orientation[2] = -sin(angle / 2);
    return NB_OK;
}

const struct nb_scene nb_scene_leaning_capsule = {
    .name = "leaning_capsule",
    .title = "Capsule leaning against a wall",
    .source = "Macklin 2020, section 5.6, table 3",
    .observable = "height of the capsule's centre",
    .observable_unit = "m",
    .parameters =
        {
            [ANGLE] = {"angle", 20, 0, 80, 0, "degrees", "lean from upright"},
            [LENGTH] = {"length", 1, 1e-2, 100, 0, "m", "of the cylindrical part"},
            [RADIUS] = {"radius", 0.1, 1e-3, 100, 0, "m", "radius"},
            [MASS] = {"mass", 10, 1e-3, 1e6, 0, "kg", "mass"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
