/* A box on a tilted plane: it stays while tan(angle) < mu, and beyond slides down with the
 * acceleration g (sin(angle) - mu cos(angle)). */
#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { ANGLE, SPEED, MASS, SIDE, FRICTION, TIME_STEP, GRAVITY, MARGIN };

/* The plane is turned about y, so that its own x axis points down the slope. */
static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const double half = values[ANGLE] * M_PI / 360, side = values[SIDE];
    const double orientation[4] = {cos(half), 0, sin(half), 0}, sides[3] = {side, side, side};
    const double centre[3] = {side / 2 * sin(2 * half), 0, side / 2 * cos(2 * half)};
    const enum nb_status status = nb_scene_allocate_on_ground(problem, 1, 2, values[FRICTION], error);
    if (status)
        return status;
    memcpy(problem->shapes[0].orientation, orientation, sizeof orientation);
    memcpy(problem->bodies.orientation, orientation, sizeof orientation);
    problem->bodies.velocity[0] = values[SPEED] * cos(2 * half);
    problem->bodies.velocity[2] = -values[SPEED] * sin(2 * half);
    return nb_scene_make_box(problem, 0, &problem->shapes[1], sides, values[MASS], centre, error);
}

static double observe(const struct nb_problem *problem)
{
    double rotation[9], along[3];
    nb_quaternion_matrix(problem->shapes[0].orientation, rotation);
    nb_rotate_back(rotation, problem->bodies.velocity, along);
    return along[0];
}

const struct nb_scene nb_scene_incline = {
    .name = "incline",
    .title = "Box on an incline",
    .source = "analytic: sticks below tan(angle) = mu, slides with g (sin - mu cos) above",
    .observable = "speed down the slope",
    .observable_unit = "m/s",
    .parameters =
        {
            [ANGLE] = {"angle", 20, 0, 80, 0, "degrees", "slope of the plane"},
            [SPEED] = {"speed", 0, -1000, 1000, 0, "m/s", "initial speed down the slope"},
            [MASS] = {"mass", 10, 1e-3, 1e6, 0, "kg", "mass of the box"},
            [SIDE] = {"side", 0.5, 1e-3, 100, 0, "m", "side of the box"},
            [FRICTION] = {"friction", 0.5, 0, 10, 0, "1", "friction coefficient"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
