/* The time-step loop (problems/simulate.h). */
#include "problems/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/collide/collide.h"
#include "problems/rotation.h"
#include "problems/vec3.h"
#include "problems/warm_start.h"

/* Where a problem's parameters do not say `margin` [m] (design section 5). */
static const double default_margin = 0.01;

/* u~ of one body: v + h g, omega - h I^-1 (omega x I omega), I in the world frame at q-. */
static enum nb_status free_velocity(const struct nb_problem *problem, int body, double *out,
                                    struct nb_error *error)
{
    const struct nb_bodies *bodies = &problem->bodies;
    const double *u = bodies->velocity + 6 * body, *omega = u + 3;
    double rotation[9], inertia[9], spin[3], torque[3], rate[3];
    nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
    nb_world_inertia(rotation, bodies->inertia + 9 * body, inertia);
    nb_rotate(inertia, omega, spin);
    nb_cross3(spin, omega, torque); /* -omega x I omega */
    if (nb_solve_spd3(inertia, torque, rate))
        return nb_fail(error, NB_BAD_INPUT, "bodies/inertia: tensor %d is not positive definite",
                       body);
    nb_add_scaled3(u, problem->time_step, problem->gravity, out);
    nb_add_scaled3(omega, problem->time_step, rate, out + 3);
    return NB_OK;
}

enum nb_status nb_step_prepare(struct nb_problem *problem, struct nb_error *error)
{
    if (problem->form != NB_NONLINEAR)
        return nb_fail(error, NB_BAD_INPUT, "%s is a linear step: it has no bodies to move",
                       problem->name);
    enum nb_status status = nb_collide(
        problem, nb_problem_parameter(problem, "margin", default_margin), error);
    if (status)
        return status;
    const int bodies = problem->bodies.count;
    const size_t room = (size_t)nb_problem_dofs(problem) + 1;
    double *u = realloc(problem->free_velocity, room * sizeof *u);
    if (!u)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu velocities", room - 1);
    problem->free_velocity = u;
    for (int i = 0; !status && i < bodies; ++i)
        status = free_velocity(problem, i, u + 6 * i, error);
    for (int i = 0; i < problem->particles.count; ++i)
        nb_add_scaled3(problem->particles.velocity + 3 * i, problem->time_step, problem->gravity,
                       u + 6 * bodies + 3 * i);
    return status;
}

void nb_step_advance(struct nb_problem *problem, const double *u)
{
    struct nb_bodies *bodies = &problem->bodies;
    struct nb_particles *particles = &problem->particles;
    const double h = problem->time_step, *v = u + 6 * bodies->count;
    for (int i = 0; i < bodies->count; ++i) {
        nb_add_scaled3(bodies->position + 3 * i, h, u + 6 * i, bodies->position + 3 * i);
        nb_quaternion_advance(bodies->orientation + 4 * i, h, u + 6 * i + 3);
    }
    for (int i = 0; i < particles->count; ++i)
        nb_add_scaled3(particles->position + 3 * i, h, v + 3 * i, particles->position + 3 * i);
    if (bodies->count > 0)
        memcpy(bodies->velocity, u, 6 * (size_t)bodies->count * sizeof *u);
    if (particles->count > 0)
        memcpy(particles->velocity, v, 3 * (size_t)particles->count * sizeof *v);
    problem->step++;
    nb_scene_move_on(problem);
}

/* The unknowns of a step, kept from step to step. */
struct solution {
    double *u, *lambda;
    int dofs, multipliers; /* room */
    struct nb_warm_start warm;
};

static int grow(double **array, int *room, int wanted)
{
    if (*array && wanted <= *room)
        return 0;
    double *grown = realloc(*array, ((size_t)wanted + 1) * sizeof *grown);
    if (!grown)
        return 1;
    *array = grown;
    *room = wanted;
    return 0;
}

static enum nb_status check_motion(const struct nb_problem *problem, const double *u,
                                   struct nb_error *error)
{
    const int of_bodies = 6 * problem->bodies.count, dofs = nb_problem_dofs(problem);
    for (int i = 0; i < dofs; ++i)
        if (!isfinite(u[i]))
            return nb_fail(error, NB_BREAKDOWN, "step %d: velocity of %s %d is %g", problem->step,
                           i < of_bodies ? "body" : "particle",
                           i < of_bodies ? i / 6 : (i - of_bodies) / 3, u[i]);
    return NB_OK;
}

/* Solves the prepared step. */
static enum nb_status solve_step(const struct nb_problem *problem, const struct nb_options *options,
                                 struct solution *solution, struct nb_error *error)
{
    struct nb_solver *solver = NULL;
    struct nb_run run = {0};
    if (grow(&solution->u, &solution->dofs, nb_problem_dofs(problem)) ||
        grow(&solution->lambda, &solution->multipliers, nb_problem_multipliers(problem)))
        return nb_fail(error, NB_OUT_OF_MEMORY, "step %d: no memory for its solution",
                       problem->step);
    enum nb_status status = nb_solver_create(&solver, problem, options, error);
    if (status)
        return status;
    if (options->warm_start) {
        nb_warm_start_take(&solution->warm, problem,
                           nb_problem_parameter(problem, "margin", default_margin), solution->u,
                           solution->lambda);
        status = nb_solver_start(solver, solution->u, solution->lambda, error);
    }
    if (!status)
        status = nb_solver_run(solver, nb_options_iterations(options), NULL, &run, error);
    if (!status && run.broke_down)
        status = nb_fail(error, NB_BREAKDOWN, "step %d: %s", problem->step, run.detail);
    if (!status) {
        nb_solver_solution(solver, solution->u, solution->lambda);
        status = check_motion(problem, solution->u, error);
    }
    if (!status && options->warm_start)
        status = nb_warm_start_keep(&solution->warm, problem, solution->u, solution->lambda, error);
    nb_solver_free(solver);
    return status;
}

enum nb_status nb_simulate(struct nb_problem *problem, int steps, const struct nb_options *options,
                           nb_step_callback *callback, void *context, struct nb_error *error)
{
    struct solution solution = {0};
    enum nb_status status = nb_step_prepare(problem, error);
    for (int step = 0; !status && step < steps; ++step) {
        status = solve_step(problem, options, &solution, error);
        if (status || (callback && callback(context, problem, solution.u, solution.lambda)))
            break;
        nb_step_advance(problem, solution.u);
        status = nb_step_prepare(problem, error);
    }
    free(solution.u);
    free(solution.lambda);
    nb_warm_start_free(&solution.warm);
    return status;
}
