/* Grids of distances (scene_field.h). The distance from a mesh is that from its nearest triangle, brute force; a node
 * is inside where the solid angles of all triangles, over 4 pi, sum to more than 1/2, which small holes do not disturb
 * (van Oosterom and Strackee 1983 for one angle). */
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

/* Faces are divided in fans. */
static double from_mesh(const struct nb_shape *shape, const double *x)
{
    double nearest = DBL_MAX, angle = 0;
    for (int face = 0; face < shape->face_count; ++face) {
        const int *corner = shape->face_vertex + shape->face_start[face];
        const int count = shape->face_start[face + 1] - shape->face_start[face];
        for (int k = 1; k + 1 < count; ++k) {
            const double *triangle[3] = {shape->vertex + 3 * corner[0], shape->vertex + 3 * corner[k],
                                         shape->vertex + 3 * corner[k + 1]};
            struct nb_nearest at;
            double way[3];
            nb_nearest_on_triangle(triangle, x, &at);
            nb_subtract3(x, at.point, way);
            nearest = fmin(nearest, nb_dot3(way, way));
            angle += half_angle(triangle, x);
        }
    }
    return angle > M_PI ? -sqrt(nearest) : sqrt(nearest);
}

static void bounds_of(const struct nb_shape *shape, double *lower, double *upper)
{
    if (shape->kind == NB_SHAPE_FIELD) {
        nb_distance_bounds(&shape->field, lower, upper);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        lower[k] = DBL_MAX;
        upper[k] = -DBL_MAX;
    }
    for (int i = 0; i < 3 * shape->vertex_count; ++i) {
        lower[i % 3] = fmin(lower[i % 3], shape->vertex[i]);
        upper[i % 3] = fmax(upper[i % 3], shape->vertex[i]);
    }
}

enum nb_status nb_shape_grid(struct nb_shape *shape, int cells, struct nb_error *error)
{
    struct nb_distance grid = {.kind = NB_DISTANCE_GRID};
    double lower[3], upper[3], longest = 0;
    bounds_of(shape, lower, upper);
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, upper[k] - lower[k]);
    if (cells < 1 || !(longest > 0))
        return nb_fail(error, NB_BAD_INPUT, "grid: %d cells along %g m, needs 1 and a length", cells, longest);
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
    const int rows = grid.nodes[1] * grid.nodes[2];
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < rows; ++row)
        for (int i = 0; i < grid.nodes[0]; ++i) {
            const int place[3] = {i, row % grid.nodes[1], row / grid.nodes[1]};
            double x[3];
            for (int k = 0; k < 3; ++k)
                x[k] = grid.size[k + 1] + grid.size[0] * place[k];
            grid.value[(size_t)row * (size_t)grid.nodes[0] + (size_t)i] =
                shape->kind == NB_SHAPE_FIELD ? nb_distance_at(&shape->field, x, NULL) : from_mesh(shape, x);
        }
    free(shape->field.value);
    shape->field = grid;
    shape->kind = NB_SHAPE_FIELD;
    return NB_OK;
}
