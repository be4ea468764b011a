/* How far a Newton step of a nonlinear step may reach, which motions are beyond it, and how soft its elements are. */
#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"
#include "solvers/outer/proximal_newton/parameters.h"

/* Angle by which a whole step turns the body that turns furthest [rad]. */
static nb_real largest_turn(const struct nb_nonsmooth *system)
{
    const int bodies = system->model->problem->bodies.count;
    nb_real most = 0;
    for (int b = 0; b < bodies; ++b)
        for (int k = 6 * b + 3; k < 6 * b + 6; ++k)
            most = nb_max(most, nb_abs(system->step_u[k]));
    return most * system->model->time_step;
}

static double rest_size(const double *r)
{
    return cbrt(r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                r[2] * (r[3] * r[7] - r[4] * r[6]));
}

/* Change of an element's edges in a whole step over its size, of the one where it is largest. */
static nb_real largest_strain(const struct nb_nonsmooth *system)
{
    const struct nb_tetrahedra *elements = &system->model->problem->tetrahedra;
    const nb_real *du = system->step_u + 3 * (size_t)(system->model->nodes - system->model->particles);
    nb_real most = 0;
    for (size_t i = 0; i < (size_t)elements->count; ++i) {
        const int *particle = elements->particle + 4 * i;
        nb_real square = 0;
        for (int k = 1; k < 4; ++k) {
            nb_real sum = 0;
            for (int c = 0; c < 3; ++c) {
                const nb_real change = du[3 * particle[k] + c] - du[3 * particle[0] + c];
                sum += change * change;
            }
            square = nb_max(square, sum);
        }
        most = nb_max(most, nb_sqrt(square) / (nb_real)rest_size(elements->rest + 9 * i));
    }
    return most * system->model->time_step;
}

nb_real nb_nonsmooth_step_length(const struct nb_nonsmooth *system)
{
    if (system->model->constant)
        return 1;
    const nb_real turn = largest_turn(system), strain = largest_strain(system);
    nb_real t = 1;
    if (turn > NB_LARGEST_TURN)
        t = NB_LARGEST_TURN / turn;
    if (t * strain > NB_LARGEST_STRAIN)
        t = NB_LARGEST_STRAIN / strain;
    return t;
}

/* Of the bodies, twice [J]. */
static nb_real kinetic_energy(const struct nb_nonsmooth *system, const nb_real *u)
{
    const struct NB(nb_model) *model = system->model;
    nb_real energy = 0;
    for (size_t i = 0; i < 3 * (size_t)(model->nodes - model->particles); i += 3) {
        nb_real mass[9], momentum[3];
        NB(nb_block_invert)(model->inverse_mass + 3 * i, mass);
        NB(nb_block_apply)(mass, u + i, momentum);
        energy += u[i] * momentum[0] + u[i + 1] * momentum[1] + u[i + 2] * momentum[2];
    }
    return energy;
}

int nb_nonsmooth_strays(struct nb_nonsmooth *system, const nb_real *u)
{
    const nb_real *free_velocity = system->model->free_velocity;
    if (system->model->constant)
        return 0;
    for (size_t i = 0; i < system->dofs; ++i)
        system->step_u[i] = u[i] - free_velocity[i];
    return nb_nonsmooth_step_length(system) < 1 && kinetic_energy(system, u) > kinetic_energy(system, free_velocity);
}

nb_real nb_nonsmooth_softness(const struct nb_nonsmooth *system)
{
    const struct NB(nb_model) *model = system->model;
    nb_real soft = 0, whole = 0;
    if (model->constant || model->problem->tetrahedra.count == 0)
        return 1;
    for (size_t i = 0; i < (size_t)model->bilateral_blocks; ++i)
        for (size_t k = 0; nb_nonsmooth_is_regular(system, i) && k < 9; k += 4) {
            soft += model->bilateral_compliance[9 * i + k];
            whole += system->local[9 * i + k];
        }
    return whole > 0 ? soft / whole : 1;
}
