/* A square cloth of 800 triangles, held at its corners or along its border, onto which a box is dropped (Macklin 2020,
 * thesis, section 5.6, figure 34). Every edge of a triangle is a distance of stiffness k; there is no bending.
 *
 * The cloth's size and mass, the box, its height and how the cloth is held are not printed and ours. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_cloth.h"

enum { CELLS, SIDE, DENSITY, STIFFNESS, HELD, THICKNESS, BOX, MASS, HEIGHT, FRICTION, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_cloth cloth = {
        .cells = (int)values[CELLS], .side = values[SIDE], .density = values[DENSITY],
        .stiffness = values[STIFFNESS], .radius = values[THICKNESS] / 2, .friction = values[FRICTION],
        .held = values[HELD] == 0 ? NB_CLOTH_CORNERS : NB_CLOTH_BORDER};
    const double sides[3] = {values[BOX], values[BOX], values[BOX]};
    const double centre[3] = {0, 0, values[THICKNESS] / 2 + values[HEIGHT] + values[BOX] / 2};
    const int boxes = values[MASS] > 0;
    enum nb_status status = nb_scene_allocate(problem, boxes, 1 + boxes, error);
    if (!status)
        status = nb_scene_make_cloth(problem, &cloth, &problem->shapes[0], error);
    if (!status && boxes) {
        problem->shapes[1].friction = values[FRICTION];
        status = nb_scene_make_box(problem, 0, &problem->shapes[1], sides, values[MASS], centre, error);
    }
    return status;
}

const struct nb_scene nb_scene_cloth = {
    .name = "cloth",
    .title = "Box dropped onto a cloth",
    .source = "Macklin 2020 (thesis), section 5.6, figure 34; sizes, masses, height and corners ours",
    .observable = "sag",
    .observable_unit = "m",
    .parameters =
        {
            [CELLS] = {"cells", 20, 1, 500, 1, "1", "squares along a side, of two triangles each"},
            [SIDE] = {"side", 1, 1e-3, 100, 0, "m", "side of the cloth"},
            [DENSITY] = {"density", 0.2, 1e-4, 100, 0, "kg/m^2", "mass of the cloth over its area"},
            [STIFFNESS] = {"stiffness", 1e4, 0, 1e15, 0, "N/m", "of every edge of a triangle; 0: it does not stretch"},
            [HELD] = {"held", 1, 0, 1, 1, "1", "0: at the corners, 1: along the border"},
            [THICKNESS] = {"thickness", 0.01, 0, 1, 0, "m", "thickness of the cloth"},
            [BOX] = {"box", 0.2, 1e-3, 100, 0, "m", "side of the box"},
            [MASS] = {"mass", 1, 0, 1e6, 0, "kg", "mass of the box; 0: there is none"},
            [HEIGHT] = {"height", 0.1, 0, 100, 0, "m", "gap between cloth and box at the start"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_sag,
};
