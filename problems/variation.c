/* Changes of a step (variation.h): u~ = u0 + h M^-1 f with u0 of gravity and turning alone, f all other forces. */
#include "problems/variation.h"

#include <math.h>

#include "problems/base/gyration.h"
#include "problems/base/rotation.h"
#include "problems/step.h"

static enum nb_status check_values(const struct nb_problem *problem, const char *what, int count, const double *values,
                                   double least, struct nb_error *error)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(values[i]) || !(values[i] > least))
            return nb_fail(error, NB_BAD_INPUT, "%s: the change of the %s has the entry %d = %g, must be finite%s",
                           problem->name, what, i, values[i], least == 0 ? " and above 0" : "");
    return NB_OK;
}

static enum nb_status check(const struct nb_problem *problem, const char *what, int count, const double *values,
                            double least, struct nb_error *error)
{
    if (problem->form != NB_NONLINEAR)
        return nb_fail(error, NB_UNSUPPORTED, "%s: a linear step has no %s to change", problem->name, what);
    return check_values(problem, what, count, values, least, error);
}

enum nb_status nb_problem_add_velocity(struct nb_problem *problem, const double *change, struct nb_error *error)
{
    const int bodies = problem->bodies.count;
    enum nb_status status = check(problem, "velocities", nb_problem_dofs(problem), change, -INFINITY, error);
    for (int i = 0; i < bodies && !status; ++i) {
        double before[6], after[6];
        status = nb_step_free_velocity(problem, i, before, error);
        for (int k = 0; k < 6; ++k)
            problem->bodies.velocity[6 * i + k] += change[6 * i + k];
        if (!status)
            status = nb_step_free_velocity(problem, i, after, error);
        for (int k = 0; k < 6 && !status; ++k)
            problem->free_velocity[6 * i + k] += after[k] - before[k];
    }
    for (int i = 0; i < 3 * problem->particles.count && !status; ++i) {
        problem->particles.velocity[i] += change[6 * bodies + i];
        problem->free_velocity[6 * bodies + i] += change[6 * bodies + i];
    }
    return status;
}

void nb_problem_positions(const struct nb_problem *problem, double *position)
{
    for (int i = 0; i < 3 * problem->bodies.count; ++i)
        *position++ = problem->bodies.position[i];
    for (int i = 0; i < 3 * problem->particles.count; ++i)
        *position++ = problem->particles.position[i];
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
    enum nb_status status = check(problem, "masses", bodies + particles, factor, 0, error);
    for (int i = 0; i < bodies && !status; ++i) {
        double *u = problem->free_velocity + 6 * i, freely[6];
        if ((status = nb_step_free_velocity(problem, i, freely, error)))
            break;
        for (int k = 0; k < 6; ++k)
            u[k] = freely[k] + (u[k] - freely[k]) / factor[i];
        for (int k = 0; k < 9; ++k)
            problem->bodies.inertia[9 * i + k] *= factor[i];
        problem->bodies.mass[i] *= factor[i];
    }
    for (int i = 0; i < particles && !status; ++i) {
        double *u = problem->free_velocity + 6 * bodies + 3 * i;
        for (int k = 0; k < 3; ++k) {
            const double freely = problem->particles.velocity[3 * i + k] + problem->time_step * problem->gravity[k];
            u[k] = freely + (u[k] - freely) / factor[bodies + i];
        }
        problem->particles.mass[i] *= factor[bodies + i];
    }
    return status;
}

enum nb_status nb_problem_push(struct nb_problem *problem, const double *force, struct nb_error *error)
{
    const double h = problem->time_step;
    const int dofs = nb_problem_dofs(problem), bodies = problem->bodies.count;
    if (problem->form == NB_LINEAR_LOCAL)
        return nb_fail(error, NB_UNSUPPORTED, "%s: a local step has no forces to change", problem->name);
    const enum nb_status status = check_values(problem, "forces", dofs, force, -INFINITY, error);
    if (problem->form == NB_LINEAR_GLOBAL) {
        for (int i = 0; i < dofs && !status; ++i)
            problem->linear.force[i] += h * force[i];
        return status;
    }
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
