/* Shapes and bodies for scenes.
 *
 * Volume integrals: the solid is the signed sum of the tetrahedra (0, a, b, c) over the triangles
 * of its faces, V = det[a b c]/6 each, with first moment V (a + b + c)/4 and second moment
 *     integral x x^T = V/20 (a a^T + b b^T + c c^T + s s^T),  s = a + b + c. */
#include "problems/scenes/build/scene_build.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/fields.h"

static const double identity[4] = {1, 0, 0, 0};

enum nb_status nb_scene_allocate(struct nb_problem *problem, int bodies, int shapes,
                                 struct nb_error *error)
{
    const enum nb_status status = nb_group_allocate(problem, NB_BODIES, bodies, error);
    if (status)
        return status;
    problem->shapes = calloc((size_t)shapes + 1, sizeof *problem->shapes);
    if (!problem->shapes)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d shapes", shapes);
    problem->shape_count = shapes;
    for (int i = 0; i < bodies; ++i)
        memcpy(problem->bodies.orientation + 4 * i, identity, sizeof identity);
    for (int i = 0; i < shapes; ++i) {
        problem->shapes[i].body = -1;
        memcpy(problem->shapes[i].orientation, identity, sizeof identity);
    }
    return NB_OK;
}

enum nb_status nb_scene_allocate_on_ground(struct nb_problem *problem, int bodies, int shapes,
                                           double friction, struct nb_error *error)
{
    const enum nb_status status = nb_scene_allocate(problem, bodies, shapes, error);
    for (int i = 0; !status && i < shapes; ++i)
        problem->shapes[i].friction = friction;
    if (!status)
        problem->shapes[0].kind = NB_SHAPE_PLANE;
    return status;
}

double nb_scene_last_height(const struct nb_problem *problem)
{
    return problem->bodies.position[3 * problem->bodies.count - 1];
}

double nb_scene_mean_height(const struct nb_problem *problem)
{
    double sum = 0;
    for (int i = 0; i < problem->bodies.count; ++i)
        sum += problem->bodies.position[3 * i + 2];
    return sum / problem->bodies.count;
}

enum nb_status nb_shape_allocate(struct nb_shape *shape, int vertices, int faces, int corners,
                                 struct nb_error *error)
{
    shape->kind = NB_SHAPE_CONVEX;
    shape->vertex = calloc(3 * (size_t)vertices, sizeof *shape->vertex);
    shape->face_start = calloc((size_t)faces + 1, sizeof *shape->face_start);
    shape->face_vertex = calloc((size_t)corners, sizeof *shape->face_vertex);
    if (!shape->vertex || !shape->face_start || !shape->face_vertex)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a shape of %d vertices", vertices);
    shape->vertex_count = vertices;
    shape->face_count = faces;
    return NB_OK;
}

/* The shortest turn from z to n: (1 + z . n, z x n), normalised; half a turn about x for -z. */
void nb_scene_make_plane(struct nb_shape *shape, const double *point, const double *normal,
                         double friction)
{
    const int reversed = normal[2] < -0.5 && normal[0] == 0 && normal[1] == 0;
    const double turn[4] = {1 + normal[2], -normal[1], normal[0], 0}, half[4] = {0, 1, 0, 0};
    const double length = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    shape->kind = NB_SHAPE_PLANE;
    shape->friction = friction;
    memcpy(shape->position, point, 3 * sizeof *point);
    for (int k = 0; k < 4; ++k)
        shape->orientation[k] = reversed ? half[k] : turn[k] / length;
}

void nb_scene_make_container(struct nb_shape *shapes, int walls, double distance, double friction)
{
    static const double origin[3] = {0}, up[3] = {0, 0, 1};
    nb_scene_make_plane(&shapes[0], origin, up, friction);
    for (int i = 0; walls && i < 4; ++i) {
        double point[3] = {0}, normal[3] = {0};
        normal[i / 2] = i % 2 ? -1 : 1;
        point[i / 2] = -distance * normal[i / 2];
        nb_scene_make_plane(&shapes[i + 1], point, normal, friction);
    }
}

enum nb_status nb_shape_box(struct nb_shape *shape, const double *sides, struct nb_error *error)
{
    const double x = sides[0] / 2, z = sides[2] / 2;
    const double corners[8] = {-x, -z, x, -z, x, z, -x, z};
    return nb_shape_prism(shape, corners, sides[1], 0, error);
}

/* Vertex k of the edge through corner c is c (2 + extra) + k, y ascending with k. */
enum nb_status nb_shape_prism(struct nb_shape *shape, const double *corners, double depth,
                              int extra, struct nb_error *error)
{
    const int line = 2 + extra;
    const enum nb_status status = nb_shape_allocate(shape, 4 * line, 6, 8 * line + 8, error);
    if (status)
        return status;
    for (int i = 0; i < 4 * line; ++i) {
        shape->vertex[3 * i] = corners[2 * (i / line)];
        shape->vertex[3 * i + 1] = depth * ((double)(i % line) / (line - 1) - 0.5);
        shape->vertex[3 * i + 2] = corners[2 * (i / line) + 1];
    }
    int *out = shape->face_vertex;
    for (int c = 0; c < 4; ++c) {
        const int next = (c + 1) % 4;
        for (int k = line - 1; k >= 0; --k)
            *out++ = next * line + k;
        for (int k = 0; k < line; ++k)
            *out++ = c * line + k;
        shape->face_start[c + 1] = (int)(out - shape->face_vertex);
    }
    for (int c = 0; c < 4; ++c)
        *out++ = c * line;
    shape->face_start[5] = (int)(out - shape->face_vertex);
    for (int c = 3; c >= 0; --c)
        *out++ = c * line + line - 1;
    shape->face_start[6] = (int)(out - shape->face_vertex);
    return NB_OK;
}

/* Vertices: the lower ring, then the upper. */
enum nb_status nb_shape_cylinder(struct nb_shape *shape, double radius, double length, int sides,
                                 double first, struct nb_error *error)
{
    const enum nb_status status = nb_shape_allocate(shape, 2 * sides, sides + 2, 6 * sides, error);
    if (status)
        return status;
    int *out = shape->face_vertex;
    for (int i = 0; i < 2 * sides; ++i) {
        const double angle = 2 * M_PI * (i % sides + first) / sides;
        shape->vertex[3 * i] = radius * cos(angle);
        shape->vertex[3 * i + 1] = radius * sin(angle);
        shape->vertex[3 * i + 2] = i < sides ? -length / 2 : length / 2;
    }
    for (int i = 0; i < sides; ++i) {
        const int next = (i + 1) % sides;
        const int corners[4] = {i, next, sides + next, sides + i};
        memcpy(out + 4 * i, corners, sizeof corners);
        shape->face_start[i + 1] = 4 * (i + 1);
    }
    for (int i = 0; i < sides; ++i) {
        out[4 * sides + i] = sides - 1 - i;
        out[5 * sides + i] = sides + i;
    }
    shape->face_start[sides + 1] = 5 * sides;
    shape->face_start[sides + 2] = 6 * sides;
    return NB_OK;
}

/* Adds the tetrahedron (0, a, b, c): volume, first moment [3], second moment [9]. */
static void add_tetrahedron(const double *a, const double *b, const double *c, double *volume,
                            double *first, double *second)
{
    double cross[3];
    nb_cross3(b, c, cross);
    const double v = nb_dot3(a, cross) / 6;
    *volume += v;
    for (int i = 0; i < 3; ++i) {
        const double sum_i = a[i] + b[i] + c[i];
        first[i] += v / 4 * sum_i;
        for (int j = 0; j < 3; ++j)
            second[3 * i + j] += v / 20 *
                                 (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] +
                                  sum_i * (a[j] + b[j] + c[j]));
    }
}

void nb_shape_integrals(const struct nb_shape *shape, double *volume, double *centroid,
                        double *inertia)
{
    double first[3] = {0}, second[9] = {0};
    const double *origin = shape->vertex; /* near the solid: less cancellation */
    *volume = 0;
    for (int face = 0; face < shape->face_count; ++face) {
        const int begin = shape->face_start[face], end = shape->face_start[face + 1];
        for (int k = begin + 1; k + 1 < end; ++k) {
            double a[3], b[3], c[3];
            nb_subtract3(shape->vertex + 3 * shape->face_vertex[begin], origin, a);
            nb_subtract3(shape->vertex + 3 * shape->face_vertex[k], origin, b);
            nb_subtract3(shape->vertex + 3 * shape->face_vertex[k + 1], origin, c);
            add_tetrahedron(a, b, c, volume, first, second);
        }
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            second[3 * i + j] -= first[i] * first[j] / *volume;
    const double trace = second[0] + second[4] + second[8];
    for (int i = 0; i < 3; ++i) {
        centroid[i] = origin[i] + first[i] / *volume;
        for (int j = 0; j < 3; ++j)
            inertia[3 * i + j] =
                (i == j ? trace : 0) - (second[3 * i + j] + second[3 * j + i]) / 2;
    }
}

void nb_scene_make_body(struct nb_problem *problem, int index, struct nb_shape *shape,
                        double density)
{
    struct nb_bodies *bodies = &problem->bodies;
    double volume, *centre = bodies->position + 3 * index, *inertia = bodies->inertia + 9 * index;
    nb_shape_integrals(shape, &volume, centre, inertia);
    bodies->mass[index] = density * volume;
    for (int k = 0; k < 9; ++k)
        inertia[k] *= density;
    for (int i = 0; i < shape->vertex_count; ++i)
        nb_subtract3(shape->vertex + 3 * i, centre, shape->vertex + 3 * i);
    shape->body = index;
}

void nb_scene_make_convex(struct nb_problem *problem, int index, struct nb_shape *shape,
                          double mass, const double *centre)
{
    double volume, centroid[3], inertia[9];
    nb_shape_integrals(shape, &volume, centroid, inertia);
    nb_scene_make_body(problem, index, shape, mass / volume);
    memcpy(problem->bodies.position + 3 * index, centre, 3 * sizeof *centre);
}

static void make_round(struct nb_problem *problem, int index, struct nb_shape *shape, double mass,
                       const double *centre, double across, double along)
{
    struct nb_bodies *bodies = &problem->bodies;
    double *inertia = bodies->inertia + 9 * index;
    inertia[0] = inertia[4] = across;
    inertia[8] = along;
    bodies->mass[index] = mass;
    memcpy(bodies->position + 3 * index, centre, 3 * sizeof *centre);
    shape->body = index;
}

void nb_scene_make_sphere(struct nb_problem *problem, int index, struct nb_shape *shape,
                          double radius, double mass, const double *centre)
{
    const double inertia = 0.4 * mass * radius * radius;
    shape->kind = NB_SHAPE_SPHERE;
    shape->radius = radius;
    make_round(problem, index, shape, mass, centre, inertia, inertia);
}

/* A cylinder of length 2 L and two half balls, whose centroids lie 3 r/8 from their flat faces:
 * volumes 2 pi r^2 L and 4 pi r^3/3. */
void nb_scene_make_capsule(struct nb_problem *problem, int index, struct nb_shape *shape,
                           double radius, double half_length, double mass, const double *centre)
{
    const double r = radius, l = half_length, middle = mass * l / (l + r / 1.5);
    const double caps = mass - middle;
    const double across = middle * (r * r / 4 + l * l / 3) +
                          caps * (0.4 * r * r + l * l + 0.75 * l * r);
    shape->kind = NB_SHAPE_CAPSULE;
    shape->radius = radius;
    shape->half_length = half_length;
    make_round(problem, index, shape, mass, centre, across, (middle / 2 + 0.4 * caps) * r * r);
}

enum nb_status nb_scene_make_box(struct nb_problem *problem, int index, struct nb_shape *shape,
                                 const double *sides, double mass, const double *centre,
                                 struct nb_error *error)
{
    struct nb_bodies *bodies = &problem->bodies;
    const enum nb_status status = nb_shape_box(shape, sides, error);
    if (status)
        return status;
    for (int k = 0; k < 3; ++k) {
        const double p = sides[(k + 1) % 3], q = sides[(k + 2) % 3];
        bodies->inertia[9 * index + 4 * k] = mass / 12 * (p * p + q * q);
    }
    bodies->mass[index] = mass;
    memcpy(bodies->position + 3 * index, centre, 3 * sizeof *centre);
    shape->body = index;
    return NB_OK;
}
