/* Surfaces of shapes as polygons (problems/surface.h). */
#include "problems/surface.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/collide/solid.h"

/* Points on a ring of a round shape, and half of the rings from pole to pole; fewer where thousands
 * of balls would make a large file. */
enum { FINE = 16, COARSE = 8, MANY = 5000 };

/* A plane's rectangle reaches beyond the other shapes by this part of their size. */
static const double rim = 0.1;

static int ring_points(const struct nb_problem *problem)
{
    int count = 0;
    for (int i = 0; i < problem->shape_count; ++i)
        count += nb_shape_is_round(&problem->shapes[i]);
    return count > MANY ? COARSE : FINE;
}

/* Rings between the poles; a capsule has its equator twice. */
static int ring_count(const struct nb_shape *shape, int around)
{
    return around / 2 - 1 + (shape->kind == NB_SHAPE_CAPSULE);
}

static void count(const struct nb_problem *problem, int around, struct nb_surface *surface)
{
    surface->points = problem->particles.count;
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        const int rings = nb_shape_is_round(shape) ? ring_count(shape, around) : 0;
        if (nb_shape_is_round(shape)) {
            surface->points += rings * around + 2;
            surface->polygons += (rings + 1) * around;
            surface->corners += (rings - 1) * around * 4 + 2 * around * 3;
        } else if (shape->kind == NB_SHAPE_PLANE) {
            surface->points += 4;
            surface->polygons += 1;
            surface->corners += 4;
        } else {
            surface->points += nb_shape_has_vertices(shape) ? shape->vertex_count : 0;
            surface->polygons += shape->face_count;
            surface->corners += shape->face_count ? shape->face_start[shape->face_count] : 0;
        }
    }
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_surface *surface = data;
    NB_ARRAY(arena, surface->point, 3 * (size_t)surface->points);
    NB_ARRAY(arena, surface->body, surface->points);
    NB_ARRAY(arena, surface->start, (size_t)surface->polygons + 1);
    NB_ARRAY(arena, surface->corner, surface->corners);
    NB_ARRAY(arena, surface->shape, surface->polygons);
}

/* A surface while it grows: its counts so far, and the shape in turn. */
struct growth {
    const struct nb_problem *problem;
    struct nb_surface *surface;
    int index;                     /* of the shape */
    double rotation[9], position[3]; /* of its frame in the world */
};

/* local: in the shape's frame. */
static void add_point(struct growth *growth, const double *local)
{
    struct nb_surface *surface = growth->surface;
    double *point = surface->point + 3 * surface->points;
    nb_rotate(growth->rotation, local, point);
    nb_add_scaled3(point, 1, growth->position, point);
    surface->body[surface->points++] = growth->problem->shapes[growth->index].body;
}

static void add_polygon(struct growth *growth, int corners, const int *corner, int first)
{
    struct nb_surface *surface = growth->surface;
    for (int k = 0; k < corners; ++k)
        surface->corner[surface->corners++] = first + corner[k];
    surface->shape[surface->polygons++] = growth->index;
    surface->start[surface->polygons] = surface->corners;
}

/* A convex shape or a field has vertices of its own; a deformable surface's are the particles. */
static void add_faces(struct growth *growth, const struct nb_shape *shape)
{
    const int own = nb_shape_has_vertices(shape);
    const int first = own ? growth->surface->points : 0;
    for (int i = 0; own && i < shape->vertex_count; ++i)
        add_point(growth, shape->vertex + 3 * i);
    for (int face = 0; face < shape->face_count; ++face)
        add_polygon(growth, shape->face_start[face + 1] - shape->face_start[face],
                    shape->face_vertex + shape->face_start[face], first);
}

/* Poles first, then the rings from +z to -z. */
static void add_round_points(struct growth *growth, const struct nb_shape *shape, int around)
{
    const double half = shape->kind == NB_SHAPE_CAPSULE ? shape->half_length : 0;
    const int rings = ring_count(shape, around), equator = around / 4;
    const double poles[2][3] = {{0, 0, half + shape->radius}, {0, 0, -half - shape->radius}};
    add_point(growth, poles[0]);
    add_point(growth, poles[1]);
    for (int ring = 0; ring < rings; ++ring) {
        const int lower = half > 0 && ring >= equator;
        const double polar = M_PI * (ring + 1 - lower) / (around / 2);
        for (int k = 0; k < around; ++k) {
            const double angle = 2 * M_PI * k / around;
            const double point[3] = {shape->radius * sin(polar) * cos(angle),
                                     shape->radius * sin(polar) * sin(angle),
                                     shape->radius * cos(polar) + (lower ? -half : half)};
            add_point(growth, point);
        }
    }
}

static void add_round(struct growth *growth, const struct nb_shape *shape, int around)
{
    const int first = growth->surface->points, rings = ring_count(shape, around);
    const int last = 2 + (rings - 1) * around;
    add_round_points(growth, shape, around);
    for (int k = 0; k < around; ++k) {
        const int next = (k + 1) % around;
        const int top[3] = {0, 2 + k, 2 + next}, bottom[3] = {1, last + next, last + k};
        add_polygon(growth, 3, top, first);
        for (int ring = 0; ring + 1 < rings; ++ring) {
            const int upper = 2 + ring * around, lower = upper + around;
            const int side[4] = {upper + k, lower + k, lower + next, upper + next};
            add_polygon(growth, 4, side, first);
        }
        add_polygon(growth, 3, bottom, first);
    }
}

/* The first `points` points in the plane's own axes: from low to high. */
static void extent(const struct growth *growth, int points, double *low, double *high)
{
    for (int i = 0; i < points; ++i) {
        double arm[3], local[3];
        nb_subtract3(growth->surface->point + 3 * i, growth->position, arm);
        nb_rotate_back(growth->rotation, arm, local);
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], local[k]);
            high[k] = fmax(high[k], local[k]);
        }
    }
}

/* bounded: points of the other shapes, which come first. */
static void add_plane(struct growth *growth, int bounded)
{
    static const int corner[4] = {0, 1, 2, 3};
    const int first = growth->surface->points;
    double low[2] = {DBL_MAX, DBL_MAX}, high[2] = {-DBL_MAX, -DBL_MAX};
    extent(growth, bounded, low, high);
    double reach = rim * fmax(high[0] - low[0], high[1] - low[1]);
    if (bounded == 0) {
        memset(low, 0, sizeof low);
        memset(high, 0, sizeof high);
        reach = 1;
    }
    for (int k = 0; k < 4; ++k) {
        const double point[3] = {k == 1 || k == 2 ? high[0] + reach : low[0] - reach,
                                 k >= 2 ? high[1] + reach : low[1] - reach, 0};
        add_point(growth, point);
    }
    add_polygon(growth, 4, corner, first);
}

/* Planes come last, so that they know how far the others reach. */
static void fill(struct growth *growth, int around)
{
    const struct nb_problem *problem = growth->problem;
    struct nb_surface *surface = growth->surface;
    surface->polygons = surface->corners = 0;
    surface->points = problem->particles.count;
    for (int i = 0; i < surface->points; ++i)
        surface->body[i] = -1;
    if (surface->points)
        memcpy(surface->point, problem->particles.position,
               3 * (size_t)surface->points * sizeof *surface->point);
    for (int planes = 0; planes <= 1; ++planes) {
        const int bounded = surface->points;
        for (int i = 0; i < problem->shape_count; ++i) {
            const struct nb_shape *shape = &problem->shapes[i];
            if ((shape->kind == NB_SHAPE_PLANE) != planes)
                continue;
            growth->index = i;
            nb_shape_frame(problem, shape, growth->rotation, growth->position);
            if (planes)
                add_plane(growth, bounded);
            else if (nb_shape_is_round(shape))
                add_round(growth, shape, around);
            else
                add_faces(growth, shape);
        }
    }
}

enum nb_status nb_surface_create(struct nb_surface *surface, const struct nb_problem *problem,
                                 struct nb_error *error)
{
    struct growth growth = {.problem = problem, .surface = surface};
    const int around = ring_points(problem);
    memset(surface, 0, sizeof *surface);
    count(problem, around, surface);
    surface->memory = nb_arena_allocate(lay_out, surface);
    if (!surface->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a surface of %d points", surface->points);
    fill(&growth, around);
    return NB_OK;
}

void nb_surface_free(struct nb_surface *surface)
{
    free(surface->memory);
    memset(surface, 0, sizeof *surface);
}

int nb_contacts_placed(const struct nb_problem *problem)
{
    return problem->contacts.count + problem->drawing.count; /* of which one is 0 */
}

const double *nb_contact_axes(const struct nb_problem *problem, int contact)
{
    return (problem->drawing.count ? problem->drawing.frame : problem->contacts.frame) + 9 * contact;
}

void nb_contact_point(const struct nb_problem *problem, int contact, int side, double *point)
{
    const struct nb_contacts *contacts = &problem->contacts;
    if (problem->drawing.count > 0) {
        memcpy(point, problem->drawing.point + 3 * contact, 3 * sizeof *point);
        return;
    }
    const int entry = 2 * contact + side, body = contacts->body[entry];
    const int *particle = contacts->particle ? contacts->particle + 3 * entry : NULL;
    double matrix[9];
    memcpy(point, contacts->point + 3 * entry, 3 * sizeof *point);
    for (int k = 0; particle && k < 3 && particle[k] >= 0; ++k)
        nb_add_scaled3(point, contacts->weight[3 * entry + k],
                       problem->particles.position + 3 * particle[k], point);
    if (body >= 0) {
        nb_quaternion_matrix(problem->bodies.orientation + 4 * body, matrix);
        nb_rotate(matrix, contacts->point + 3 * entry, point);
        nb_add_scaled3(point, 1, problem->bodies.position + 3 * body, point);
    }
    if (contacts->radius)
        nb_add_scaled3(point, side == 0 ? -contacts->radius[entry] : contacts->radius[entry],
                       contacts->frame + 9 * contact, point);
}
