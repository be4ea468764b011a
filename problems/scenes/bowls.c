/* Stacks of bowls, after the pile of 512 bowls of triangle meshes in Macklin 2020 (thesis), figure 24 and table 3 (393
 * thousand contacts): here of convex pieces. Friction is printed, all sizes are ours.
 *
 * A bowl is a disc and `rings` rings of `sides` pieces on it. Its outer surface has the profile of a sphere's arc,
 * (R sin a, R (1 - cos a)) at angles a from `base` to `rim`; the inner surface is the outer one, higher by the
 * thickness d. So bowls nest: one that is higher by d touches the one below all over, with about eight contacts for
 * each piece, which carry its weight in ways without number. Bowls stand on columns x columns places, nested in each,
 * `gap` higher than they nest, and fall by that. 512 bowls of the default's pieces have more than 1e5 contacts.
 *
 * Masses and inertia are sums over the pieces, which do not overlap: about the centroid c of all, with p = c_i - c,
 * I = sum I_i + m_i (|p|^2 - p p^T). */
#include <math.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT,
       COLUMNS,
       SIDES,
       RINGS,
       RADIUS,
       BASE,
       RIM,
       THICKNESS,
       GAP,
       DENSITY,
       FRICTION,
       TIME_STEP,
       GRAVITY,
       MARGIN };
enum { GROUND = 1 };

static int count_pieces(const double *values)
{
    return 1 + (int)values[SIDES] * (int)values[RINGS];
}

/* Radius and height of the outer profile at the ring's lower edge, from 0 at the disc. */
static void profile(const double *values, int ring, double *radius, double *height)
{
    const double degree = M_PI / 180, share = ring / values[RINGS];
    const double base = values[BASE] * degree, angle = base + share * (values[RIM] * degree - base);
    *radius = values[RADIUS] * sin(angle);
    *height = values[RADIUS] * (cos(base) - cos(angle));
}

/* Piece `side` of a ring: its outer quadrangle, counter-clockwise from above, and the same d higher. */
static enum nb_status make_piece(const double *values, struct nb_shape *shape, int ring, int side,
                                 struct nb_error *error)
{
    double radius[2], height[2];
    const enum nb_status status = nb_shape_cylinder(shape, 1, 1, 4, 0, error);
    if (status)
        return status;
    for (int k = 0; k < 2; ++k)
        profile(values, ring + k, &radius[k], &height[k]);
    for (int i = 0; i < 8; ++i) {
        const int corner = i % 4, outer = corner == 1 || corner == 2;
        const double angle = 2 * M_PI * (side + corner / 2) / values[SIDES];
        double *vertex = shape->vertex + 3 * i;
        vertex[0] = radius[outer] * cos(angle);
        vertex[1] = radius[outer] * sin(angle);
        vertex[2] = height[outer] + (i < 4 ? 0 : values[THICKNESS]);
    }
    return NB_OK;
}

static enum nb_status make_pieces(const double *values, struct nb_shape *shapes, struct nb_error *error)
{
    const int sides = (int)values[SIDES];
    double radius, height;
    profile(values, 0, &radius, &height);
    enum nb_status status = nb_shape_cylinder(&shapes[0], radius, values[THICKNESS], sides, 0, error);
    for (int i = 0; !status && i < 2 * sides; ++i)
        shapes[0].vertex[3 * i + 2] += values[THICKNESS] / 2;
    for (int i = 1; !status && i < count_pieces(values); ++i)
        status = make_piece(values, &shapes[i], (i - 1) / sides, (i - 1) % sides, error);
    return status;
}

/* Body `index` of these pieces of one density; they move into its frame. */
static void join_pieces(struct nb_problem *problem, int index, struct nb_shape *pieces, int count, double density)
{
    double *centre = problem->bodies.position + 3 * index, *inertia = problem->bodies.inertia + 9 * index;
    double volume, whole = 0, centroid[3], own[9];
    for (int i = 0; i < count; ++i) {
        nb_shape_integrals(&pieces[i], &volume, centroid, own);
        nb_add_scaled3(centre, volume, centroid, centre);
        whole += volume;
    }
    for (int k = 0; k < 3; ++k)
        centre[k] /= whole;
    for (int i = 0; i < count; ++i) {
        nb_shape_integrals(&pieces[i], &volume, centroid, own);
        nb_subtract3(centroid, centre, centroid);
        for (int k = 0; k < 9; ++k)
            inertia[k] += density * (own[k] + volume * ((k % 4 ? 0 : nb_dot3(centroid, centroid)) -
                                                        centroid[k / 3] * centroid[k % 3]));
        for (int v = 0; v < pieces[i].vertex_count; ++v)
            nb_subtract3(pieces[i].vertex + 3 * v, centre, pieces[i].vertex + 3 * v);
        pieces[i].body = index;
    }
    problem->bodies.mass[index] = density * whole;
}

/* Bowl i is the i/columns^2-th of its stack, from below. */
static enum nb_status make_bowl(const double *values, struct nb_problem *problem, int i, struct nb_error *error)
{
    const int columns = (int)values[COLUMNS], place = i % (columns * columns), pieces = count_pieces(values);
    struct nb_shape *shapes = &problem->shapes[GROUND + i * pieces];
    const enum nb_status status = make_pieces(values, shapes, error);
    if (status)
        return status;
    double radius, height, *centre = problem->bodies.position + 3 * i;
    profile(values, (int)values[RINGS], &radius, &height);
    join_pieces(problem, i, shapes, pieces, values[DENSITY]);
    centre[0] += (place % columns - (columns - 1) / 2.0) * 2.2 * radius;
    centre[1] += (place / columns - (columns - 1) / 2.0) * 2.2 * radius;
    centre[2] += i / (columns * columns) * (values[THICKNESS] + values[GAP]) + values[GAP];
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int count = (int)values[COUNT];
    if (values[RIM] <= values[BASE])
        return nb_fail(error, NB_BAD_INPUT, "bowls: rim = %g degrees must be above base = %g degrees", values[RIM],
                       values[BASE]);
    enum nb_status status = nb_scene_allocate_on_ground(problem, count, GROUND + count * count_pieces(values),
                                                        values[FRICTION], error);
    for (int i = 0; !status && i < count; ++i)
        status = make_bowl(values, problem, i, error);
    return status;
}

const struct nb_scene nb_scene_bowls = {
    .name = "bowls",
    .title = "Stacks of nested bowls",
    .source = "Macklin 2020 (thesis), figure 24 and table 3; convex pieces for triangle meshes, all sizes ours",
    .observable = "height of the last bowl's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 3, 1, 10000, 1, "1", "bowls"},
            [COLUMNS] = {"columns", 1, 1, 100, 1, "1", "stacks along a side of the square of stacks"},
            [SIDES] = {"sides", 8, 3, 128, 1, "1", "pieces round a bowl"},
            [RINGS] = {"rings", 2, 1, 32, 1, "1", "rings of pieces around the disc"},
            [RADIUS] = {"radius", 0.1, 1e-3, 10, 0, "m", "of the sphere whose arc is the outer profile"},
            [BASE] = {"base", 25, 5, 80, 0, "degrees", "of the arc where the disc ends"},
            [RIM] = {"rim", 65, 6, 85, 0, "degrees", "of the arc at the rim"},
            [THICKNESS] = {"thickness", 0.01, 1e-4, 1, 0, "m", "of a bowl, along its axis"},
            [GAP] = {"gap", 0, 0, 10, 0, "m", "below each bowl at the start"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the bowls"},
            [FRICTION] = NB_SCENE_FRICTION(0.7),
            [TIME_STEP] = NB_SCENE_STEP(0.005, 9.81, 0.001),
        },
    .build = build,
    .observe = nb_scene_last_height,
};
