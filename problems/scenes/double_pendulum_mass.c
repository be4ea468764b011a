/* A double pendulum whose lower sphere is 10000 times as heavy as the upper one (Macklin 2020,
 * section 5.6, figure 26): ill-conditioned for dual methods, which show it as stretch. The seed
 * prints the ratio only; lengths and masses are ours. */
#include <math.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_chain.h"

enum { RATIO, MASS, LENGTH, RADIUS, ANGLE, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const struct nb_chain_link links[2] = {{values[MASS], 0}, {values[MASS] * values[RATIO], 0}};
    return nb_scene_hang_chain(problem, 2, links, values[LENGTH], values[RADIUS],
                               values[ANGLE] * M_PI / 180, error);
}

const struct nb_scene nb_scene_double_pendulum_mass = {
    .name = "double_pendulum_mass",
    .title = "Double pendulum, mass ratio",
    .source = "Macklin 2020 (thesis), section 5.6, figure 26",
    .observable = "stretch",
    .observable_unit = "m",
    .parameters =
        {
            [RATIO] = {"ratio", 1e4, 1e-6, 1e8, 0, "1", "mass of the lower sphere over the upper"},
            [MASS] = {"mass", 1, 1e-3, 1e6, 0, "kg", "mass of the upper sphere"},
            [LENGTH] = {"length", 1, 1e-2, 100, 0, "m", "length of each rod"},
            [RADIUS] = {"radius", 0.1, 1e-3, 10, 0, "m", "radius of both spheres"},
            [ANGLE] = {"angle", 45, -180, 180, 0, "degrees", "initial angle from hanging down"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_chain_stretch,
};
