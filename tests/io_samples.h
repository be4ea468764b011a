/* Hand-made problems for the tests of files, a comparison bit for bit, and temporary folders. */
#ifndef NB_TESTS_IO_SAMPLES_H
#define NB_TESTS_IO_SAMPLES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "problems/io/problem_file.h"
#include "problems/rotation.h"

/* Numbers in [-1, 1] that use all their bits, the same in every run (Knuth's MMIX generator). */
static inline double sample_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state ^ *state >> 29) / 9223372036854775808.0;
}

static inline double *sample_numbers(int count, uint64_t *state)
{
    double *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < count; ++i)
        values[i] = sample_number(state);
    return values;
}

static inline void sample_quaternion(double *q, uint64_t *state)
{
    double norm = 0;
    for (int k = 0; k < 4; ++k)
        q[k] = sample_number(state) + (k == 0 ? 2 : 0);
    for (int k = 0; k < 4; ++k)
        norm += q[k] * q[k];
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(norm);
}

static inline void sample_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

/* A tetrahedron, or without vertices a plane; where the body is odd, a sphere or capsule instead. */
static inline void sample_shape(struct nb_shape *shape, int body, int vertices, uint64_t *state)
{
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const int count = vertices ? 4 : 0;
    shape->kind = vertices ? NB_SHAPE_CONVEX : NB_SHAPE_PLANE;
    shape->body = body;
    for (int k = 0; k < 3; ++k)
        shape->position[k] = sample_number(state);
    sample_quaternion(shape->orientation, state);
    shape->friction = 0.1 + fabs(sample_number(state));
    shape->vertex_count = vertices;
    shape->vertex = sample_numbers(3 * vertices, state);
    shape->face_count = count;
    shape->face_start = calloc((size_t)count + 1, sizeof(int));
    shape->face_vertex = calloc(3 * (size_t)count + 1, sizeof(int));
    assert_true(shape->face_start && shape->face_vertex);
    for (int f = 0; f < count; ++f)
        shape->face_start[f + 1] = 3 * (f + 1);
    for (int k = 0; k < 3 * count; ++k)
        shape->face_vertex[k] = faces[k];
}

/* Makes a sphere or a capsule of a tetrahedron. */
static inline void sample_round(struct nb_shape *shape, uint64_t *state)
{
    shape->kind = shape->body % 2 ? NB_SHAPE_SPHERE : NB_SHAPE_CAPSULE;
    shape->radius = 0.1 + fabs(sample_number(state));
    shape->half_length = shape->kind == NB_SHAPE_CAPSULE ? fabs(sample_number(state)) : 0;
    shape->vertex_count = shape->face_count = 0;
}

static inline void sample_bodies(struct nb_problem *problem, int count, uint64_t *state)
{
    struct nb_bodies *bodies = &problem->bodies;
    bodies->count = count;
    bodies->position = sample_numbers(3 * count, state);
    bodies->orientation = sample_numbers(4 * count, state);
    bodies->velocity = sample_numbers(6 * count, state);
    bodies->mass = sample_numbers(count, state);
    bodies->inertia = sample_numbers(9 * count, state);
    problem->free_velocity = sample_numbers(6 * count, state);
    for (int i = 0; i < count; ++i) {
        double *inertia = bodies->inertia + 9 * i;
        sample_quaternion(bodies->orientation + 4 * i, state);
        bodies->mass[i] = 3 + bodies->mass[i];
        for (int k = 0; k < 3; ++k) {
            inertia[4 * k] = 5 + inertia[4 * k];
            inertia[3 * ((k + 1) % 3) + k] = inertia[3 * k + (k + 1) % 3];
        }
    }
}

static inline void sample_contacts(struct nb_problem *problem, int count, uint64_t *state)
{
    struct nb_contacts *contacts = &problem->contacts;
    contacts->count = count;
    contacts->body = calloc(2 * (size_t)count + 1, sizeof(int));
    assert_non_null(contacts->body);
    contacts->point = sample_numbers(6 * count, state);
    contacts->radius = sample_numbers(2 * count, state);
    contacts->frame = sample_numbers(9 * count, state);
    contacts->thickness = sample_numbers(count, state);
    contacts->friction = sample_numbers(count, state);
    for (int i = 0; i < count; ++i) {
        double q[4];
        contacts->body[2 * i] = i % problem->bodies.count;
        contacts->body[2 * i + 1] = contacts->body[2 * i] - 1; /* -1: the world */
        sample_quaternion(q, state);
        nb_quaternion_matrix(q, contacts->frame + 9 * i);
        contacts->friction[i] = fabs(contacts->friction[i]);
        contacts->radius[2 * i] = fabs(contacts->radius[2 * i]);
        contacts->radius[2 * i + 1] = 0;
    }
}

/* Joints of every kind between neighbours and to the world, with and without compliance. */
static inline void sample_joints(struct nb_problem *problem, int count)
{
    uint64_t state = 19;
    struct nb_joints *joints = &problem->joints;
    joints->count = count;
    joints->kind = calloc((size_t)count + 1, sizeof(int));
    joints->body = calloc(2 * (size_t)count + 1, sizeof(int));
    assert_true(joints->kind && joints->body);
    joints->point = sample_numbers(6 * count, &state);
    joints->orientation = sample_numbers(8 * count, &state);
    joints->compliance = sample_numbers(6 * count, &state);
    joints->drift = sample_numbers(6 * count, &state);
    for (int i = 0; i < count; ++i) {
        joints->kind[i] = i % 4;
        joints->body[2 * i] = i % problem->bodies.count;
        joints->body[2 * i + 1] = joints->body[2 * i] - 1;
        sample_quaternion(joints->orientation + 8 * i, &state);
        sample_quaternion(joints->orientation + 8 * i + 4, &state);
        for (int k = 0; k < 6; ++k) {
            double *compliance = joints->compliance + 6 * i + k;
            const int soft = i % 3 && k < nb_joint_rows((enum nb_joint_kind)(i % 4));
            *compliance = soft ? 1e-4 * fabs(*compliance) : 0;
            if (joints->body[2 * i + 1] >= 0)
                joints->drift[6 * i + k] = 0;
        }
    }
}

/* A lower limit, both, or an upper one for every hinge and slider in turn. */
static inline void sample_limits(struct nb_problem *problem)
{
    struct nb_limits *limits = &problem->limits;
    const size_t room = 2 * (size_t)problem->joints.count + 1;
    limits->joint = calloc(room, sizeof(int));
    limits->side = calloc(room, sizeof(int));
    limits->bound = calloc(room, sizeof(double));
    assert_true(limits->joint && limits->side && limits->bound);
    for (int i = 0, which = 0; i < problem->joints.count; ++i)
        for (int side = 0; side < 2 && problem->joints.kind[i] >= NB_JOINT_HINGE; ++side) {
            if (which++ % 6 == 1 || which % 6 == 5)
                continue;
            limits->joint[limits->count] = i;
            limits->side[limits->count] = side;
            limits->bound[limits->count++] = (side ? 0.7 : -0.3) / (1 + 0.1 * i);
        }
}

static inline int *sample_indices(int count, int limit, uint64_t *state)
{
    int *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < count; ++i)
        values[i] = (int)(fabs(sample_number(state)) * (limit - 1));
    return values;
}

/* Elements on neighbouring particles, of any shape that is not flat. */
static inline void sample_tetrahedra(struct nb_problem *problem, int count, uint64_t *state)
{
    struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    tetrahedra->count = count;
    tetrahedra->particle = sample_indices(4 * count, 2, state);
    tetrahedra->rest = sample_numbers(9 * count, state);
    tetrahedra->material = sample_indices(count, 3, state);
    tetrahedra->lame = sample_numbers(2 * count, state);
    tetrahedra->inflation = sample_numbers(count, state);
    for (int i = 0; i < 4 * count; ++i)
        tetrahedra->particle[i] = (i / 4 + i % 4) % problem->particles.count;
    for (int i = 0; i < 2 * count; ++i)
        tetrahedra->lame[i] = 1e4 * (1.5 + tetrahedra->lame[i]);
    for (int i = 0; i < 9 * count; ++i)
        tetrahedra->rest[i] += i % 9 % 4 == 0 ? 4 : 0;
}

static inline void sample_links(struct nb_problem *problem, int count, uint64_t *state)
{
    struct nb_attachments *attachments = &problem->attachments;
    struct nb_distances *distances = &problem->distances;
    const int particles = problem->particles.count;
    attachments->count = distances->count = count;
    attachments->particle = sample_indices(count, particles, state);
    attachments->body = sample_indices(count, problem->bodies.count + 1, state);
    attachments->point = sample_numbers(3 * count, state);
    attachments->compliance = sample_numbers(count, state);
    attachments->drift = sample_numbers(3 * count, state);
    distances->particle = sample_indices(2 * count, particles, state);
    distances->length = sample_numbers(count, state);
    distances->compliance = sample_numbers(count, state);
    for (int i = 0; i < count; ++i) {
        attachments->body[i] -= 1; /* -1: the world */
        for (int k = 0; k < 3 && attachments->body[i] >= 0; ++k)
            attachments->drift[3 * i + k] = 0;
        attachments->compliance[i] = i % 2 ? 1e-4 * fabs(attachments->compliance[i]) : 0;
        distances->compliance[i] = i % 3 ? 1e-4 * fabs(distances->compliance[i]) : 0;
        distances->length[i] += 2;
        distances->particle[2 * i + 1] = (distances->particle[2 * i] + 1 + i % 3) % particles;
    }
}

/* Particles instead of the bodies on side b of every second contact. */
static inline void sample_sides(struct nb_problem *problem, uint64_t *state)
{
    struct nb_contacts *contacts = &problem->contacts;
    contacts->particle = sample_indices(6 * contacts->count, 2, state);
    contacts->weight = sample_numbers(6 * contacts->count, state);
    for (int i = 0; i < 6 * contacts->count; ++i) {
        const int corners = i % 6 / 3 && i / 6 % 2 == 0 ? 1 + i / 6 % 3 : 0, k = i % 3;
        contacts->particle[i] = k < corners ? (i + i / 6) % problem->particles.count : -1;
        contacts->weight[i] = k >= corners ? 0 : corners == 3 ? (1 + k) / 6.0 : 1.0 / corners;
        if (corners > 0) {
            contacts->body[2 * (i / 6) + 1] = -1;
            contacts->point[i] = 0;
        }
    }
}

/* A skin of triangles. */
static inline void sample_surface(struct nb_shape *shape, int faces, int particles, uint64_t *state)
{
    memset(shape, 0, sizeof *shape);
    shape->kind = NB_SHAPE_SURFACE;
    shape->body = -1;
    shape->orientation[0] = 1;
    shape->friction = fabs(sample_number(state));
    shape->radius = fabs(sample_number(state));
    shape->face_count = faces;
    shape->vertex = sample_numbers(0, state);
    shape->face_start = calloc((size_t)faces + 1, sizeof(int));
    assert_non_null(shape->face_start);
    for (int f = 0; f <= faces; ++f)
        shape->face_start[f] = 3 * f;
    shape->face_vertex = sample_indices(3 * faces, particles, state);
}

/* Adds what is deformable to a nonlinear step: particles (at least 7), tetrahedra on all of them,
 * attachments, distances, sides of contacts and a surface. */
static inline void sample_deformables(struct nb_problem *problem, int particles)
{
    uint64_t state = 29;
    const int dofs = 6 * problem->bodies.count;
    problem->particles.count = particles;
    problem->particles.position = sample_numbers(3 * particles, &state);
    problem->particles.velocity = sample_numbers(3 * particles, &state);
    problem->particles.mass = sample_numbers(particles, &state);
    for (int i = 0; i < particles; ++i)
        problem->particles.mass[i] += 2;
    double *v = sample_numbers(3 * particles, &state);
    problem->free_velocity = realloc(problem->free_velocity,
                                     (size_t)(dofs + 3 * particles) * sizeof *v);
    problem->shapes = realloc(problem->shapes, ((size_t)problem->shape_count + 1) *
                                                   sizeof *problem->shapes);
    assert_true(problem->free_velocity && problem->shapes);
    memcpy(problem->free_velocity + dofs, v, 3 * (size_t)particles * sizeof *v);
    free(v);
    sample_tetrahedra(problem, particles - 3, &state);
    sample_links(problem, particles / 2, &state);
    sample_sides(problem, &state);
    sample_surface(&problem->shapes[problem->shape_count++], particles, particles, &state);
}

/* A nonlinear step with a plane and one tetrahedron a body. */
static inline void sample_nonlinear(struct nb_problem *problem, int bodies, int contacts)
{
    uint64_t state = 7;
    memset(problem, 0, sizeof *problem);
    problem->form = NB_NONLINEAR;
    problem->time_step = 0.0083;
    problem->gravity[0] = -0.0;
    problem->gravity[1] = 4.9406564584124654e-324;
    problem->gravity[2] = -9.81;
    sample_bodies(problem, bodies, &state);
    sample_contacts(problem, contacts, &state);
    problem->shapes = calloc((size_t)bodies + 1, sizeof *problem->shapes);
    assert_non_null(problem->shapes);
    problem->shape_count = bodies ? bodies + 1 : 0;
    for (int i = 0; i < problem->shape_count; ++i)
        sample_shape(&problem->shapes[i], i - 1, i ? 4 : 0, &state);
    for (int i = 4; i < problem->shape_count; i += 3)
        sample_round(&problem->shapes[i], &state);
    sample_text(problem->name, sizeof problem->name, "sample");
    sample_text(problem->source, sizeof problem->source, "made by hand for tests, \xc3\xa9tude");
    sample_text(problem->generator, sizeof problem->generator, "ncpbench 0.1.0 (0123456789ab)");
    problem->step = 240;
    problem->parameter_count = 3;
    problem->parameters = calloc(3, sizeof *problem->parameters);
    assert_non_null(problem->parameters);
    static const char *const names[3] = {"zeta", "friction", "count"};
    for (int i = 0; i < 3; ++i) {
        sample_text(problem->parameters[i].name, sizeof problem->parameters[i].name, names[i]);
        problem->parameters[i].value = sample_number(&state);
    }
}

/* About three entries a row, an explicit zero among them, a large diagonal where square. */
static inline void sample_matrix(struct nb_csr *matrix, int rows, int columns, uint64_t *state)
{
    int entries = 0;
    assert_int_equal(nb_csr_allocate(matrix, rows, columns, rows * columns, NULL), NB_OK);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            const double value = sample_number(state);
            const int diagonal = rows == columns && i == j;
            if (!diagonal && value > 0.2)
                continue;
            matrix->column[entries] = j;
            matrix->value[entries++] = diagonal ? 10 + value : value < -0.95 ? 0.0 : value;
        }
        matrix->start[i + 1] = entries;
    }
}

static inline void sample_linear(struct nb_problem *problem, enum nb_form form, int dofs,
                                 int contacts, int bilaterals)
{
    uint64_t state = 11;
    struct nb_linear_step *step = &problem->linear;
    memset(problem, 0, sizeof *problem);
    problem->form = form;
    problem->time_step = 1.0 / 3;
    step->dofs = dofs;
    step->contacts = contacts;
    step->bilaterals = bilaterals;
    step->force = sample_numbers(dofs, &state);
    step->contact_velocity = sample_numbers(3 * contacts, &state);
    step->bilateral_velocity = sample_numbers(bilaterals, &state);
    step->friction = sample_numbers(contacts, &state);
    for (int i = 0; i < contacts; ++i)
        step->friction[i] = fabs(step->friction[i]);
    sample_text(problem->name, sizeof problem->name, "sample linear");
    sample_text(problem->source, sizeof problem->source, "made by hand");
    sample_text(problem->generator, sizeof problem->generator, "nobody");
    problem->step = -3;
    problem->parameter_count = 1;
    problem->parameters = calloc(1, sizeof *problem->parameters);
    assert_non_null(problem->parameters);
    sample_text(problem->parameters->name, sizeof problem->parameters->name, "a");
    problem->parameters->value = 1e300;
}

static inline void sample_global(struct nb_problem *problem, int dofs, int contacts, int bilaterals)
{
    uint64_t state = 13;
    struct nb_linear_step *step = &problem->linear;
    sample_linear(problem, NB_LINEAR_GLOBAL, dofs, contacts, bilaterals);
    sample_matrix(&step->mass, dofs, dofs, &state);
    sample_matrix(&step->contact_jacobian, 3 * contacts, dofs, &state);
    sample_matrix(&step->bilateral_jacobian, bilaterals, dofs, &state);
    assert_int_equal(nb_csr_allocate(&step->delassus, 0, 0, 0, NULL), NB_OK);
}

/* [W V; V^T R] from a random W, V and R; W is not symmetric. */
static inline void sample_local(struct nb_problem *problem, int contacts, int bilaterals)
{
    uint64_t state = 17;
    const int n = 3 * contacts, size = n + bilaterals;
    struct nb_csr all = {0};
    struct nb_linear_step *step = &problem->linear;
    sample_linear(problem, NB_LINEAR_LOCAL, 0, contacts, bilaterals);
    sample_matrix(&all, size, size, &state);
    const size_t room = (size_t)(size * size) + 1;
    int *row = calloc(room, sizeof *row), *column = calloc(room, sizeof *column);
    double *value = calloc(room, sizeof *value);
    int count = 0;
    assert_true(row && column && value);
    for (int i = 0; i < size; ++i)
        for (int k = all.start[i]; k < all.start[i + 1]; ++k) {
            const int j = all.column[k];
            const int upper = i < n && j >= n;
            if (i >= n && j < n)
                continue;
            for (int mirror = 0; mirror <= upper; ++mirror) {
                row[count] = mirror ? j : i;
                column[count] = mirror ? i : j;
                value[count++] = all.value[k];
            }
        }
    assert_int_equal(nb_csr_from_triplets(&step->delassus, size, size, count, row, column, value,
                                          NULL), NB_OK);
    assert_int_equal(nb_csr_allocate(&step->mass, 0, 0, 0, NULL), NB_OK);
    assert_int_equal(nb_csr_allocate(&step->contact_jacobian, 0, 0, 0, NULL), NB_OK);
    assert_int_equal(nb_csr_allocate(&step->bilateral_jacobian, 0, 0, 0, NULL), NB_OK);
    nb_csr_free(&all);
    free(row);
    free(column);
    free(value);
}

static inline void same_bytes(const char *what, const void *a, const void *b, size_t bytes)
{
    if (bytes && memcmp(a, b, bytes))
        fail_msg("%s differs", what);
}

#define SAME_ARRAY(a, b, member, count) \
    same_bytes(#member, (a)->member, (b)->member, (size_t)(count) * sizeof *(a)->member)

static inline void same_csr(const char *what, const struct nb_csr *a, const struct nb_csr *b)
{
    if (a->rows != b->rows || a->columns != b->columns)
        fail_msg("%s: %d x %d against %d x %d", what, a->rows, a->columns, b->rows, b->columns);
    if (a->rows == 0)
        return;
    same_bytes(what, a->start, b->start, ((size_t)a->rows + 1) * sizeof(int));
    same_bytes(what, a->column, b->column, (size_t)a->start[a->rows] * sizeof(int));
    same_bytes(what, a->value, b->value, (size_t)a->start[a->rows] * sizeof(double));
}

static inline void same_deformables(const struct nb_problem *a, const struct nb_problem *b)
{
    const int particles = a->particles.count, tetrahedra = a->tetrahedra.count;
    const int attachments = a->attachments.count, distances = a->distances.count;
    assert_int_equal(particles, b->particles.count);
    assert_int_equal(tetrahedra, b->tetrahedra.count);
    assert_int_equal(attachments, b->attachments.count);
    assert_int_equal(distances, b->distances.count);
    SAME_ARRAY(a, b, particles.position, 3 * particles);
    SAME_ARRAY(a, b, particles.velocity, 3 * particles);
    SAME_ARRAY(a, b, particles.mass, particles);
    SAME_ARRAY(a, b, tetrahedra.particle, 4 * tetrahedra);
    SAME_ARRAY(a, b, tetrahedra.rest, 9 * tetrahedra);
    SAME_ARRAY(a, b, tetrahedra.material, tetrahedra);
    SAME_ARRAY(a, b, tetrahedra.lame, 2 * tetrahedra);
    SAME_ARRAY(a, b, tetrahedra.inflation, tetrahedra);
    SAME_ARRAY(a, b, attachments.particle, attachments);
    SAME_ARRAY(a, b, attachments.body, attachments);
    SAME_ARRAY(a, b, attachments.point, 3 * attachments);
    SAME_ARRAY(a, b, attachments.compliance, attachments);
    SAME_ARRAY(a, b, attachments.drift, 3 * attachments);
    SAME_ARRAY(a, b, distances.particle, 2 * distances);
    SAME_ARRAY(a, b, distances.length, distances);
    SAME_ARRAY(a, b, distances.compliance, distances);
    assert_int_equal(!a->contacts.particle, !b->contacts.particle);
    assert_int_equal(!a->contacts.weight, !b->contacts.weight);
    if (a->contacts.particle) {
        SAME_ARRAY(a, b, contacts.particle, 6 * a->contacts.count);
        SAME_ARRAY(a, b, contacts.weight, 6 * a->contacts.count);
    }
}

static inline void same_nonlinear(const struct nb_problem *a, const struct nb_problem *b)
{
    const int bodies = a->bodies.count, contacts = a->contacts.count;
    assert_int_equal(bodies, b->bodies.count);
    assert_int_equal(contacts, b->contacts.count);
    assert_int_equal(a->shape_count, b->shape_count);
    same_bytes("gravity", a->gravity, b->gravity, sizeof a->gravity);
    SAME_ARRAY(a, b, bodies.position, 3 * bodies);
    SAME_ARRAY(a, b, bodies.orientation, 4 * bodies);
    SAME_ARRAY(a, b, bodies.velocity, 6 * bodies);
    SAME_ARRAY(a, b, bodies.mass, bodies);
    SAME_ARRAY(a, b, bodies.inertia, 9 * bodies);
    SAME_ARRAY(a, b, contacts.body, 2 * contacts);
    SAME_ARRAY(a, b, contacts.point, 6 * contacts);
    SAME_ARRAY(a, b, contacts.radius, 2 * contacts);
    SAME_ARRAY(a, b, contacts.frame, 9 * contacts);
    SAME_ARRAY(a, b, contacts.thickness, contacts);
    SAME_ARRAY(a, b, contacts.friction, contacts);
    assert_int_equal(a->joints.count, b->joints.count);
    SAME_ARRAY(a, b, joints.kind, a->joints.count);
    SAME_ARRAY(a, b, joints.body, 2 * a->joints.count);
    SAME_ARRAY(a, b, joints.point, 6 * a->joints.count);
    SAME_ARRAY(a, b, joints.orientation, 8 * a->joints.count);
    SAME_ARRAY(a, b, joints.compliance, 6 * a->joints.count);
    SAME_ARRAY(a, b, joints.drift, 6 * a->joints.count);
    assert_int_equal(a->limits.count, b->limits.count);
    SAME_ARRAY(a, b, limits.joint, a->limits.count);
    SAME_ARRAY(a, b, limits.side, a->limits.count);
    SAME_ARRAY(a, b, limits.bound, a->limits.count);
    SAME_ARRAY(a, b, free_velocity, nb_problem_dofs(a));
    same_deformables(a, b);
    for (int i = 0; i < a->shape_count; ++i) {
        const struct nb_shape *s = &a->shapes[i], *t = &b->shapes[i];
        assert_int_equal(s->kind, t->kind);
        assert_int_equal(s->body, t->body);
        same_bytes("shape position", s->position, t->position, sizeof s->position);
        same_bytes("shape orientation", s->orientation, t->orientation, sizeof s->orientation);
        same_bytes("shape friction", &s->friction, &t->friction, sizeof s->friction);
        same_bytes("shape radius", &s->radius, &t->radius, sizeof s->radius);
        same_bytes("shape half_length", &s->half_length, &t->half_length, sizeof s->half_length);
        assert_int_equal(s->vertex_count, t->vertex_count);
        assert_int_equal(s->face_count, t->face_count);
        SAME_ARRAY(s, t, vertex, 3 * s->vertex_count);
        SAME_ARRAY(s, t, face_start, s->face_count + 1);
        SAME_ARRAY(s, t, face_vertex, s->face_start[s->face_count]);
    }
}

static inline void same_linear(const struct nb_linear_step *a, const struct nb_linear_step *b)
{
    assert_int_equal(a->dofs, b->dofs);
    assert_int_equal(a->contacts, b->contacts);
    assert_int_equal(a->bilaterals, b->bilaterals);
    same_csr("mass", &a->mass, &b->mass);
    same_csr("contact_jacobian", &a->contact_jacobian, &b->contact_jacobian);
    same_csr("bilateral_jacobian", &a->bilateral_jacobian, &b->bilateral_jacobian);
    same_csr("delassus", &a->delassus, &b->delassus);
    SAME_ARRAY(a, b, force, a->dofs);
    SAME_ARRAY(a, b, contact_velocity, 3 * a->contacts);
    SAME_ARRAY(a, b, bilateral_velocity, a->bilaterals);
    SAME_ARRAY(a, b, friction, a->contacts);
}

/* Every member of the problem, bit for bit. */
static inline void same_problem(const struct nb_problem *a, const struct nb_problem *b)
{
    assert_int_equal(a->form, b->form);
    same_bytes("time_step", &a->time_step, &b->time_step, sizeof a->time_step);
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->source, b->source);
    assert_string_equal(a->generator, b->generator);
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->parameter_count, b->parameter_count);
    for (int i = 0; i < a->parameter_count; ++i) {
        assert_string_equal(a->parameters[i].name, b->parameters[i].name);
        same_bytes("parameter", &a->parameters[i].value, &b->parameters[i].value, sizeof(double));
    }
    if (a->form == NB_NONLINEAR)
        same_nonlinear(a, b);
    else
        same_linear(&a->linear, &b->linear);
}

/* A folder of its own for each test, as the test's state. */
static inline int make_folder(void **state)
{
    char template[] = "/tmp/ncpbench-test-XXXXXX";
    *state = mkdtemp(template) ? strdup(template) : NULL;
    return *state ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return system(command);
}

static inline const char *in_folder(void **state, const char *name)
{
    static char path[4][256];
    static int next;
    char *text = path[next++ % 4];
    snprintf(text, sizeof path[0], "%s/%s", (char *)*state, name);
    return text;
}

/* The whole file; the caller frees. */
static inline unsigned char *file_bytes(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    *size = (size_t)about.st_size;
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
