/* What is deformable, added to a hand-made step for the tests of files. */
#ifndef NB_TESTS_IO_SAMPLE_DEFORMABLES_H
#define NB_TESTS_IO_SAMPLE_DEFORMABLES_H

#include "tests/support/io_samples.h"

static inline int sample_index(int limit, uint64_t *state)
{
    return (int)(fabs(sample_number(state)) * (limit - 1));
}

static inline int *sample_indices(int count, int limit, uint64_t *state)
{
    int *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < count; ++i)
        values[i] = sample_index(limit, state);
    return values;
}

/* Elements on neighbouring particles, of any shape that is not flat. */
static inline void sample_tetrahedra(struct nb_problem *problem, int count, uint64_t *state)
{
    struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    sample_group(problem, NB_TETRAHEDRA, count, state);
    for (int i = 0; i < count; ++i)
        tetrahedra->material[i] = i / 2 % 2;
    for (int i = 0; i < 4 * count; ++i)
        tetrahedra->particle[i] = (i / 4 + i % 4) % problem->particles.count;
    for (int i = 0; i < 2 * count; ++i)
        tetrahedra->lame[i] = 1e4 * (1.5 + tetrahedra->lame[i]);
    for (int i = 0; i < 9 * count; ++i)
        tetrahedra->rest[i] += i % 9 % 4 == 0 ? 4 : 0;
}

/* Of two to six particles; with damping. */
static inline void sample_ties(struct nb_problem *problem, int count, uint64_t *state)
{
    struct nb_ties *ties = &problem->ties;
    sample_group(problem, NB_TIES, count, state);
    ties->damping = sample_numbers(count, state);
    problem->distances.damping = sample_numbers(count, state);
    for (int i = 0; i < NB_TIED * count; ++i) {
        const int k = i % NB_TIED, there = k < 2 + i / NB_TIED % 5;
        ties->particle[i] = there ? (i / NB_TIED + k) % problem->particles.count : -1;
        ties->weight[i] = there ? ties->weight[i] : 0;
    }
    for (int i = 0; i < count; ++i) {
        ties->compliance[i] = i % 3 ? 1e-4 * fabs(ties->compliance[i]) : 0;
        ties->damping[i] = fabs(ties->damping[i]);
        problem->distances.damping[i] = fabs(problem->distances.damping[i]);
    }
}

static inline void sample_links(struct nb_problem *problem, int count, uint64_t *state)
{
    struct nb_attachments *attachments = &problem->attachments;
    struct nb_distances *distances = &problem->distances;
    const int particles = problem->particles.count;
    sample_group(problem, NB_ATTACHMENTS, count, state);
    sample_group(problem, NB_DISTANCES, count, state);
    sample_ties(problem, count, state);
    for (int i = 0; i < count; ++i) {
        attachments->particle[i] = sample_index(particles, state);
        attachments->body[i] = sample_index(problem->bodies.count + 1, state) - 1; /* -1: the world */
        distances->particle[2 * i] = sample_index(particles, state);
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
 * attachments, distances, ties, sides of contacts and a surface. */
static inline void sample_deformables(struct nb_problem *problem, int particles)
{
    uint64_t state = 29;
    const int dofs = 6 * problem->bodies.count;
    sample_group(problem, NB_PARTICLES, particles, &state);
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

#endif
