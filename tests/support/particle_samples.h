/* Particles for the tests: two bodies and a handful of particles at random, with
 * attachments to bodies and the world, distances, and contacts of every kind of side. */
#ifndef NB_TESTS_PARTICLE_SAMPLES_H
#define NB_TESTS_PARTICLE_SAMPLES_H

#include "tests/support/support.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/scenes/build/scene_build.h"

enum {
    SAMPLE_BODIES = 2,
    SAMPLE_PARTICLES = 7,
    SAMPLE_ATTACHMENTS = 3,
    SAMPLE_DISTANCES = 4,
    SAMPLE_CONTACTS = 5,
    SAMPLE_DOFS = 6 * SAMPLE_BODIES + 3 * SAMPLE_PARTICLES
};

static inline double *sample_doubles(int count, double size, uint32_t *seed)
{
    double *out = malloc(((size_t)count + 1) * sizeof *out);
    for (int i = 0; i < count; ++i)
        out[i] = 2 * size * test_uniform(seed);
    return out;
}

static inline int *sample_ints(const int *from, int count)
{
    int *out = malloc(((size_t)count + 1) * sizeof *out);
    memcpy(out, from, (size_t)count * sizeof *out);
    return out;
}

static inline void sample_particles(struct nb_problem *problem, int count, uint32_t *seed)
{
    problem->particles.count = count;
    problem->particles.position = sample_doubles(3 * count, 1, seed);
    problem->particles.velocity = sample_doubles(3 * count, 1, seed);
    problem->particles.mass = sample_doubles(count, 0.1, seed);
    for (int i = 0; i < count; ++i)
        problem->particles.mass[i] += 0.3;
}

static inline void sample_links(struct nb_problem *problem, uint32_t *seed)
{
    static const int held[SAMPLE_ATTACHMENTS] = {0, 1, 2}, by[SAMPLE_ATTACHMENTS] = {1, -1, 0};
    static const int pairs[2 * SAMPLE_DISTANCES] = {0, 3, 5, 4, 2, 6, 6, 5};
    struct nb_attachments *attachments = &problem->attachments;
    struct nb_distances *distances = &problem->distances;
    attachments->count = SAMPLE_ATTACHMENTS;
    attachments->particle = sample_ints(held, SAMPLE_ATTACHMENTS);
    attachments->body = sample_ints(by, SAMPLE_ATTACHMENTS);
    attachments->point = sample_doubles(3 * SAMPLE_ATTACHMENTS, 1, seed);
    attachments->compliance = calloc(SAMPLE_ATTACHMENTS, sizeof(double));
    attachments->compliance[1] = 2e-4;
    attachments->drift = calloc(3 * SAMPLE_ATTACHMENTS, sizeof(double));
    distances->count = SAMPLE_DISTANCES;
    distances->particle = sample_ints(pairs, 2 * SAMPLE_DISTANCES);
    distances->length = malloc(SAMPLE_DISTANCES * sizeof(double));
    distances->compliance = calloc(SAMPLE_DISTANCES, sizeof(double));
    for (int i = 0; i < SAMPLE_DISTANCES; ++i)
        distances->length[i] = 0.5 + 0.1 * i;
    distances->compliance[2] = 3e-3;
}

/* Sides: triangle on world, body on edge, vertex on body, two triangles that share a particle, and two
 * bodies. */
static inline void sample_contacts(struct nb_problem *problem, uint32_t *seed)
{
    static const int body[2 * SAMPLE_CONTACTS] = {-1, -1, 0, -1, -1, 1, -1, -1, 1, 0};
    static const int particle[6 * SAMPLE_CONTACTS] = {
        4, 3, 6, -1, -1, -1,  -1, -1, -1, 5, 2, -1,  1, -1, -1, -1, -1, -1,
        0, 1, 2, 2, 3, 4,     -1, -1, -1, -1, -1, -1};
    struct nb_contacts *contacts = &problem->contacts;
    contacts->count = SAMPLE_CONTACTS;
    contacts->body = sample_ints(body, 2 * SAMPLE_CONTACTS);
    contacts->particle = sample_ints(particle, 6 * SAMPLE_CONTACTS);
    contacts->point = sample_doubles(6 * SAMPLE_CONTACTS, 1, seed);
    contacts->radius = sample_doubles(2 * SAMPLE_CONTACTS, 0.01, seed);
    contacts->weight = sample_doubles(6 * SAMPLE_CONTACTS, 0.2, seed);
    contacts->frame = calloc(9 * SAMPLE_CONTACTS, sizeof(double));
    contacts->thickness = sample_doubles(SAMPLE_CONTACTS, 0.01, seed);
    contacts->friction = calloc(SAMPLE_CONTACTS, sizeof(double));
    for (int i = 0; i < SAMPLE_CONTACTS; ++i) {
        double turn[3] = {1 + i, 2, -i}, q[4] = {1, 0, 0, 0};
        nb_quaternion_advance(q, 1, turn);
        nb_quaternion_matrix(q, contacts->frame + 9 * i);
        contacts->friction[i] = 0.3 + 0.1 * i;
        for (int side = 0; side < 2; ++side) {
            double sum = 0, *weight = contacts->weight + 6 * i + 3 * side;
            const int *of = particle + 6 * i + 3 * side;
            contacts->radius[2 * i + side] = fabs(contacts->radius[2 * i + side]);
            for (int k = 0; k < 3; ++k)
                sum += weight[k] = of[k] < 0 ? 0 : 0.3 + fabs(weight[k]);
            for (int k = 0; k < 3; ++k) {
                weight[k] = of[k] < 0 ? 0 : weight[k] / sum;
                if (of[0] >= 0)
                    contacts->point[6 * i + 3 * side + k] = 0;
            }
        }
    }
}

static inline void sample_free_velocity(struct nb_problem *problem)
{
    const int bodies = 6 * problem->bodies.count, dofs = nb_problem_dofs(problem);
    problem->free_velocity = malloc(((size_t)dofs + 1) * sizeof(double));
    for (int i = 0; i < dofs; ++i)
        problem->free_velocity[i] = i < bodies ? problem->bodies.velocity[i]
                                               : problem->particles.velocity[i - bodies];
}

static inline void make_particle_sample(struct nb_problem *problem)
{
    uint32_t seed = 31;
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.0083;
    strcpy(problem->name, "deformable");
    assert_ok(nb_scene_allocate(problem, SAMPLE_BODIES, 0, &why));
    for (int i = 0; i < SAMPLE_BODIES; ++i) {
        const double turn[3] = {0.4, -0.3 - i, 0.7};
        problem->bodies.mass[i] = 1 + i;
        for (int k = 0; k < 3; ++k) {
            problem->bodies.position[3 * i + k] = 2 * test_uniform(&seed);
            problem->bodies.inertia[9 * i + 4 * k] = 0.2 + 0.1 * k;
        }
        nb_quaternion_advance(problem->bodies.orientation + 4 * i, 1, turn);
        for (int k = 0; k < 6; ++k)
            problem->bodies.velocity[6 * i + k] = test_uniform(&seed);
    }
    sample_particles(problem, SAMPLE_PARTICLES, &seed);
    sample_links(problem, &seed);
    sample_contacts(problem, &seed);
    sample_free_velocity(problem);
}

#endif
