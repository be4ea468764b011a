/* Problems compared bit for bit. */
#ifndef NB_TESTS_SAME_PROBLEM_H
#define NB_TESTS_SAME_PROBLEM_H

#include "problems/fields.h"
#include "tests/support/test.h"

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

/* All arrays of a nonlinear step (problems/fields.h): there in both or in neither, with the same bytes. */
static inline void same_arrays(const struct nb_problem *a, const struct nb_problem *b)
{
    for (int g = 0; g < NB_FIELD_GROUPS; ++g)
        for (const struct nb_field *field = nb_field_groups[g].field; field->name; ++field) {
            const void *left = nb_field_array(a, field), *right = nb_field_array(b, field);
            const int entries = nb_field_entries(a, field);
            if (entries != nb_field_entries(b, field) || (field->need == NB_FIELD_MAYBE && !left != !right))
                fail_msg("%s: %d entries and %d", field->name, entries, nb_field_entries(b, field));
            if (left || right)
                same_bytes(field->name, left, right, (size_t)entries * nb_field_bytes(field));
        }
}

static inline void same_nonlinear(const struct nb_problem *a, const struct nb_problem *b)
{
    assert_int_equal(a->shape_count, b->shape_count);
    same_bytes("gravity", a->gravity, b->gravity, sizeof a->gravity);
    same_arrays(a, b);
    SAME_ARRAY(a, b, free_velocity, nb_problem_dofs(a));
    for (int i = 0; i < a->shape_count; ++i) {
        const struct nb_shape *s = &a->shapes[i], *t = &b->shapes[i];
        same_bytes("shape", s, t, offsetof(struct nb_shape, vertex));
        SAME_ARRAY(s, t, vertex, 3 * s->vertex_count);
        same_bytes("map", &s->map, &t->map, offsetof(struct nb_structure_map, angle));
        SAME_ARRAY(&s->map, &t->map, angle, nb_structure_map_nodes(&s->map));
        if (!s->face_start)
            continue;
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

#endif
