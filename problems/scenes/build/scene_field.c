/* Fields and ropes (scene_field.h). A mesh of a body of revolution has a ring of points for each point of its profile,
 * or a pole where that is on the axis. */
#include "problems/scenes/build/scene_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/collide/solid.h"
#include "problems/distance/closest.h"
#include "problems/scenes/build/scene_build.h"

enum { MOST = 128 };

/* Points as radius, z, counter-clockwise; closed: the last is followed by the first. */
struct profile {
    int count, closed;
    double point[2 * MOST];
};

static void add_arc(struct profile *profile, double radius, double z, const double *angles, int pieces, double tube)
{
    for (int i = 0; i <= pieces - profile->closed && profile->count < MOST; ++i) {
        const double angle = angles[0] + (angles[1] - angles[0]) * i / pieces;
        double *point = profile->point + 2 * profile->count++;
        point[0] = radius + tube * cos(angle);
        point[1] = z + tube * sin(angle);
        if (radius == 0 && fabs(point[0]) < 1e-12 * tube)
            point[0] = 0;
    }
}

static struct profile profile_of(const struct nb_distance *field, int around)
{
    static const double lower[2] = {-M_PI_2, 0}, upper[2] = {0, M_PI_2}, whole[2] = {-M_PI_2, M_PI_2};
    static const double full[2] = {-M_PI, M_PI};
    const double *s = field->size;
    struct profile profile = {.closed = field->kind == NB_DISTANCE_TORUS};
    if (field->kind == NB_DISTANCE_SPHERE)
        add_arc(&profile, 0, 0, whole, around / 2, s[0]);
    else if (field->kind == NB_DISTANCE_TORUS)
        add_arc(&profile, s[0], 0, full, around / 2, s[1]);
    else if (field->kind == NB_DISTANCE_CAPSULE) {
        add_arc(&profile, 0, -s[1], lower, around / 4, s[0]);
        add_arc(&profile, 0, s[1], upper, around / 4, s[0]);
    } else
        profile.count = nb_distance_profile(field, profile.point);
    return profile;
}

static int on_axis(const struct profile *profile, int i)
{
    return profile->point[2 * (i % profile->count)] == 0;
}

/* The vertex of ring i at place k round the axis. */
static int vertex_at(const struct profile *profile, int around, int i, int k)
{
    int first = 0;
    i %= profile->count;
    for (int j = 0; j < i; ++j)
        first += on_axis(profile, j) ? 1 : around;
    return on_axis(profile, i) ? first : first + k % around;
}

static enum nb_status revolve(struct nb_shape *shape, const struct profile *profile, int around, struct nb_error *error)
{
    const int bands = profile->count - !profile->closed;
    int vertices = 0, corners = 0, corner = 0;
    for (int i = 0; i < profile->count; ++i)
        vertices += on_axis(profile, i) ? 1 : around;
    for (int i = 0; i < bands; ++i)
        corners += around * (4 - on_axis(profile, i) - on_axis(profile, i + 1));
    const enum nb_status status = nb_shape_allocate(shape, vertices, bands * around, corners, error);
    if (status)
        return status;
    for (int i = 0; i < profile->count; ++i)
        for (int k = 0; k < around; ++k) {
            double *v = shape->vertex + 3 * vertex_at(profile, around, i, k);
            const double angle = 2 * M_PI * k / around;
            v[0] = profile->point[2 * i] * cos(angle);
            v[1] = profile->point[2 * i] * sin(angle);
            v[2] = profile->point[2 * i + 1];
        }
    for (int i = 0, face = 0; i < bands; ++i)
        for (int k = 0; k < around; ++k) {
            const int at[4][2] = {{i, k}, {i, k + 1}, {i + 1, k + 1}, {i + 1, k}};
            for (int c = 0; c < 4; ++c)
                if (!((c == 1 || c == 3) && on_axis(profile, at[c][0])))
                    shape->face_vertex[corner++] = vertex_at(profile, around, at[c][0], at[c][1]);
            shape->face_start[++face] = corner;
        }
    return NB_OK;
}

enum nb_status nb_shape_field(struct nb_shape *shape, enum nb_distance_kind kind, const double *size, int around,
                              struct nb_error *error)
{
    struct nb_distance field = {.kind = kind};
    memcpy(field.size, size, (size_t)nb_distance_sizes((int)kind) * sizeof *size);
    enum nb_status status = nb_distance_check(&field, "field", error);
    if (!status && kind == NB_DISTANCE_BOX) {
        const double sides[3] = {2 * size[0], 2 * size[1], 2 * size[2]};
        status = nb_shape_box(shape, sides, error);
    } else if (!status) {
        const struct profile profile = profile_of(&field, around);
        status = revolve(shape, &profile, around, error);
    }
    shape->kind = NB_SHAPE_FIELD;
    shape->field = field;
    return status;
}

enum nb_status nb_shape_rope(struct nb_shape *shape, int first, int segments, double radius, struct nb_error *error)
{
    shape->kind = NB_SHAPE_SURFACE;
    shape->radius = radius;
    shape->face_count = segments;
    shape->face_start = malloc(((size_t)segments + 1) * sizeof *shape->face_start);
    shape->face_vertex = malloc((3 * (size_t)segments + 1) * sizeof *shape->face_vertex);
    if (!shape->face_start || !shape->face_vertex)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a rope of %d segments", segments);
    for (int i = 0; i <= segments; ++i)
        shape->face_start[i] = 3 * i;
    for (int i = 0; i < 3 * segments; ++i)
        shape->face_vertex[i] = first + i / 3 + (i % 3 > 0);
    return NB_OK;
}

/* The deepest point of a face, found with the default method whatever the contacts were found with. */
static double depth_of(const struct nb_problem *problem, const struct nb_solid *solid, const int *corner)
{
    struct nb_element element = {.field = &solid->shape->field, .corners = corner[1] == corner[2] ? 2 : 3};
    struct nb_closest best;
    for (int k = 0; k < element.corners; ++k)
        nb_solid_to_field(solid, problem->particles.position + 3 * corner[k], element.corner + 3 * k);
    if (nb_element_is_far(&element, 0))
        return 0;
    nb_closest_find(nb_closest_numbered(NB_CLOSEST_DEFAULT), &element, NB_CLOSEST_ITERATIONS, &best, NULL);
    return fmax(0, -best.distance);
}

double nb_scene_depth_in_fields(const struct nb_problem *problem)
{
    double deepest = 0;
    for (int i = 0; i < problem->shape_count; ++i) {
        struct nb_solid solid = {.shape = &problem->shapes[i]};
        if (!nb_solid_is_field(&solid))
            continue;
        nb_shape_frame(problem, solid.shape, solid.rotation, solid.position);
        for (int j = 0; j < problem->shape_count; ++j) {
            const struct nb_shape *skin = &problem->shapes[j];
            for (int face = 0; skin->kind == NB_SHAPE_SURFACE && face < skin->face_count; ++face)
                deepest = fmax(deepest, depth_of(problem, &solid, skin->face_vertex + 3 * face));
        }
    }
    return deepest;
}
