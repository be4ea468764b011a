/* A cloth falls onto a body that is given by its distance field: a cone, whose apex a mesh's vertices miss, or one that
 * is not convex (Macklin 2020, thesis, figures 38, 46 and 47). Sizes, masses and the cloth's mesh are not printed and
 * ours. The apex stands under no vertex but within a face, `offset` of a square beside one.
 *
 * The time step is half of the thesis's 8.3 ms: with that, contacts move on their faces within a step as the cloth
 * creeps to rest, and their push then gives energy (docs/notes/energy.md). */
#include <math.h>
#include <string.h>

#include "problems/distance/closest.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_cloth.h"
#include "problems/scenes/build/scene_field.h"

enum {
    CELLS, SIDE, DENSITY, STIFFNESS, HELD, THICKNESS, FIELD, RADIUS, HEIGHT, GRID, OFFSET, GAP, SEARCH, ITERATIONS,
    FRICTION, TIME_STEP, GRAVITY, MARGIN
};
enum { CLOTH, BODY, SHAPES, AROUND = 32 };

/* The sizes of each kind from one radius and one height. */
static enum nb_status make_body(const double *values, struct nb_shape *shape, struct nb_error *error)
{
    const double r = values[RADIUS], h = values[HEIGHT];
    const double sizes[][4] = {
        [NB_DISTANCE_SPHERE] = {r}, [NB_DISTANCE_BOX] = {r, r, h / 2}, [NB_DISTANCE_CAPSULE] = {r, h / 2},
        [NB_DISTANCE_TORUS] = {r, r / 3}, [NB_DISTANCE_CYLINDER] = {r, h / 2}, [NB_DISTANCE_CONE] = {r, h},
        [NB_DISTANCE_SPOOL] = {r / 2, r, h / 4, h / 4}};
    const int kind = (int)values[FIELD];
    double lower[3], upper[3];
    enum nb_status status = nb_shape_field(shape, (enum nb_distance_kind)kind, sizes[kind], AROUND, error);
    if (status)
        return status;
    nb_distance_bounds(&shape->field, lower, upper);
    shape->friction = values[FRICTION];
    shape->position[0] = values[OFFSET] * values[SIDE] / values[CELLS];
    shape->position[1] = shape->position[0] / 2;
    shape->position[2] = -upper[2] - values[THICKNESS] / 2 - values[GAP];
    return values[GRID] > 0 ? nb_shape_grid(shape, (int)values[GRID], error) : NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_cloth cloth = {
        .cells = (int)values[CELLS], .side = values[SIDE], .density = values[DENSITY],
        .stiffness = values[STIFFNESS], .radius = values[THICKNESS] / 2, .friction = values[FRICTION],
        .held = (enum nb_cloth_held)values[HELD]};
    enum nb_status status = nb_closest_check(problem, error);
    if (!status)
        status = nb_scene_allocate(problem, 0, SHAPES, error);
    if (!status)
        status = nb_scene_make_cloth(problem, &cloth, &problem->shapes[CLOTH], error);
    return status ? status : make_body(values, &problem->shapes[BODY], error);
}

/* The mesh in the place of the body, with its width, about the same axis. */
static enum nb_status take_mesh(const double *values, struct nb_shape *mesh, struct nb_problem *problem,
                                struct nb_error *error)
{
    struct nb_shape *body = &problem->shapes[BODY];
    double sides[3];
    nb_mesh_sides(mesh, sides);
    nb_mesh_centre(mesh, 2 * values[RADIUS] / fmax(sides[0], sides[1]));
    nb_mesh_sides(mesh, sides);
    mesh->body = body->body;
    mesh->friction = body->friction;
    memcpy(mesh->position, body->position, sizeof mesh->position);
    memcpy(mesh->orientation, body->orientation, sizeof mesh->orientation);
    mesh->position[2] = -sides[2] / 2 - values[THICKNESS] / 2 - values[GAP];
    nb_shape_free(body);
    *body = *mesh;
    memset(mesh, 0, sizeof *mesh);
    return nb_shape_grid(body, values[GRID] > 0 ? (int)values[GRID] : NB_MESH_CELLS, error);
}

const struct nb_scene nb_scene_draped_cloth = {
    .name = "draped_cloth",
    .title = "Cloth on a cone or another distance field",
    .source = "Macklin 2020 (thesis), chapter 6, figures 38, 46 and 47; sizes and masses ours",
    .observable = "depth of the cloth in the body",
    .observable_unit = "m",
    .parameters =
        {
            [CELLS] = {"cells", 12, 1, 500, 1, "1", "squares along a side, of two triangles each"},
            [SIDE] = {"side", 1, 1e-3, 100, 0, "m", "side of the cloth"},
            [DENSITY] = {"density", 0.2, 1e-4, 100, 0, "kg/m^2", "mass of the cloth over its area"},
            [STIFFNESS] = {"stiffness", 1e4, 0, 1e15, 0, "N/m", "of every edge of a triangle; 0: it does not stretch"},
            [HELD] = {"held", 2, 0, 2, 1, "1", "0: at the corners, 1: along the border, 2: nowhere"},
            [THICKNESS] = {"thickness", 0.01, 0, 1, 0, "m", "thickness of the cloth"},
            [FIELD] = {"field", 5, 0, 6, 1, "1",
                       "0: sphere, 1: box, 2: capsule, 3: torus, 4: cylinder, 5: cone, 6: spool"},
            [RADIUS] = {"radius", 0.2, 1e-3, 100, 0, "m", "of the body: half its width, or a torus's ring"},
            [HEIGHT] = {"height", 0.4, 1e-3, 100, 0, "m", "of a box, capsule, cylinder, cone or spool"},
            [GRID] = {"grid", 0, 0, NB_MOST_CELLS, 1, "1",
                      "cells of a grid along the body's longest side; 0: closed form"},
            [OFFSET] = {"offset", 0.3, 0, 1, 0, "1", "of the body from a vertex, in squares"},
            [GAP] = {"gap", 0.005, -100, 100, 0, "m", "between cloth and body at first; below 0 they overlap"},
            [SEARCH] = {"search", 3, 0, 1000, 1, "1", "number of the closest-point method (ncpbench closest)"},
            [ITERATIONS] = {"iterations", 32, 1, 1000, 1, "1", "of it on a face"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.00415, 9.81, 0.01),
        },
    .build = build,
    .mesh = "the body: a closed mesh with z up, scaled to twice the radius, as a grid",
    .take_mesh = take_mesh,
    .observe = nb_scene_depth_in_fields,
};
