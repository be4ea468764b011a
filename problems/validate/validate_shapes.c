/* What collision detection and drawing rely on in shapes. Names are the datasets of docs/reference/formats.md. */
#include <math.h>
#include <stdio.h>

#include "problems/base/vec3.h"
#include "problems/distance/distance.h"
#include "problems/validate/validate_parts.h"

/* corners: how many vertices, or for a surface particles, there are to name. */
static enum nb_status check_faces(const struct nb_shape *shape, int index, int corners,
                                  struct nb_error *error)
{
    const int surface = shape->kind == NB_SHAPE_SURFACE;
    if (!shape->face_start || !shape->face_vertex)
        return nb_fail(error, NB_BAD_INPUT, "shapes/face_start: shape %d has no faces", index);
    if (shape->face_start[0] != 0)
        return nb_fail(error, NB_BAD_INPUT, "shapes/face_start: shape %d starts at %d, must be 0",
                       index, shape->face_start[0]);
    for (int face = 0; face < shape->face_count; ++face) {
        const int begin = shape->face_start[face], end = shape->face_start[face + 1];
        if (end < begin + 3 || end > NB_LARGEST_COUNT)
            return nb_fail(error, NB_BAD_INPUT,
                           "shapes/face_start: face %d of shape %d has %d corners, needs 3", face,
                           index, end - begin);
        if (surface && end != begin + 3)
            return nb_fail(error, NB_BAD_INPUT,
                           "shapes/face_start: face %d of shape %d has %d corners, a surface's has "
                           "3", face, index, end - begin);
        for (int k = begin; k < end; ++k)
            if (shape->face_vertex[k] < 0 || shape->face_vertex[k] >= corners)
                return nb_fail(error, NB_BAD_INPUT,
                               "shapes/face_vertex: face %d of shape %d names %s %d of %d", face,
                               index, surface ? "particle" : "vertex", shape->face_vertex[k],
                               corners);
    }
    return NB_OK;
}

static enum nb_status check_vertices(const struct nb_shape *shape, int index, struct nb_error *error)
{
    if (!shape->vertex && shape->vertex_count > 0)
        return nb_fail(error, NB_BAD_INPUT, "shapes/vertex: shape %d has no vertices", index);
    for (int i = 0; i < 3 * shape->vertex_count; ++i)
        if (!isfinite(shape->vertex[i]))
            return nb_fail(error, NB_BAD_INPUT,
                           "shapes/vertex: vertex %d of shape %d is %g, not a finite number", i / 3,
                           index, shape->vertex[i]);
    return NB_OK;
}

/* Radius and half length, which only spheres and capsules use. */
static enum nb_status check_roundness(const struct nb_shape *shape, int index,
                                      struct nb_error *error)
{
    const int round = nb_shape_is_round(shape);
    if (!isfinite(shape->radius) || shape->radius < 0 || (round && shape->radius == 0))
        return nb_fail(error, NB_BAD_INPUT, "shapes/radius: entry %d is %g m, must be %s and finite",
                       index, shape->radius, round ? "positive" : "0 or positive");
    if (!isfinite(shape->half_length) || shape->half_length < 0)
        return nb_fail(error, NB_BAD_INPUT,
                       "shapes/half_length: entry %d is %g m, must be 0 or positive, and finite",
                       index, shape->half_length);
    return NB_OK;
}

/* The corners of a surface are particles: it has neither a body nor vertices of its own. */
static enum nb_status check_surface(const struct nb_shape *shape, int index, int particles,
                                    struct nb_error *error)
{
    if (shape->body != -1)
        return nb_fail(error, NB_BAD_INPUT, "shapes/body: entry %d is %d, must be -1 for a surface",
                       index, shape->body);
    if (shape->vertex_count != 0)
        return nb_fail(error, NB_BAD_INPUT,
                       "shapes/vertex: shape %d has %d vertices, a surface has none of its own",
                       index, shape->vertex_count);
    return check_faces(shape, index, particles, error);
}

/* A direction with a coefficient across it, or neither. */
static enum nb_status check_structure(const struct nb_shape *shape, int index, struct nb_error *error)
{
    const double *s = shape->structure, length = sqrt(nb_dot3(s, s));
    if (length == 0 && shape->across == 0)
        return NB_OK;
    if (shape->kind == NB_SHAPE_SURFACE)
        return nb_fail(error, NB_UNSUPPORTED, "shapes/structure: shape %d is a surface of particles, whose friction is "
                       "isotropic", index);
    if (!(fabs(length - 1) <= NB_UNIT_TOLERANCE))
        return nb_fail(error, NB_BAD_INPUT, "shapes/structure: entry %d has the length %g, must be 1, or 0 without "
                       "shapes/across", index, length);
    if (!(shape->friction > 0 && shape->across >= shape->friction / NB_ANISOTROPY &&
          shape->across <= shape->friction * NB_ANISOTROPY))
        return nb_fail(error, NB_BAD_INPUT, "shapes/across: entry %d is %g, allowed: friction/%g to %g friction, with "
                       "friction > 0", index, shape->across, NB_ANISOTROPY, NB_ANISOTROPY);
    return NB_OK;
}

/* Of a grid of two nodes or more along either axis, or none; only where there is a structure to be turned. */
static enum nb_status check_map(const struct nb_shape *shape, int index, struct nb_error *error)
{
    const struct nb_structure_map *map = &shape->map;
    enum nb_status status = NB_OK;
    if (map->nodes[0] == 0 && map->nodes[1] == 0 && !map->angle)
        return NB_OK;
    if (shape->across == 0)
        return nb_fail(error, NB_BAD_INPUT, "shapes/map_nodes: shape %d has a map, and no structure that it turns",
                       index);
    for (int k = 0; k < 2; ++k) {
        if (map->nodes[k] < 2 || map->nodes[k] > NB_MAP_NODES)
            return nb_fail(error, NB_BAD_INPUT, "shapes/map_nodes: shape %d has %d along axis %d, allowed: 2 to %d",
                           index, map->nodes[k], k, NB_MAP_NODES);
        if (!(map->spacing[k] > 0 && isfinite(map->spacing[k])))
            return nb_fail(error, NB_BAD_INPUT, "shapes/map_spacing: entry %d has %g m, must be positive and finite",
                           index, map->spacing[k]);
    }
    if (!map->angle)
        return nb_fail(error, NB_BAD_INPUT, "shapes/map_angle: shape %d has none for its map", index);
    status = nb_check_finite_entry("shapes/map_corner", index, map->corner, 2, error);
    for (size_t i = 0; !status && i < nb_structure_map_nodes(map); ++i)
        status = nb_check_finite_entry("shapes/map_angle of shape", index, map->angle + i, 1, error);
    return status;
}

static enum nb_status check_field(const struct nb_shape *shape, int index, struct nb_error *error)
{
    char what[48];
    snprintf(what, sizeof what, "shapes/field: shape %d", index);
    return nb_distance_check(&shape->field, what, error);
}

enum nb_status nb_validate_shape(const struct nb_problem *problem, int index,
                                 struct nb_error *error)
{
    const struct nb_shape *shape = &problem->shapes[index];
    if ((int)shape->kind < NB_SHAPE_PLANE || shape->kind > NB_SHAPE_FIELD)
        return nb_fail(error, NB_BAD_INPUT, "shapes/kind: entry %d is %d, must be %d to %d", index,
                       (int)shape->kind, NB_SHAPE_PLANE, NB_SHAPE_FIELD);
    enum nb_status status =
        nb_check_body("shapes/body", index, shape->body, problem->bodies.count, error);
    if (!status)
        status = check_roundness(shape, index, error);
    if (!status)
        status = nb_check_finite_entry("shapes/position", index, shape->position, 3, error);
    if (!status)
        status = nb_check_quaternion("shapes/orientation", index, shape->orientation, error);
    if (!status)
        status = nb_check_not_negative_entry("shapes/friction", index, shape->friction, error);
    if (!status)
        status = check_structure(shape, index, error);
    if (!status)
        status = check_map(shape, index, error);
    if (!status)
        status = nb_check_count("shapes/vertex", shape->vertex_count, error);
    if (!status)
        status = nb_check_count("shapes/face_start", shape->face_count, error);
    if (!status && nb_shape_has_vertices(shape) && shape->vertex_count < 4)
        status = nb_fail(error, NB_BAD_INPUT, "shapes/vertex: shape %d has %d vertices, needs 4",
                         index, shape->vertex_count);
    if (!status)
        status = check_vertices(shape, index, error);
    if (!status && shape->kind == NB_SHAPE_SURFACE)
        return check_surface(shape, index, problem->particles.count, error);
    if (!status && (nb_shape_has_vertices(shape) || shape->face_count > 0))
        status = check_faces(shape, index, shape->vertex_count, error);
    if (!status && shape->kind == NB_SHAPE_FIELD)
        status = check_field(shape, index, error);
    return status;
}
