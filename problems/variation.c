/* Changes of a step (variation.h): u~ = u0 + h M^-1 f with u0 of gravity and turning alone, f all other forces. */
#include "problems/variation.h"

#include <math.h>

#include "problems/base/gyration.h"
#include "problems/base/rotation.h"

static enum nb_status check(const struct nb_problem *problem, const char *what, int count, const double *values,
                            double least, struct nb_error *error)
{
    if (problem->form != NB_NONLINEAR)
        return nb_fail(error, NB_UNSUPPORTED, "%s: a linear step has no %s to change", problem->name, what);
    for (int i = 0; i < count; ++i)
        if (!isfinite(values[i]) || !(values[i] > least))
            return nb_fail(error, NB_BAD_INPUT, "%s: the change of the %s has the entry %d = %g, must be finite%s",
                           problem->name, what, i, values[i], least == 0 ? " and above 0" : "");
    return NB_OK;
}

/* u0 of a body. */
static void move_freely(const struct nb_problem *problem, int body, double *out)
{
    const struct nb_bodies *bodies = &problem->bodies;
    double rotation[9];
    nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
    nb_gyrate(rotation, bodies->inertia + 9 * body, problem->time_step, bodies->velocity + 6 * body + 3, out + 3);
    for (int k = 0; k < 3; ++k)
        out[k] = bodies->velocity[6 * body + k] + problem->time_step * problem->gravity[k];
}

enum nb_status nb_problem_add_velocity(struct nb_problem *problem, const double *change, struct nb_error *error)
{
    const int bodies = problem->bodies.count;
    const enum nb_status status = check(problem, "velocities", nb_problem_dofs(problem), change, -INFINITY, error);
    for (int i = 0; i < bodies && !status; ++i) {
        double before[6], after[6];
        move_freely(problem, i, before);
        for (int k = 0; k < 6; ++k)
            problem->bodies.velocity[6 * i + k] += change[6 * i + k];
        move_freely(problem, i, after);
        for (int k = 0; k < 6; ++k)
            problem->free_velocity[6 * i + k] += after[k] - before[k];
    }
    for (int i = 0; i < 3 * problem->particles.count && !status; ++i) {
        problem->particles.velocity[i] += change[6 * bodies + i];
        problem->free_velocity[6 * bodies + i] += change[6 * bodies + i];
    }
    return status;
}

void nb_problem_masses(const struct nb_problem *problem, double *mass)
{
    for (int i = 0; i < problem->bodies.count; ++i)
        *mass++ = problem->bodies.mass[i];
    for (int i = 0; i < problem->particles.count; ++i)
        *mass++ = problem->particles.mass[i];
}

enum nb_status nb_problem_scale_masses(struct nb_problem *problem, const double *factor, struct nb_error *error)
{
    const int bodies = problem->bodies.count, particles = problem->particles.count;
    const enum nb_status status = check(problem, "masses", bodies + particles, factor, 0, error);
    if (status)
        return status;
    for (int i = 0; i < bodies; ++i) {
        double *u = problem->free_velocity + 6 * i, freely[6];
        move_freely(problem, i, freely);
        for (int k = 0; k < 6; ++k)
            u[k] = freely[k] + (u[k] - freely[k]) / factor[i];
        for (int k = 0; k < 9; ++k)
            problem->bodies.inertia[9 * i + k] *= factor[i];
        problem->bodies.mass[i] *= factor[i];
    }
    for (int i = 0; i < particles; ++i) {
        double *u = problem->free_velocity + 6 * bodies + 3 * i;
        for (int k = 0; k < 3; ++k) {
            const double freely = problem->particles.velocity[3 * i + k] + problem->time_step * problem->gravity[k];
            u[k] = freely + (u[k] - freely) / factor[bodies + i];
        }
        problem->particles.mass[i] *= factor[bodies + i];
    }
    return NB_OK;
}

enum nb_status nb_problem_push(struct nb_problem *problem, const double *force, struct nb_error *error)
{
    const double h = problem->time_step;
    const int dofs = nb_problem_dofs(problem), bodies = problem->bodies.count;
    if (problem->form == NB_LINEAR_LOCAL)
        return nb_fail(error, NB_UNSUPPORTED, "%s: a local step has no forces to change", problem->name);
    if (problem->form == NB_LINEAR_GLOBAL) {
        for (int i = 0; i < dofs; ++i)
            problem->linear.force[i] += h * force[i];
        return NB_OK;
    }
    const enum nb_status status = check(problem, "forces", dofs, force, -INFINITY, error);
    for (int i = 0; i < bodies && !status; ++i) {
        double rotation[9], world[9], rate[3], *u = problem->free_velocity + 6 * i;
        nb_quaternion_matrix(problem->bodies.orientation + 4 * i, rotation);
        nb_world_inertia(rotation, problem->bodies.inertia + 9 * i, world);
        nb_solve_spd3(world, force + 6 * i + 3, rate);
        for (int k = 0; k < 3; ++k) {
            u[k] += h * force[6 * i + k] / problem->bodies.mass[i];
            u[3 + k] += h * rate[k];
        }
    }
    for (int i = 6 * bodies; i < dofs && !status; ++i)
        problem->free_velocity[i] += h * force[i] / problem->particles.mass[(i - 6 * bodies) / 3];
    return status;
}
