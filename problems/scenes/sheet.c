/* A thin soft sheet stretched on a bench while it sags (Macklin et al. 2019, figure 12 and section
 * 10.1.6, E = 1e5 Pa, nu = 0.45). Under large strain the tension turns with the elements, which the
 * Newton matrix without geometric stiffness does not know: its iterates swing about the solution.
 *
 * The sheet's sides, its mesh, density and the stretch are not printed and ours. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_stretch.h"

enum {
    MATERIAL, STRETCH, RISE, LENGTH, WIDTH, THICKNESS, CELLS, ACROSS, YOUNG, POISSON, DENSITY,
    TIME_STEP, GRAVITY, MARGIN
};

static enum nb_status check(const double *values, struct nb_error *error)
{
    const double thinnest = values[LENGTH] < values[WIDTH] ? values[LENGTH] : values[WIDTH];
    if (values[THICKNESS] > thinnest)
        return nb_fail(error, NB_BAD_INPUT,
                       "sheet: thickness = %g m must be at most length and width, %g m",
                       values[THICKNESS], thinnest);
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const struct nb_stretch stretch = {
        .sides = {values[LENGTH], values[WIDTH], values[THICKNESS]},
        .cells = {(int)values[CELLS], (int)values[ACROSS], 1},
        .elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                    values[YOUNG], values[POISSON], values[DENSITY]},
    };
    const enum nb_status status = check(values, error);
    return status ? status : nb_scene_clamp(problem, &stretch, error);
}

const struct nb_scene nb_scene_sheet = {
    .name = "sheet",
    .title = "Extension of a soft sheet",
    .source = "Macklin et al. 2019, section 10.1.6, figure 12; sides, mesh and stretch ours",
    .observable = "volume over volume at rest",
    .observable_unit = "1",
    .parameters =
        {
            [MATERIAL] = {"material", 0, 0, 1, 1, "1",
                          "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [STRETCH] = {"stretch", 2, 0.1, 10, 0, "1", "final length over length at rest"},
            [RISE] = {"rise", 1, 1e-3, 1000, 0, "s", "time until then, at constant speed"},
            [LENGTH] = {"length", 0.4, 1e-3, 100, 0, "m", "length at rest"},
            [WIDTH] = {"width", 0.4, 1e-3, 100, 0, "m", "width at rest"},
            [THICKNESS] = {"thickness", 0.01, 1e-4, 10, 0, "m", "thickness at rest"},
            [CELLS] = {"cells", 16, 1, 200, 1, "1", "cells along the sheet, of five tetrahedra each"},
            [ACROSS] = {"cells_across", 16, 1, 200, 1, "1", "cells across; there is one layer"},
            [YOUNG] = {"young", 1e5, 1, 1e12, 0, "Pa", "Young's modulus"},
            [POISSON] = {"poisson", 0.45, 0, 0.499, 0, "1", "Poisson's ratio"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .schedule = nb_scene_pull,
    .observe = nb_scene_volume_ratio,
};
