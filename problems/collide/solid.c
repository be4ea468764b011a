/* Places a shape in the world: vertices, face planes (normals after Newell), edges with their two
 * faces, the segment of a round one, bounding box. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "problems/collide/solid.h"
#include "problems/base/rotation.h"
#include "problems/base/sorted.h"
#include "problems/base/vec3.h"
#include "problems/distance/distance.h"

void nb_shape_frame(const struct nb_problem *problem, const struct nb_shape *shape, double *rotation,
                    double *position)
{
    if (shape->body < 0) {
        nb_quaternion_matrix(shape->orientation, rotation);
        memcpy(position, shape->position, 3 * sizeof *position);
        return;
    }
    const struct nb_bodies *bodies = &problem->bodies;
    const double *orientation = bodies->orientation + 4 * shape->body;
    double quaternion[4], of_body[9], arm[3];
    nb_quaternion_product(orientation, shape->orientation, quaternion);
    nb_quaternion_matrix(quaternion, rotation);
    nb_quaternion_matrix(orientation, of_body);
    nb_rotate(of_body, shape->position, arm);
    nb_add_scaled3(bodies->position + 3 * shape->body, 1, arm, position);
}

static void place_vertices(struct nb_solid *solid, const double *rotation, const double *position)
{
    for (int k = 0; k < 3; ++k) {
        solid->lower[k] = DBL_MAX;
        solid->upper[k] = -DBL_MAX;
    }
    for (int i = 0; i < solid->shape->vertex_count; ++i) {
        double *vertex = solid->vertex + 3 * i;
        nb_rotate(rotation, solid->shape->vertex + 3 * i, vertex);
        for (int k = 0; k < 3; ++k) {
            vertex[k] += position[k];
            solid->lower[k] = fmin(solid->lower[k], vertex[k]);
            solid->upper[k] = fmax(solid->upper[k], vertex[k]);
        }
    }
    solid->size = fmin(solid->upper[0] - solid->lower[0],
                       fmin(solid->upper[1] - solid->lower[1], solid->upper[2] - solid->lower[2]));
}

/* Newell: the sum of the cross products round the face, which collinear corners do not disturb. The
 * offset is the corners' mean, so that no corner is favoured. */
static void place_face(struct nb_solid *solid, int face)
{
    const struct nb_shape *shape = solid->shape;
    const int *corner = shape->face_vertex + shape->face_start[face];
    const int count = shape->face_start[face + 1] - shape->face_start[face];
    double *normal = solid->normal + 3 * face, sum = 0;
    const double *origin = solid->vertex + 3 * corner[0];
    memset(normal, 0, 3 * sizeof *normal);
    for (int k = 1; k + 1 < count; ++k) {
        double u[3], v[3], w[3];
        nb_subtract3(solid->vertex + 3 * corner[k], origin, u);
        nb_subtract3(solid->vertex + 3 * corner[k + 1], origin, v);
        nb_cross3(u, v, w);
        nb_add_scaled3(normal, 1, w, normal);
    }
    if (nb_norm3(normal) > 0)
        nb_normalise3(normal);
    for (int k = 0; k < count; ++k)
        sum += nb_dot3(normal, solid->vertex + 3 * corner[k]);
    solid->offset[face] = sum / count;
}

/* An edge as a face has it. */
struct half_edge {
    int from, to, face;
};

static int compare_half_edges(const void *left, const void *right)
{
    const struct half_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

/* The first face with the edge from one vertex to the other, or -1. */
static int face_with_edge(const struct half_edge *half, int count, int from, int to)
{
    int low = 0, high = count;
    const struct half_edge wanted = {from, to, -1};
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (compare_half_edges(&half[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && half[low].from == from && half[low].to == to ? half[low].face : -1;
}

/* Every edge once: where it is met from the lower vertex to the higher. */
static enum nb_status find_edges(struct nb_solid *solid, struct nb_error *error)
{
    const struct nb_shape *shape = solid->shape;
    const int count = shape->face_start[shape->face_count];
    struct half_edge *half = malloc(2 * ((size_t)count + 1) * sizeof *half), *sorted = half + count;
    if (!half)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a shape of %d faces", shape->face_count);
    for (int face = 0; face < shape->face_count; ++face) {
        const int begin = shape->face_start[face], end = shape->face_start[face + 1];
        for (int k = begin; k < end; ++k)
            half[k] = (struct half_edge){shape->face_vertex[k], shape->face_vertex[k + 1 < end ? k + 1 : begin], face};
    }
    memcpy(sorted, half, (size_t)count * sizeof *half);
    nb_sort(sorted, count, sizeof *sorted, compare_half_edges);
    for (int k = 0; k < count; ++k) {
        const int from = half[k].from, to = half[k].to;
        const int other = from < to ? face_with_edge(sorted, count, to, from) : -1;
        if (other >= 0)
            solid->edge[solid->edge_count++] = (struct nb_edge){{from, to}, {half[k].face, other}};
    }
    free(half);
    return NB_OK;
}

static void place_plane(struct nb_solid *solid, const double *rotation, const double *position)
{
    for (int k = 0; k < 3; ++k)
        solid->normal[k] = rotation[3 * k + 2];
    nb_normalise3(solid->normal);
    solid->offset[0] = nb_dot3(solid->normal, position);
}

static void place_round(struct nb_solid *solid, const double *rotation, const double *position)
{
    const struct nb_shape *shape = solid->shape;
    const double half = shape->kind == NB_SHAPE_CAPSULE ? shape->half_length : 0;
    for (int k = 0; k < 3; ++k) {
        const double reach = half * rotation[3 * k + 2];
        solid->ends[k] = position[k] - reach;
        solid->ends[3 + k] = position[k] + reach;
        solid->lower[k] = position[k] - fabs(reach) - shape->radius;
        solid->upper[k] = position[k] + fabs(reach) + shape->radius;
    }
    solid->size = 2 * shape->radius;
}

/* The box round the field's own: its mesh may be within the body. */
static void place_field(struct nb_solid *solid, const double *rotation, const double *position)
{
    double lower[3], upper[3];
    nb_distance_bounds(&solid->shape->field, lower, upper);
    memcpy(solid->rotation, rotation, sizeof solid->rotation);
    memcpy(solid->position, position, sizeof solid->position);
    for (int k = 0; k < 3; ++k) {
        double middle = position[k], reach = 0;
        for (int c = 0; c < 3; ++c) {
            middle += rotation[3 * k + c] * (lower[c] + upper[c]) / 2;
            reach += fabs(rotation[3 * k + c]) * (upper[c] - lower[c]) / 2;
        }
        solid->lower[k] = middle - reach;
        solid->upper[k] = middle + reach;
    }
}

static enum nb_status allocate(struct nb_solid *solid, size_t vertices, size_t faces,
                               size_t corners, struct nb_error *error)
{
    solid->vertex = malloc((3 * vertices + 1) * sizeof *solid->vertex);
    solid->normal = malloc((3 * faces + 1) * sizeof *solid->normal);
    solid->offset = malloc((faces + 1) * sizeof *solid->offset);
    solid->edge = malloc((corners + 1) * sizeof *solid->edge);
    solid->face_count = (int)faces;
    if (solid->vertex && solid->normal && solid->offset && solid->edge)
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a shape of %zu vertices", vertices);
}

void nb_solid_place(struct nb_solid *solid, const struct nb_problem *problem)
{
    double rotation[9], position[3];
    nb_shape_frame(problem, solid->shape, rotation, position);
    if (nb_solid_is_round(solid)) {
        place_round(solid, rotation, position);
    } else if (solid->shape->kind == NB_SHAPE_PLANE) {
        place_plane(solid, rotation, position);
    } else {
        place_vertices(solid, rotation, position);
        for (int face = 0; face < solid->face_count; ++face)
            place_face(solid, face);
        if (nb_solid_is_field(solid))
            place_field(solid, rotation, position);
    }
}

enum nb_status nb_solid_create(struct nb_solid *solid, const struct nb_problem *problem,
                               const struct nb_shape *shape, struct nb_error *error)
{
    const int plane = shape->kind == NB_SHAPE_PLANE;
    memset(solid, 0, sizeof *solid);
    solid->shape = shape;
    solid->group = shape->body;
    if (nb_solid_is_round(solid)) {
        nb_solid_place(solid, problem);
        return NB_OK;
    }
    const enum nb_status status =
        plane ? allocate(solid, 0, 1, 0, error)
              : allocate(solid, (size_t)shape->vertex_count, (size_t)shape->face_count,
                         (size_t)shape->face_start[shape->face_count], error);
    if (status)
        return status;
    nb_solid_place(solid, problem);
    return plane ? NB_OK : find_edges(solid, error);
}

double nb_solid_distance(const struct nb_solid *solid, const double *x, double *gradient)
{
    double local[3], slope[3];
    nb_solid_to_field(solid, x, local);
    const double distance = nb_distance_at(&solid->shape->field, local, slope);
    nb_rotate(solid->rotation, slope, gradient);
    return distance;
}

void nb_solid_to_field(const struct nb_solid *solid, const double *x, double *local)
{
    double arm[3];
    nb_subtract3(x, solid->position, arm);
    nb_rotate_back(solid->rotation, arm, local);
}

void nb_solid_range(const struct nb_solid *solid, const double *direction, double *low,
                    double *high)
{
    const int round = nb_solid_is_round(solid);
    const double *point = round ? solid->ends : solid->vertex;
    const int count = round ? 2 : solid->shape->vertex_count;
    const double reach = round ? solid->shape->radius : 0;
    *low = DBL_MAX;
    *high = -DBL_MAX;
    for (int i = 0; i < count; ++i) {
        const double x = nb_dot3(direction, point + 3 * i);
        *low = fmin(*low, x - reach);
        *high = fmax(*high, x + reach);
    }
}

void nb_solid_free(struct nb_solid *solid)
{
    if (!solid)
        return;
    free(solid->vertex);
    free(solid->normal);
    free(solid->offset);
    free(solid->edge);
    memset(solid, 0, sizeof *solid);
}
