/* A heavy box on a light one: the smallest configuration that relaxation methods fail to hold
 * (Silcowitz et al. 2009, section 4, "large mass ratios", figures 5a and 10; the paper prints no
 * masses). */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { MASS, RATIO, SIDE, SIDE_TOP, FRICTION, GAP, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const double side[2] = {values[SIDE], values[SIDE_TOP]};
    double bottom = 0, mass = values[MASS];
    enum nb_status status = nb_scene_allocate_on_ground(problem, 2, 3, values[FRICTION], error);
    if (status)
        return status;
    for (int i = 0; !status && i < 2; ++i) {
        const double sides[3] = {side[i], side[i], side[i]};
        bottom += values[GAP];
        const double centre[3] = {0, 0, bottom + side[i] / 2};
        status = nb_scene_make_box(problem, i, &problem->shapes[i + 1], sides, mass, centre, error);
        bottom += side[i];
        mass *= values[RATIO];
    }
    return status;
}

const struct nb_scene nb_scene_two_boxes = {
    .name = "two_boxes",
    .title = "Heavy box on a light one",
    .source = "Silcowitz, Niebe and Erleben 2009, section 4, figures 5a and 10",
    .observable = "height of the upper box's centre",
    .observable_unit = "m",
    .parameters =
        {
            [MASS] = {"mass", 1, 1e-3, 1e6, 0, "kg", "mass of the lower box"},
            [RATIO] = {"ratio", 1000, 1e-6, 1e6, 0, "1", "mass of the upper box over the lower's"},
            [SIDE] = {"side", 0.5, 1e-2, 100, 0, "m", "side of the lower box"},
            [SIDE_TOP] = {"side_top", 0.75, 1e-2, 100, 0, "m", "side of the upper box"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [GAP] = {"gap", 0, 0, 1, 0, "m", "initial gap below each box"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
