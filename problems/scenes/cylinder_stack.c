/* Cylinders stacked on end with the lightest below, 4096:1 from top to bottom (Macklin 2020,
 * section 5.6, figure 30; table 3 counts 189 contacts; the number of cylinders and their sizes are
 * not printed). A cylinder is a prism over a regular polygon, whose corners are the contacts: four
 * of them with 48 sides have 192.
 *
 * All have the same density and shape, so that lengths grow with the cube root of the mass. */
#include <math.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT, RATIO, MASS, DENSITY, SLENDERNESS, SIDES, FRICTION, GAP, TIME_STEP, GRAVITY, MARGIN };

/* Radius of the corners of a regular n-gon prism of that volume with height = slenderness radius:
 * V = n/2 sin(2 pi / n) r^2 height. */
static double prism_radius(double volume, int n, double slenderness)
{
    return cbrt(volume / (n / 2.0 * sin(2 * M_PI / n) * slenderness));
}

static enum nb_status check(const double *values, struct nb_error *error)
{
    const double heaviest = values[MASS] * pow(values[RATIO], values[COUNT] - 1);
    if (!(heaviest >= 1e-3 && heaviest <= 1e9))
        return nb_fail(error, NB_BAD_INPUT,
                       "cylinder_stack: count, ratio and mass make the top cylinder weigh %g kg; "
                       "it must be 0.001 to 1e9", heaviest);
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT], n = (int)values[SIDES];
    double bottom = 0, mass = values[MASS];
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate_on_ground(problem, count, count + 1, values[FRICTION], error);
    if (status)
        return status;
    for (int i = 0; !status && i < count; ++i) {
        struct nb_shape *shape = &problem->shapes[i + 1];
        const double radius = prism_radius(mass / values[DENSITY], n, values[SLENDERNESS]);
        const double height = values[SLENDERNESS] * radius;
        status = nb_shape_cylinder(shape, radius, height, n, 0.5, error);
        if (!status) {
            nb_scene_make_body(problem, i, shape, values[DENSITY]);
            problem->bodies.position[3 * i + 2] += bottom + values[GAP] + height / 2;
        }
        bottom += values[GAP] + height;
        mass *= values[RATIO];
    }
    return status;
}

const struct nb_scene nb_scene_cylinder_stack = {
    .name = "cylinder_stack",
    .title = "Stack of cylinders, 4096:1",
    .source = "Macklin 2020, section 5.6, figure 30 and table 3",
    .observable = "height of the top cylinder's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 4, 1, 100, 1, "1", "cylinders"},
            [RATIO] = {"ratio", 16, 0.01, 4096, 0, "1", "mass of a cylinder over that below"},
            [MASS] = {"mass", 1, 1e-2, 1e4, 0, "kg", "mass of the lowest cylinder"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of all cylinders"},
            [SLENDERNESS] = {"slenderness", 1, 0.1, 10, 0, "1", "height over radius"},
            [SIDES] = {"sides", 48, 3, 256, 1, "1", "sides of the polygon for the circle"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [GAP] = {"gap", 0, 0, 1, 0, "m", "initial gap below each cylinder"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
