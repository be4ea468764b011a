/* A double pendulum on two springs, the lower one 10000 times as stiff as the upper one (Macklin
 * 2020, section 5.6, figure 27): ill-conditioned for primal methods, not for dual ones. The seed
 * prints the ratio only. A spring is a rod with a compliant ball joint, which opens along the force;
 * across the rod it gives way as well, where a massless spring would turn. */
#include <math.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_chain.h"

enum { RATIO, STIFFNESS, MASS, LENGTH, RADIUS, ANGLE, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const double compliance = 1 / values[STIFFNESS];
    const struct nb_chain_link links[2] = {{values[MASS], compliance},
                                           {values[MASS], compliance / values[RATIO]}};
    return nb_scene_hang_chain(problem, 2, links, values[LENGTH], values[RADIUS],
                               values[ANGLE] * M_PI / 180, error);
}

const struct nb_scene nb_scene_double_pendulum_stiffness = {
    .name = "double_pendulum_stiffness",
    .title = "Double pendulum, stiffness ratio",
    .source = "Macklin 2020 (thesis), section 5.6, figure 27; springs are compliant ball joints",
    .observable = "stretch",
    .observable_unit = "m",
    .parameters =
        {
            [RATIO] = {"ratio", 1e4, 1e-6, 1e8, 0, "1",
                       "stiffness of the lower spring over the upper"},
            [STIFFNESS] = {"stiffness", 1e4, 1, 1e12, 0, "N/m", "stiffness of the upper spring"},
            [MASS] = {"mass", 1, 1e-3, 1e6, 0, "kg", "mass of each sphere"},
            [LENGTH] = {"length", 1, 1e-2, 100, 0, "m", "length of each rod"},
            [RADIUS] = {"radius", 0.1, 1e-3, 10, 0, "m", "radius of both spheres"},
            [ANGLE] = {"angle", 45, -180, 180, 0, "degrees", "initial angle from hanging down"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_chain_stretch,
};
