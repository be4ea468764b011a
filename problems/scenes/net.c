/* A net held along its border catches branches, each of three crossing round rods: not convex, and sharp for its size
 * (Macklin 2020, thesis, figure 41: 4800 triangles, cells = 49, and branches as distance fields of 2000 to 27 000
 * faces). Sizes, masses and the number of branches are not printed and ours.
 *
 * A branch is three capsules along its axes. By symmetry its inertia is the same about every axis, the sum of a
 * capsule's three. With fields = 1 the capsules are distance fields, which the net meets where `search` says, and the
 * observable is how deep it is in them. */
#include <math.h>
#include <string.h>

#include "problems/distance/closest.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_cloth.h"
#include "problems/scenes/build/scene_field.h"

enum {
    CELLS, SIDE, DENSITY, STIFFNESS, THICKNESS, BRANCHES, LENGTH, RADIUS, MASS, HEIGHT, FIELDS, SEARCH, ITERATIONS,
    FRICTION, TIME_STEP, GRAVITY, MARGIN
};
enum { RODS = 3, AROUND = 8 };

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[RADIUS] < values[LENGTH] / 2)
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "net: radius = %g m must be below length/2 = %g m", values[RADIUS],
                   values[LENGTH] / 2);
}

/* The capsule becomes a field of the same place, form and mass. */
static enum nb_status make_field(struct nb_shape *rod, struct nb_error *error)
{
    const double size[2] = {rod->radius, rod->half_length};
    const enum nb_status status = nb_shape_field(rod, NB_DISTANCE_CAPSULE, size, AROUND, error);
    rod->radius = rod->half_length = 0;
    return status;
}

/* Branch i stands over the net, turned about x and then z, so that no two fall alike. */
static enum nb_status make_branch(const double *values, struct nb_problem *problem, int i, struct nb_error *error)
{
    static const double turn[RODS][4] = {{1, 0, 0, 0}, {M_SQRT1_2, M_SQRT1_2, 0, 0}, {M_SQRT1_2, 0, M_SQRT1_2, 0}};
    const double half = values[LENGTH] / 2 - values[RADIUS];
    const double around = 2.4 * i, off = i ? values[SIDE] / 6 : 0;
    const double centre[3] = {off * cos(around), off * sin(around),
                              values[THICKNESS] / 2 + values[HEIGHT] + (0.5 + i) * values[LENGTH]};
    struct nb_shape *rod = problem->shapes + 1 + RODS * i;
    double *inertia = problem->bodies.inertia + 9 * i, *orientation = problem->bodies.orientation + 4 * i;
    enum nb_status status = NB_OK;
    for (int k = 0; k < RODS; ++k) {
        nb_scene_make_capsule(problem, i, &rod[k], values[RADIUS], half, values[MASS] / RODS, centre);
        memcpy(rod[k].orientation, turn[k], sizeof turn[k]);
        rod[k].friction = values[FRICTION];
        if (!status && values[FIELDS] != 0)
            status = make_field(&rod[k], error);
    }
    const double each = inertia[0] + inertia[4] + inertia[8];
    for (int k = 0; k < 9; ++k)
        inertia[k] = k % 4 == 0 ? each : 0;
    problem->bodies.mass[i] = values[MASS];
    const double half_x = 0.3 + 0.2 * i, half_z = 0.4 * i;
    orientation[0] = cos(half_z) * cos(half_x);
    orientation[1] = cos(half_z) * sin(half_x);
    orientation[2] = sin(half_z) * sin(half_x);
    orientation[3] = sin(half_z) * cos(half_x);
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int branches = (int)values[BRANCHES];
    const struct nb_cloth cloth = {
        .cells = (int)values[CELLS], .side = values[SIDE], .density = values[DENSITY],
        .stiffness = values[STIFFNESS], .radius = values[THICKNESS] / 2, .friction = values[FRICTION],
        .held = NB_CLOTH_BORDER};
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_closest_check(problem, error);
    if (!status)
        status = nb_scene_allocate(problem, branches, 1 + RODS * branches, error);
    if (!status)
        status = nb_scene_make_cloth(problem, &cloth, &problem->shapes[0], error);
    for (int i = 0; !status && i < branches; ++i)
        status = make_branch(values, problem, i, error);
    return status;
}

static double observe(const struct nb_problem *problem)
{
    return problem->shapes[1].kind == NB_SHAPE_FIELD ? nb_scene_depth_in_fields(problem) : nb_scene_sag(problem);
}

const struct nb_scene nb_scene_net = {
    .name = "net",
    .title = "Branches dropped into a net",
    .source = "Macklin 2020 (thesis), figure 41, where cells = 49; branches of three rods each, sizes and masses ours",
    .observable = "sag; depth in fields",
    .observable_unit = "m",
    .parameters =
        {
            [CELLS] = {"cells", 20, 1, 500, 1, "1", "squares along a side, of two triangles each"},
            [SIDE] = {"side", 1, 1e-3, 100, 0, "m", "side of the net"},
            [DENSITY] = {"density", 0.2, 1e-4, 100, 0, "kg/m^2", "mass of the net over its area"},
            [STIFFNESS] = {"stiffness", 1000, 0, 1e15, 0, "N/m", "of every edge of a triangle; 0: it does not stretch"},
            [THICKNESS] = {"thickness", 0.01, 0, 1, 0, "m", "thickness of the net"},
            [BRANCHES] = {"branches", 3, 1, 100, 1, "1", "branches"},
            [LENGTH] = {"length", 0.3, 1e-3, 100, 0, "m", "length of a branch's rods"},
            [RADIUS] = {"radius", 0.015, 1e-4, 10, 0, "m", "radius of a branch's rods"},
            [MASS] = {"mass", 0.5, 1e-3, 1e6, 0, "kg", "mass of a branch"},
            [HEIGHT] = {"height", 0.05, 0, 100, 0, "m", "gap between the net and the lowest branch at the start"},
            [FIELDS] = {"fields", 0, 0, 1, 1, "1", "branches, 0: of capsules, 1: of distance fields"},
            [SEARCH] = {"search", 3, 0, 1000, 1, "1", "number of the closest-point method (ncpbench closest)"},
            [ITERATIONS] = {"iterations", 32, 1, 1000, 1, "1", "of it on a face"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
