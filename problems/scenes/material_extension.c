/* A soft block stretched on a bench (Macklin et al. 2019, section 10.1.6, figure 13): E = 1e5 Pa,
 * nu = 0.45; the co-rotational linear material loses volume where the neo-Hookean one keeps it. The
 * block's sides, its mesh, density, the stretch and its speed are not printed and ours; gravity is left
 * out, so that only the material counts.
 *
 * The clamps hold all three components of the end nodes. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_stretch.h"

enum {
    MATERIAL, STRETCH, RISE, LENGTH, SIDE, CELLS, ACROSS, YOUNG, POISSON, DENSITY, TIME_STEP,
    GRAVITY, MARGIN
};

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int across = (int)values[ACROSS];
    const struct nb_stretch stretch = {
        .sides = {values[LENGTH], values[SIDE], values[SIDE]},
        .cells = {(int)values[CELLS], across, across},
        .elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                    values[YOUNG], values[POISSON], values[DENSITY]},
    };
    return nb_scene_clamp(problem, &stretch, error);
}

const struct nb_scene nb_scene_material_extension = {
    .name = "material_extension",
    .title = "Extension of a soft block",
    .source = "Macklin et al. 2019, section 10.1.6, figure 13; sides, mesh and stretch ours",
    .observable = "volume over volume at rest",
    .observable_unit = "1",
    .parameters =
        {
            [MATERIAL] = {"material", 1, 0, 1, 1, "1",
                          "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [STRETCH] = {"stretch", 2, 0.1, 10, 0, "1", "final length over length at rest"},
            [RISE] = {"rise", 1, 1e-3, 1000, 0, "s", "time until then, at constant speed"},
            [LENGTH] = {"length", 0.2, 1e-3, 100, 0, "m", "length at rest"},
            [SIDE] = {"side", 0.1, 1e-3, 100, 0, "m", "side of the square section at rest"},
            [CELLS] = {"cells", 8, 1, 200, 1, "1", "cells along the block, of five tetrahedra each"},
            [ACROSS] = {"cells_across", 4, 1, 100, 1, "1", "cells along each side of the section"},
            [YOUNG] = {"young", 1e5, 1, 1e12, 0, "Pa", "Young's modulus"},
            [POISSON] = {"poisson", 0.45, 0, 0.499, 0, "1", "Poisson's ratio"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 0, 0.01),
        },
    .build = build,
    .schedule = nb_scene_pull,
    .observe = nb_scene_volume_ratio,
};
