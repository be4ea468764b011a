/* A pile of gears, which are not convex (Silcowitz et al. 2009, figure 1b, of which no number is printed): every gear
 * is a body of convex pieces, a hub and its teeth, which lock into each other where gears lie on edge.
 *
 * Gears of random orientation stand in layers of side x side cells that none can reach out of, above the ground of a
 * box, and fall. */
#include <math.h>

#include "problems/base/random.h"
#include "problems/base/rotation.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_gear.h"

enum { COUNT,
       TEETH,
       MODULE,
       WIDTH,
       DISORDER,
       DENSITY,
       FRICTION,
       SEED,
       TIME_STEP,
       GRAVITY,
       MARGIN };
enum { WALLS = 5 };

static enum nb_status make_one(const double *values, struct nb_problem *problem, int i, uint64_t *chance,
                               struct nb_error *error)
{
    const struct nb_gear gear = {(int)values[TEETH], values[MODULE], values[WIDTH], values[DENSITY], 0.05};
    const int side = (int)ceil(cbrt(values[COUNT]) - 1e-9), layer = i / (side * side), rest = i % (side * side);
    const double reach = hypot(nb_gear_tip_radius(&gear), values[WIDTH] / 2), cell = 2 * reach + values[MARGIN];
    const double centre[3] = {(rest % side - (side - 1) / 2.0) * cell, (rest / side - (side - 1) / 2.0) * cell,
                              (layer + 0.5) * cell};
    const enum nb_status status = nb_scene_make_gear(problem, i, &problem->shapes[WALLS + i * nb_gear_shapes(&gear)],
                                                     &gear, centre, 0, error);
    double turn[3];
    for (int k = 0; k < 3; ++k)
        turn[k] = M_PI * values[DISORDER] * nb_random_signed(chance);
    nb_quaternion_advance(problem->bodies.orientation + 4 * i, 1, turn);
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int count = (int)values[COUNT], side = (int)ceil(cbrt(values[COUNT]) - 1e-9);
    const struct nb_gear gear = {.teeth = (int)values[TEETH], .module = values[MODULE]};
    const double reach = hypot(nb_gear_tip_radius(&gear), values[WIDTH] / 2);
    const double half = side * (reach + values[MARGIN] / 2);
    uint64_t chance = (uint64_t)values[SEED];
    enum nb_status status = nb_scene_allocate(problem, count, WALLS + count * nb_gear_shapes(&gear), error);
    for (int i = 0; !status && i < problem->shape_count; ++i)
        problem->shapes[i].friction = values[FRICTION];
    if (!status)
        nb_scene_make_container(problem->shapes, 1, half, values[FRICTION]);
    for (int i = 0; !status && i < count; ++i)
        status = make_one(values, problem, i, &chance, error);
    return status;
}

const struct nb_scene nb_scene_gears = {
    .name = "gears",
    .title = "Pile of gears",
    .source = "Silcowitz et al. 2009, figure 1b; number, sizes and friction ours",
    .observable = "mean height of the gears",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 8, 1, 10000, 1, "1", "gears"},
            [TEETH] = {"teeth", 12, NB_GEAR_TEETH, NB_GEAR_TEETH_MOST, 1, "1", "of a gear"},
            [MODULE] = {"module", 0.01, 1e-4, 1, 0, "m", "pitch diameter over the number of teeth"},
            [WIDTH] = {"width", 0.03, 1e-4, 10, 0, "m", "along the axis"},
            [DISORDER] = {"disorder", 1, 0, 1, 0, "1", "largest rotation over a half turn"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the gears"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [SEED] = {"seed", 1, 0, 1e9, 1, "1", "of the rotations"},
            [TIME_STEP] = NB_SCENE_STEP(0.005, 9.81, 0.002),
        },
    .build = build,
    .observe = nb_scene_mean_height,
};
