/* The time-step loop: find contacts, solve the step from rest or from the last solution, advance the positions. */
#include "harness/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "harness/simulate/warm_start.h"
#include "problems/base/numbers.h"
#include "problems/step.h"

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
        if (!isfinite(u[i] * u[i])) /* nor would the body's energy and turn be finite */
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
        nb_warm_start_guess(&solution->warm, problem, nb_step_margin(problem), solution->u, solution->lambda);
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
    NB_DECIMAL_POINT;
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
