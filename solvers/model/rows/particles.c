/* The state of particles: x+ = x- + h v, and the inverse of their lumped mass (Macklin et al. 2019,
 * 9.3). */
#include <stdlib.h>

#include "solvers/model/rows/nonlinear.h"

void NB(nb_particles_start)(struct nb_model *model)
{
    const struct nb_problem *problem = model->problem;
    const size_t n = (size_t)problem->particles.count, bodies = (size_t)problem->bodies.count;
    nb_narrow(model->nonlinear->particles.start_position, problem->particles.position, 3 * n);
    for (size_t i = 0; i < n; ++i)
        model->particle_mass[i] = (nb_real)problem->particles.mass[i];
    nb_model_reset_inertia(model);
    for (size_t i = 6 * bodies; i < 6 * bodies + 3 * n; ++i)
        model->free_velocity[i] = (nb_real)problem->free_velocity[i];
}

void NB(nb_particles_evaluate)(struct nb_model *model, const nb_real *u)
{
    struct nb_particle_state *particles = &model->nonlinear->particles;
    const nb_real *v = u + 3 * (size_t)particles->first_node;
    for (size_t i = 0; i < 3 * (size_t)particles->count; ++i)
        particles->position[i] = particles->start_position[i] + model->time_step * v[i];
}
