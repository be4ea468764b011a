/* Grids of distances (scene_field.h). The distance from a mesh is that from its nearest triangle, brute force but
 * for those that are too far away for their size; a node is inside where the solid angles of all triangles, over 4 pi,
 * sum to more than 1/2, which small holes do not disturb (van Oosterom and Strackee 1983 for one angle). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/collide/skin.h"
#include "problems/scenes/build/scene_field.h"
#include "problems/validate/validate_parts.h"

enum { RING = 2 };

/* Signed solid angle of a triangle seen from x, over 2. */
static double half_angle(const double *const *corner, const double *x)
{
    double a[3][3], cross[3], length[3];
    for (int k = 0; k < 3; ++k) {
        nb_subtract3(corner[k], x, a[k]);
        length[k] = nb_norm3(a[k]);
    }
    nb_cross3(a[1], a[2], cross);
    const double numerator = nb_dot3(a[0], cross);
    const double denominator = length[0] * length[1] * length[2] + nb_dot3(a[0], a[1]) * length[2] +
                               nb_dot3(a[1], a[2]) * length[0] + nb_dot3(a[2], a[0]) * length[1];
    return atan2(numerator, denominator);
}

/* A triangle of a mesh whose faces are divided in fans, and the ball about its middle that holds it. */
struct piece {
    double corner[9], middle[3], radius;
};

struct pieces {
    int count;
    struct piece *piece;
};

static void add_piece(struct pieces *pieces, const struct nb_shape *shape, const int *corner, int k)
{
    struct piece *piece = &pieces->piece[pieces->count++];
    const int index[3] = {corner[0], corner[k], corner[k + 1]};
    for (int c = 0; c < 9; ++c) {
        piece->corner[c] = shape->vertex[3 * index[c / 3] + c % 3];
        piece->middle[c % 3] += piece->corner[c] / 3;
    }
    for (int c = 0; c < 3; ++c) {
        double arm[3];
        nb_subtract3(piece->corner + 3 * c, piece->middle, arm);
        piece->radius = fmax(piece->radius, nb_norm3(arm) * (1 + 1e-12));
    }
}

static int divide(const struct nb_shape *shape, struct pieces *pieces)
{
    pieces->piece = calloc((size_t)shape->face_start[shape->face_count] + 1, sizeof *pieces->piece);
    for (int face = 0; pieces->piece && face < shape->face_count; ++face)
        for (int k = 1; shape->face_start[face] + k + 1 < shape->face_start[face + 1]; ++k)
            add_piece(pieces, shape, shape->face_vertex + shape->face_start[face], k);
    return pieces->piece != NULL;
}

/* At a node whose neighbour, that far away, has the distance `before`: no nearer triangle is further away than both
 * together, and between the two there is no surface where the neighbour is further away from it than the node. */
static double from_pieces(const struct pieces *pieces, const double *x, double before, double spacing)
{
    double nearest = (fabs(before) + spacing) * (1 + 1e-9), angle = 0;
    const int known = isfinite(before) && fabs(before) > spacing * (1 + 1e-9);
    for (int i = 0; i < pieces->count; ++i) {
        const struct piece *piece = &pieces->piece[i];
        const double *triangle[3] = {piece->corner, piece->corner + 3, piece->corner + 6};
        struct nb_nearest at;
        double way[3];
        nb_subtract3(x, piece->middle, way);
        const double reach = nearest + piece->radius;
        if (nb_dot3(way, way) <= reach * reach) {
            nb_nearest_on_triangle(triangle, x, &at);
            nb_subtract3(x, at.point, way);
            nearest = fmin(nearest, nb_norm3(way));
        }
        if (!known)
            angle += half_angle(triangle, x);
    }
    return (known ? before < 0 : angle > M_PI) ? -nearest : nearest;
}

static void fill_row(const struct nb_shape *shape, const struct pieces *pieces, const struct nb_distance *grid, int row)
{
    double *value = grid->value + (size_t)row * (size_t)grid->nodes[0], before = INFINITY;
    for (int i = 0; i < grid->nodes[0]; ++i) {
        const int place[3] = {i, row % grid->nodes[1], row / grid->nodes[1]};
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = grid->size[k + 1] + grid->size[0] * place[k];
        before = value[i] = pieces->piece ? from_pieces(pieces, x, before, grid->size[0])
                                          : nb_distance_at(&shape->field, x, NULL);
    }
}

static void box_of(const struct nb_shape *mesh, double *lower, double *upper)
{
    for (int k = 0; k < 3; ++k) {
        lower[k] = DBL_MAX;
        upper[k] = -DBL_MAX;
    }
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        lower[i % 3] = fmin(lower[i % 3], mesh->vertex[i]);
        upper[i % 3] = fmax(upper[i % 3], mesh->vertex[i]);
    }
}

void nb_mesh_sides(const struct nb_shape *mesh, double *sides)
{
    double lower[3], upper[3];
    box_of(mesh, lower, upper);
    nb_subtract3(upper, lower, sides);
}

void nb_mesh_centre(struct nb_shape *mesh, double factor)
{
    double lower[3], upper[3];
    box_of(mesh, lower, upper);
    for (int i = 0; i < 3 * mesh->vertex_count; ++i)
        mesh->vertex[i] = factor * (mesh->vertex[i] - (lower[i % 3] + upper[i % 3]) / 2);
}

/* Whether half the diagonal of a cell is less than the field's depth (scene_field.h). */
static enum nb_status check_cells(const struct nb_distance *field, int cells, double longest, struct nb_error *error)
{
    const double depth = nb_distance_depth(field), least = floor(sqrt(3) / 2 * longest / depth) + 1;
    if (!(depth > 0) || cells >= least)
        return NB_OK;
    if (least > NB_MOST_CELLS)
        return nb_fail(error, NB_BAD_INPUT, "grid: the %s, %g m long and %g m deep in its thinnest part, needs %g "
                       "cells, at most %d are taken", nb_distance_name((int)field->kind), longest, depth, least,
                       NB_MOST_CELLS);
    return nb_fail(error, NB_BAD_INPUT, "grid: %d cells of %g m, allowed: %g to %d; half the diagonal of a cell must "
                   "be less than the depth of the %s's thinnest part, %g m", cells, longest / cells, least,
                   NB_MOST_CELLS, nb_distance_name((int)field->kind), depth);
}

static enum nb_status check_nodes(const struct nb_distance *grid, int cells, struct nb_error *error)
{
    const size_t nodes = (size_t)grid->nodes[0] * (size_t)grid->nodes[1] * (size_t)grid->nodes[2];
    for (size_t i = 0; i < nodes; ++i)
        if (grid->value[i] < 0)
            return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "grid: of %d cells of %g m no node lies in the body, whose walls are too thin "
                   "for them: more cells are needed, or thicker walls", cells, grid->size[0]);
}

enum nb_status nb_shape_grid(struct nb_shape *shape, int cells, struct nb_error *error)
{
    struct nb_distance grid = {.kind = NB_DISTANCE_GRID};
    double lower[3], upper[3], longest = 0;
    if (shape->kind == NB_SHAPE_FIELD)
        nb_distance_bounds(&shape->field, lower, upper);
    else
        box_of(shape, lower, upper);
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, upper[k] - lower[k]);
    if (cells < 1 || !(longest > 0))
        return nb_fail(error, NB_BAD_INPUT, "grid: %d cells along %g m, needs 1 and a length", cells, longest);
    enum nb_status status = shape->kind == NB_SHAPE_FIELD ? check_cells(&shape->field, cells, longest, error) : NB_OK;
    if (status)
        return status;
    grid.size[0] = longest / cells;
    double nodes = 1;
    for (int k = 0; k < 3; ++k) {
        grid.nodes[k] = (int)ceil((upper[k] - lower[k]) / grid.size[0] - 1e-9) + 1 + 2 * RING;
        grid.size[k + 1] = (lower[k] + upper[k] - grid.size[0] * (grid.nodes[k] - 1)) / 2;
        nodes *= grid.nodes[k];
    }
    if (nodes > NB_LARGEST_COUNT)
        return nb_fail(error, NB_BAD_INPUT, "grid: %d cells along %g m are %g nodes, at most %d are taken", cells,
                       longest, nodes, NB_LARGEST_COUNT);
    grid.value = malloc((size_t)nodes * sizeof *grid.value);
    if (!grid.value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a grid of %g nodes", nodes);
    struct pieces pieces = {0};
    if (shape->kind != NB_SHAPE_FIELD && !divide(shape, &pieces)) {
        free(grid.value);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a mesh of %d faces", shape->face_count);
    }
    const int rows = grid.nodes[1] * grid.nodes[2];
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < rows; ++row)
        fill_row(shape, &pieces, &grid, row);
    free(pieces.piece);
    status = check_nodes(&grid, cells, error);
    if (status) {
        free(grid.value);
        return status;
    }
    free(shape->field.value);
    shape->field = grid;
    shape->kind = NB_SHAPE_FIELD;
    return NB_OK;
}
