/* The state of particles: x+ = x- + h v, and the inverse of their lumped mass (Macklin et al. 2019,
 * 9.3). */
#include <stdlib.h>

#include "solvers/model/rows/nonlinear.h"

void NB(nb_particles_free)(struct nb_particle_state *particles)
{
    free(particles->start_position);
    free(particles->position);
}

enum nb_status NB(nb_particles_create)(struct nb_model *model, struct nb_error *error)
{
    const struct nb_problem *problem = model->problem;
    struct nb_particle_state *particles = &model->nonlinear->particles;
    const size_t n = (size_t)problem->particles.count, bodies = (size_t)problem->bodies.count;
    particles->count = problem->particles.count;
    particles->first_node = 2 * problem->bodies.count;
    particles->start_position = nb_narrow(problem->particles.position, 3 * n);
    particles->position = malloc((3 * n + 1) * sizeof *particles->position);
    if (!particles->start_position || !particles->position)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu particles", n);
    for (size_t i = 0; i < n; ++i)
        model->particle_mass[i] = (nb_real)problem->particles.mass[i];
    nb_model_reset_inertia(model);
    for (size_t i = 6 * bodies; i < 6 * bodies + 3 * n; ++i)
        model->free_velocity[i] = (nb_real)problem->free_velocity[i];
    return NB_OK;
}

void NB(nb_particles_evaluate)(struct nb_model *model, const nb_real *u)
{
    struct nb_particle_state *particles = &model->nonlinear->particles;
    const nb_real *v = u + 3 * (size_t)particles->first_node;
    for (size_t i = 0; i < 3 * (size_t)particles->count; ++i)
        particles->position[i] = particles->start_position[i] + model->time_step * v[i];
}
