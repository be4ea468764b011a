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
    enum nb_status status = nb_scene_allocate(problem, count, count + 1, error);
    if (status)
        return status;
    problem->time_step = values[TIME_STEP];
    problem->gravity[2] = -values[GRAVITY];
    problem->shapes[0].kind = NB_SHAPE_PLANE;
    problem->shapes[0].friction = values[FRICTION];
    for (int i = 0; !status && i < count; ++i) {
        struct nb_shape *shape = &problem->shapes[i + 1];
        const double side = cbrt(mass / values[DENSITY]);
        const double sides[3] = {side, side, side};
        const double centre[3] = {0, 0, top + values[GAP] + side / 2};
        shape->friction = values[FRICTION];
        status = nb_scene_make_box(problem, i, shape, sides, mass, centre, error);
        top += values[GAP] + side;
        mass *= values[RATIO];
    }
    return status;
}

static double observe(const struct nb_problem *problem)
{
    return problem->bodies.position[3 * (problem->bodies.count - 1) + 2];
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
            [FRICTION] = {"friction", 0.5, 0, 10, 0, "1", "friction coefficient of all surfaces"},
            [GAP] = {"gap", 0, 0, 1, 0, "m", "initial gap below every box"},
            [TIME_STEP] = {"time_step", 0.0083, 1e-6, 0.1, 0, "s", "time step"},
            [GRAVITY] = {"gravity", 9.81, 0, 1000, 0, "m/s^2", "gravity, downwards"},
            [MARGIN] = {"margin", 0.01, 0, 1, 0, "m", "largest gap that makes a contact"},
        },
    .build = build,
    .observe = observe,
};
