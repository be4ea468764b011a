/* Cubes stacked with the lightest below: masses grow upwards by a constant ratio, so that the
 * heaviest stands on all others (Macklin et al. 2019, section 10.1.5 and figure 14). */
#include <math.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT, RATIO, MASS, DENSITY, FRICTION, GAP, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    double top = 0, mass = values[MASS];
    const double heaviest = mass * pow(values[RATIO], count - 1);
    if (!(heaviest >= 1e-9 && heaviest <= 1e12))
        return nb_fail(error, NB_BAD_INPUT,
                       "heavy_stack: count, ratio and mass make the top box weigh %g kg; it must be "
                       "1e-9 to 1e12", heaviest);
    enum nb_status status = nb_scene_allocate_on_ground(problem, count, count + 1, values[FRICTION], error);
    if (status)
        return status;
    for (int i = 0; !status && i < count; ++i) {
        struct nb_shape *shape = &problem->shapes[i + 1];
        const double side = cbrt(mass / values[DENSITY]);
        const double sides[3] = {side, side, side};
        const double centre[3] = {0, 0, top + values[GAP] + side / 2};
        status = nb_scene_make_box(problem, i, shape, sides, mass, centre, error);
        top += values[GAP] + side;
        mass *= values[RATIO];
    }
    return status;
}

const struct nb_scene nb_scene_heavy_stack = {
    .name = "heavy_stack",
    .title = "Heavy stack",
    .source = "Macklin et al. 2019, section 10.1.5, figure 14",
    .observable = "height of the top box's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 5, 1, 10000, 1, "1", "boxes"},
            [RATIO] = {"ratio", 8, 0.01, 100, 0, "1", "mass of a box over that of the box below"},
            [MASS] = {"mass", 8, 1e-3, 1e6, 0, "kg", "mass of the lowest box"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of all boxes"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [GAP] = {"gap", 0, 0, 1, 0, "m", "initial gap below every box"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
