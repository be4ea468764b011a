/* Hand-made problems for the tests of files: rigid bodies and linear steps. */
#ifndef NB_TESTS_IO_SAMPLES_H
#define NB_TESTS_IO_SAMPLES_H

#include "problems/base/rotation.h"
#include "problems/fields.h"
#include "tests/support/test.h"

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

/* Arrays of a group (problems/fields.h): all numbers at random, all indices 0. */
static inline void sample_group(struct nb_problem *problem, enum nb_field_groups group, int count, uint64_t *state)
{
    assert_ok(nb_group_allocate(problem, group, count, &why));
    for (const struct nb_field *field = nb_field_groups[group].field; field->name; ++field) {
        double *value = nb_field_array(problem, field);
        for (size_t i = 0; value && !field->whole && i < (size_t)count * nb_field_bytes(field) / sizeof *value; ++i)
            value[i] = sample_number(state);
    }
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
    sample_group(problem, NB_BODIES, count, state);
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
    sample_group(problem, NB_CONTACTS, count, state);
    contacts->radius = sample_numbers(2 * count, state);
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
    sample_group(problem, NB_JOINTS, count, &state);
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
    assert_int_equal(nb_group_allocate(problem, NB_LIMITS, 2 * problem->joints.count, NULL), NB_OK);
    limits->count = 0;
    for (int i = 0, which = 0; i < problem->joints.count; ++i)
        for (int side = 0; side < 2 && problem->joints.kind[i] >= NB_JOINT_HINGE; ++side) {
            if (which++ % 6 == 1 || which % 6 == 5)
                continue;
            limits->joint[limits->count] = i;
            limits->side[limits->count] = side;
            limits->bound[limits->count++] = (side ? 0.7 : -0.3) / (1 + 0.1 * i);
        }
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
    OWNS(nb_csr_free) struct nb_csr all = {0};
    struct nb_linear_step *step = &problem->linear;
    sample_linear(problem, NB_LINEAR_LOCAL, 0, contacts, bilaterals);
    sample_matrix(&all, size, size, &state);
    const size_t room = (size_t)(size * size) + 1;
    OWNS(free_at) int *row = calloc(room, sizeof *row), *column = calloc(room, sizeof *column);
    OWNS(free_at) double *value = calloc(room, sizeof *value);
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
}

#endif
