/* Boxes, balls and capsules of random size, mass and orientation in layers above a plane, with four
 * walls or without: a generator of contact problems over friction, mass ratio, shape and disorder.
 * Masses are spread evenly over the decades of mass_ratio. Without disorder the boxes stand in even
 * towers whose faces meet in four redundant contacts each; with it they lie as they fall. */
#include <math.h>
#include <string.h>

#include "problems/base/random.h"
#include "problems/base/rotation.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_field.h"

enum {
    COUNT, ROUND, FRICTION, MASS, MASS_RATIO, SIDE, SPREAD, DISORDER, WALLS, SPEED, SEED, TIME_STEP,
    GRAVITY, MARGIN
};

/* Bodies stand in layers of side x side cells that none of them can reach out of. */
struct grid {
    int side;
    double cell;
};

static struct grid make_grid(const double *values)
{
    const double largest = values[SIDE] * (1 + values[SPREAD]);
    struct grid grid;
    grid.side = (int)ceil(cbrt(values[COUNT]) - 1e-9);
    grid.cell = largest * (values[DISORDER] > 0 ? 1.75 : 1) + values[MARGIN] / 2;
    return grid;
}

static void place(const struct grid *grid, int i, double *centre)
{
    const int in_layer = grid->side * grid->side, layer = i / in_layer, rest = i % in_layer;
    centre[0] = (rest % grid->side - (grid->side - 1) / 2.0) * grid->cell;
    centre[1] = (rest / grid->side - (grid->side - 1) / 2.0) * grid->cell;
    centre[2] = (layer + 0.5) * grid->cell;
}

static enum nb_status make_body(const double *values, struct nb_problem *problem, int i,
                                const struct grid *grid, struct nb_shape *shape, uint64_t *chance,
                                struct nb_error *error)
{
    const double size = values[SIDE] * (1 + values[SPREAD] * nb_random_signed(chance));
    const double mass = values[MASS] * pow(values[MASS_RATIO], nb_random(chance));
    const double flatten = values[DISORDER] > 0 ? 0.5 + 0.5 * nb_random(chance) : 1;
    const double kind = nb_random(chance), sides[3] = {size, size * flatten, size * flatten};
    double centre[3], turn[3];
    enum nb_status status = NB_OK;
    place(grid, i, centre);
    shape->friction = values[FRICTION];
    if (kind >= values[ROUND])
        status = nb_scene_make_box(problem, i, shape, sides, mass, centre, error);
    else if (kind < values[ROUND] / 2)
        nb_scene_make_sphere(problem, i, shape, size / 2, mass, centre);
    else
        nb_scene_make_capsule(problem, i, shape, size / 4, size / 4, mass, centre);
    for (int k = 0; k < 3; ++k) {
        turn[k] = M_PI * values[DISORDER] * nb_random_signed(chance);
        problem->bodies.velocity[6 * i + k] = values[SPEED] * nb_random_signed(chance);
    }
    nb_quaternion_advance(problem->bodies.orientation + 4 * i, 1, turn);
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT], fixed = values[WALLS] > 0 ? 5 : 1;
    const struct grid grid = make_grid(values);
    uint64_t chance = (uint64_t)values[SEED];
    enum nb_status status = nb_scene_allocate(problem, count, count + fixed, error);
    if (status)
        return status;
    nb_scene_make_container(problem->shapes, fixed > 1, (grid.side + 1) * grid.cell / 2, values[FRICTION]);
    for (int i = 0; !status && i < count; ++i)
        status = make_body(values, problem, i, &grid, &problem->shapes[fixed + i], &chance, error);
    return status;
}

/* Body i, a box, becomes the mesh, which stands about its centroid and is 1 long, with a grid, as long as it. */
static enum nb_status replace_box(const struct nb_shape *mesh, struct nb_problem *problem, int i,
                                  struct nb_shape *shape, struct nb_error *error)
{
    const struct nb_shape box = *shape;
    double sides[3], centre[3];
    nb_mesh_sides(&box, sides);
    if (!nb_shape_copy(mesh, shape)) {
        nb_shape_free(shape);
        *shape = box;
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a mesh of %d faces", mesh->face_count);
    }
    shape->friction = box.friction;
    memcpy(shape->position, box.position, sizeof box.position);
    memcpy(shape->orientation, box.orientation, sizeof box.orientation);
    memcpy(centre, problem->bodies.position + 3 * i, sizeof centre);
    for (int k = 0; k < 3 * shape->vertex_count; ++k)
        shape->vertex[k] *= sides[0];
    for (int k = 0; k < 4; ++k)
        shape->field.size[k] *= sides[0];
    for (size_t k = 0; k < nb_distance_nodes(&shape->field); ++k)
        shape->field.value[k] *= sides[0];
    nb_scene_make_convex(problem, i, shape, problem->bodies.mass[i], centre);
    struct nb_shape old = box;
    nb_shape_free(&old);
    return NB_OK;
}

static enum nb_status take_mesh(const double *values, struct nb_shape *mesh, struct nb_problem *problem,
                                struct nb_error *error)
{
    const int fixed = values[WALLS] > 0 ? 5 : 1;
    double sides[3], volume, centroid[3], inertia[9];
    nb_mesh_sides(mesh, sides);
    nb_mesh_centre(mesh, 1 / fmax(sides[0], fmax(sides[1], sides[2])));
    nb_shape_integrals(mesh, &volume, centroid, inertia);
    for (int k = 0; k < 3 * mesh->vertex_count; ++k)
        mesh->vertex[k] -= centroid[k % 3];
    enum nb_status status = nb_shape_grid(mesh, NB_MESH_CELLS, error);
    for (int i = 0; !status && i < problem->bodies.count; ++i)
        if (problem->shapes[fixed + i].kind == NB_SHAPE_CONVEX)
            status = replace_box(mesh, problem, i, &problem->shapes[fixed + i], error);
    return status;
}

static double observe(const struct nb_problem *problem)
{
    double highest = 0;
    for (int i = 0; i < problem->bodies.count; ++i)
        highest = fmax(highest, problem->bodies.position[3 * i + 2]);
    return highest;
}

const struct nb_scene nb_scene_random_pile = {
    .name = "random_pile",
    .title = "Random boxes, balls and capsules in a pile",
    .source = "a generator of test problems; sizes and masses ours",
    .observable = "height of the highest body's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 27, 1, 10000, 1, "1", "bodies"},
            [ROUND] = {"round", 0, 0, 1, 0, "1", "share of balls and capsules, the rest are boxes"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [MASS] = {"mass", 1, 1e-6, 1e6, 0, "kg", "smallest mass"},
            [MASS_RATIO] = {"mass_ratio", 1, 1, 1e12, 0, "1", "largest over smallest mass"},
            [SIDE] = {"side", 0.2, 0.02, 100, 0, "m", "mean size of a body"},
            [SPREAD] = {"spread", 0, 0, 0.9, 0, "1", "of the sizes, relative"},
            [DISORDER] = {"disorder", 0, 0, 1, 0, "1",
                          "largest rotation over a half turn; flattens boxes, too"},
            [WALLS] = {"walls", 0, 0, 1, 1, "1", "four walls around the pile"},
            [SPEED] = {"speed", 0, 0, 100, 0, "m/s", "largest initial velocity along an axis"},
            [SEED] = {"seed", 1, 0, 1e9, 1, "1", "of sizes, masses, rotations and velocities"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .mesh = "in the place of boxes: a closed mesh, scaled to their length, as a grid",
    .take_mesh = take_mesh,
    .observe = observe,
};
