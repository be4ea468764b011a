/* A deformable problem for the tests: a strained block of tetrahedra of both materials, some of
 * them inflated, with attachments, distances and contacts of every kind of side. */
#ifndef NB_TESTS_DEFORMABLE_SAMPLES_H
#define NB_TESTS_DEFORMABLE_SAMPLES_H

#include "problems/base/rotation.h"
#include "problems/fields.h"
#include "problems/scenes/build/scene_build.h"
#include "tests/support/support.h"

enum {
    DEFORMABLE_BODIES = 2,
    DEFORMABLE_PARTICLES = 13, /* twelve of the block, and one on its own */
    DEFORMABLE_TETRAHEDRA = 10,
    DEFORMABLE_ATTACHMENTS = 4,
    DEFORMABLE_DISTANCES = 3,
    DEFORMABLE_CONTACTS = 6,
    DEFORMABLE_DOFS = 6 * DEFORMABLE_BODIES + 3 * DEFORMABLE_PARTICLES,
    /* attachments, distances, and the tetrahedra: every second one is Hooke's */
    DEFORMABLE_ROWS = 3 * 4 + 3 + 9 * 5
};

static inline void deformable_group(struct nb_problem *problem, enum nb_field_groups group, int count)
{
    assert_int_equal(nb_group_allocate(problem, group, count, NULL), NB_OK);
}

/* Particle (i, j, k) of a block of 2 x 1 x 1 cubes. */
static inline int deformable_corner(int i, int j, int k)
{
    return 4 * i + 2 * j + k;
}

static inline void make_deformable_bodies(struct nb_problem *problem, uint32_t *seed)
{
    struct nb_bodies *bodies = &problem->bodies;
    for (int i = 0; i < DEFORMABLE_BODIES; ++i) {
        double turn[3];
        bodies->mass[i] = 2 + i;
        for (int k = 0; k < 3; ++k) {
            turn[k] = 2 * test_uniform(seed);
            bodies->position[3 * i + k] = 3 * test_uniform(seed);
            bodies->inertia[9 * i + 4 * k] = 0.3 + 0.1 * k + 0.05 * i;
        }
        bodies->inertia[9 * i + 1] = bodies->inertia[9 * i + 3] = 0.04;
        for (int k = 0; k < 6; ++k)
            bodies->velocity[6 * i + k] = test_uniform(seed);
        nb_quaternion_advance(bodies->orientation + 4 * i, 1, turn);
    }
}

static inline void make_deformable_particles(struct nb_problem *problem, double strain,
                                             uint32_t *seed)
{
    struct nb_particles *particles = &problem->particles;
    const double turn[3] = {0.4, -0.3, 0.6};
    double q[4] = {1, 0, 0, 0}, rotation[9];
    deformable_group(problem, NB_PARTICLES, DEFORMABLE_PARTICLES);
    nb_quaternion_advance(q, 1, turn);
    nb_quaternion_matrix(q, rotation);
    for (int i = 0; i < DEFORMABLE_PARTICLES; ++i) {
        const double grid[3] = {0.3 * (i / 4), 0.2 * (i / 2 % 2), 0.25 * (i % 2)};
        particles->mass[i] = 0.2 + 0.01 * i;
        nb_rotate(rotation, grid, particles->position + 3 * i);
        for (int k = 0; k < 3; ++k) {
            particles->position[3 * i + k] += 1 + 0.2 * strain * test_uniform(seed);
            particles->velocity[3 * i + k] = test_uniform(seed);
        }
    }
}

/* Five tetrahedra a cube, the middle one of other shape; mirrored in the second cube. */
static inline void make_deformable_tetrahedra(struct nb_problem *problem)
{
    static const int corners[5][4] = {{1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6},
                                      {0, 3, 6, 5}};
    struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    deformable_group(problem, NB_TETRAHEDRA, DEFORMABLE_TETRAHEDRA);
    for (int t = 0; t < DEFORMABLE_TETRAHEDRA; ++t) {
        int *particle = tetrahedra->particle + 4 * t, grid[4][3];
        double *rest = tetrahedra->rest + 9 * t;
        for (int v = 0; v < 4; ++v) {
            const int c = corners[t % 5][v];
            grid[v][0] = t < 5 ? c / 4 : 2 - c / 4;
            grid[v][1] = c / 2 % 2;
            grid[v][2] = c % 2;
            particle[v] = deformable_corner(grid[v][0], grid[v][1], grid[v][2]);
        }
        const double side[3] = {0.3, 0.2, 0.25};
        for (int row = 0; row < 3; ++row)
            for (int v = 0; v < 3; ++v)
                rest[3 * row + v] = side[row] * (grid[v + 1][row] - grid[0][row]);
        const double determinant = rest[0] * (rest[4] * rest[8] - rest[5] * rest[7]) -
                                   rest[1] * (rest[3] * rest[8] - rest[5] * rest[6]) +
                                   rest[2] * (rest[3] * rest[7] - rest[4] * rest[6]);
        if (determinant < 0) {
            const int last = particle[3];
            particle[3] = particle[2];
            particle[2] = last;
            for (int row = 0; row < 3; ++row) {
                const double middle = rest[3 * row + 1];
                rest[3 * row + 1] = rest[3 * row + 2];
                rest[3 * row + 2] = middle;
            }
        }
        tetrahedra->material[t] = t % 2 ? NB_MATERIAL_NEO_HOOKEAN : NB_MATERIAL_HOOKE;
        tetrahedra->lame[2 * t] = 2e5 + 1e4 * t;
        tetrahedra->lame[2 * t + 1] = 1e5 + 2e4 * t;
        tetrahedra->inflation[t] = t % 3 ? 0 : 2e3;
    }
}

/* To the moving world, the world at rest and both bodies; rigid and compliant. */
static inline void make_deformable_attachments(struct nb_problem *problem, uint32_t *seed)
{
    static const int body[DEFORMABLE_ATTACHMENTS] = {-1, 0, -1, 1};
    struct nb_attachments *attachments = &problem->attachments;
    deformable_group(problem, NB_ATTACHMENTS, DEFORMABLE_ATTACHMENTS);
    for (int i = 0; i < DEFORMABLE_ATTACHMENTS; ++i) {
        attachments->particle[i] = 3 * i;
        attachments->body[i] = body[i];
        attachments->compliance[i] = i > 1 ? 1e-4 * i : 0;
        for (int k = 0; k < 3; ++k) {
            const double near = problem->particles.position[9 * i + k];
            attachments->point[3 * i + k] =
                (body[i] < 0 ? near : 0) + 0.1 * test_uniform(seed);
        }
    }
    attachments->drift[0] = 0.3;
    attachments->drift[2] = -0.1;
}

static inline void make_deformable_distances(struct nb_problem *problem)
{
    static const int particle[2 * DEFORMABLE_DISTANCES] = {0, 4, 7, 10, 12, 11};
    struct nb_distances *distances = &problem->distances;
    deformable_group(problem, NB_DISTANCES, DEFORMABLE_DISTANCES);
    memcpy(distances->particle, particle, sizeof particle);
    for (int i = 0; i < DEFORMABLE_DISTANCES; ++i) {
        distances->length[i] = 0.25 + 0.03 * i;
        distances->compliance[i] = i == 1 ? 2e-4 : 0;
    }
}

/* Vertex on body and world, face on body, edge on face, face on the world, bodies with each other. */
static inline void make_deformable_contacts(struct nb_problem *problem, uint32_t *seed)
{
    static const int body[2 * DEFORMABLE_CONTACTS] = {-1, 0, -1, -1, 1, -1, -1, -1, -1, -1, 1, 0};
    static const int corners[2 * DEFORMABLE_CONTACTS] = {1, 0, 1, 0, 0, 3, 2, 3, 0, 3, 0, 0};
    struct nb_contacts *contacts = &problem->contacts;
    deformable_group(problem, NB_CONTACTS, DEFORMABLE_CONTACTS);
    contacts->radius = calloc(2 * DEFORMABLE_CONTACTS, sizeof(double));
    contacts->particle = calloc(6 * DEFORMABLE_CONTACTS, sizeof(int));
    contacts->weight = calloc(6 * DEFORMABLE_CONTACTS, sizeof(double));
    assert_true(contacts->radius && contacts->particle && contacts->weight);
    memcpy(contacts->body, body, sizeof body);
    for (int i = 0; i < DEFORMABLE_CONTACTS; ++i) {
        double normal[3], turn[3], q[4] = {1, 0, 0, 0};
        for (int k = 0; k < 3; ++k)
            turn[k] = 3 * test_uniform(seed);
        nb_quaternion_advance(q, 1, turn);
        for (int k = 0; k < 3; ++k)
            normal[k] = k == 2;
        nb_quaternion_matrix(q, contacts->frame + 9 * i);
        nb_rotate(contacts->frame + 9 * i, normal, turn);
        nb_contact_frame(turn, contacts->frame + 9 * i);
        contacts->thickness[i] = 0.01 * i;
        contacts->friction[i] = 0.2 + 0.1 * i;
    }
    for (int s = 0; s < 2 * DEFORMABLE_CONTACTS; ++s) {
        double sum = 0;
        contacts->radius[s] = 0.002 * s;
        for (int k = 0; k < 3; ++k)
            contacts->point[3 * s + k] = corners[s] ? 0 : 0.6 * test_uniform(seed);
        for (int k = 0; k < 3; ++k) {
            contacts->particle[3 * s + k] = k < corners[s] ? (s + 5 * k) % 13 : -1;
            contacts->weight[3 * s + k] = k < corners[s] ? 0.6 + test_uniform(seed) : 0;
            sum += contacts->weight[3 * s + k];
        }
        for (int k = 0; k < corners[s]; ++k)
            contacts->weight[3 * s + k] /= sum;
    }
}

/* The free velocity u~ of a step whose contacts are given. */
static inline void prepare_deformable(struct nb_problem *problem)
{
    struct nb_contacts contacts = problem->contacts;
    memset(&problem->contacts, 0, sizeof problem->contacts);
    assert_ok(nb_step_prepare(problem, &why));
    nb_fields_free(problem, nb_field_groups[NB_CONTACTS].field);
    problem->contacts = contacts;
}

/* strain: about how far the elements are from rest; 1 inverts some of them. */
static inline void make_deformable(struct nb_problem *problem, double strain)
{
    uint32_t seed = 11;
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.0083;
    problem->gravity[2] = -9.81;
    strcpy(problem->name, "deformable");
    assert_ok(nb_scene_allocate(problem, DEFORMABLE_BODIES, 0, &why));
    make_deformable_bodies(problem, &seed);
    make_deformable_particles(problem, strain, &seed);
    make_deformable_tetrahedra(problem);
    make_deformable_attachments(problem, &seed);
    make_deformable_distances(problem);
    make_deformable_contacts(problem, &seed);
    prepare_deformable(problem);
    assert_int_equal(nb_problem_bilaterals(problem), DEFORMABLE_ROWS);
    assert_int_equal(nb_problem_dofs(problem), DEFORMABLE_DOFS);
}

#endif
