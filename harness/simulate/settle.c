/* Simulates until the largest speed has stayed below a limit for so many steps, or for a number of steps. A body's
 * speed is the larger of its centre's and that of its turning at its radius of gyration. */
#include "harness/simulate/settle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/simulate/refine.h"
#include "harness/simulate/simulate.h"
#include "harness/simulate/warm_start.h"
#include "problems/base/clock.h"
#include "problems/base/duration.h"
#include "problems/base/numbers.h"
#include "problems/base/status_line.h"
#include "problems/base/vec3.h"
#include "problems/step.h"

/* The time-step loop: find contacts, solve the step from rest or from the last solution, advance the positions. */

/* The unknowns of a step, kept from step to step. */
struct solution {
    double *u, *lambda;
    int dofs, multipliers; /* room */
    struct nb_warm_start warm;
    struct nb_simulation_cost cost;
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
    status = status ? status : nb_solver_run(solver, nb_options_iterations(options), NULL, &run, error);
    ++solution->cost.solves;
    solution->cost.iterations += run.newton_iterations;
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

enum nb_status nb_simulate_blame(enum nb_status status, const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_error why = error ? *error : (struct nb_error){""};
    return status == NB_BAD_INPUT ? nb_fail(error, NB_BREAKDOWN, "step %d: %s", problem->step, why.text) : status;
}

enum nb_status nb_simulate(struct nb_problem *problem, int steps, const struct nb_options *options,
                           nb_step_callback *callback, void *context, struct nb_error *error)
{
    return nb_simulate_counted(problem, steps, options, callback, context, NULL, error);
}

enum nb_status nb_simulate_counted(struct nb_problem *problem, int steps, const struct nb_options *options,
                                   nb_step_callback *callback, void *context, struct nb_simulation_cost *cost,
                                   struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct solution solution = {0};
    enum nb_status status = nb_step_prepare(problem, error);
    for (int step = 0; !status && step < steps; ++step) {
        status = solve_step(problem, options, &solution, error);
        if (step > 0)
            status = nb_simulate_blame(status, problem, error);
        for (int pass = 0, changed = 1; !status && changed && pass < options->refine; ++pass) {
            status = nb_refine_contacts(problem, solution.u, &changed, error);
            if (!status && changed)
                status = solve_step(problem, options, &solution, error);
        }
        if (cost)
            *cost = solution.cost;
        if (status || (callback && callback(context, problem, solution.u, solution.lambda)))
            break;
        nb_step_advance(problem, solution.u);
        status = nb_simulate_blame(nb_step_prepare(problem, error), problem, error);
    }
    free(solution.u);
    free(solution.lambda);
    nb_warm_start_free(&solution.warm);
    return status;
}

struct progress {
    struct nb_settle *settle;
    struct nb_status_line line;
    int before;                  /* steps that were done when it began */
    int quiet; /* steps at rest in a row */
    struct nb_recorded recorded; /* the largest speed of each step */
    enum nb_status status;
    struct nb_error error;
};

double nb_largest_speed(const struct nb_problem *problem, const double *u)
{
    const struct nb_bodies *bodies = &problem->bodies;
    double largest = 0;
    for (int i = 0; i < bodies->count; ++i) {
        const double *inertia = bodies->inertia + 9 * i;
        const double radius =
            sqrt((inertia[0] + inertia[4] + inertia[8]) / (2 * bodies->mass[i]));
        largest = fmax(largest, nb_norm3(u + 6 * i));
        largest = fmax(largest, radius * nb_norm3(u + 6 * i + 3));
    }
    for (int i = 0; i < problem->particles.count; ++i)
        largest = fmax(largest, nb_norm3(u + 6 * bodies->count + 3 * i));
    return largest;
}

/* Notes the step after those noted before. */
static void note_speed(struct progress *progress, double speed)
{
    struct nb_settle *settle = progress->settle;
    settle->last_speed = speed;
    progress->quiet = speed < settle->speed ? progress->quiet + 1 : 0;
    settle->reached = settle->settled && progress->quiet >= settle->steps;
}

/* With the speed that is to be come down from, or with the time left, which a run to rest does not know. */
static void show(struct progress *progress, const struct nb_problem *problem)
{
    const struct nb_settle *settle = progress->settle;
    const int done = progress->recorded.steps;
    const double each = (nb_seconds() - progress->line.begun) / (done - progress->before);
    char text[300], duration[40];
    const int used = snprintf(text, sizeof text, "%s: step %d of %s%d, %.3g s simulated, ", problem->name, done,
                              settle->settled ? "at most " : "", settle->limit, done * problem->time_step);
    if (settle->settled)
        snprintf(text + used, sizeof text - (size_t)used, "%.2g m/s, rest is %g; %.2g s a step", settle->last_speed,
                 settle->speed, each);
    else
        snprintf(text + used, sizeof text - (size_t)used, "about %s left",
                 nb_duration(each * (settle->limit - done), duration, sizeof duration));
    nb_status_line_show(&progress->line, text);
}

static int record_step(void *context, const struct nb_problem *problem, const double *u,
                 const double *lambda)
{
    struct progress *progress = context;
    struct nb_settle *settle = progress->settle;
    struct nb_recorded *recorded = &progress->recorded;
    (void)lambda;
    progress->status =
        nb_checkpoint_step(&settle->checkpoint, problem, recorded, &progress->error);
    if (!progress->status && settle->each)
        progress->status = settle->each(settle->context, problem, &progress->error);
    if (progress->status)
        return 1;
    const double speed = nb_largest_speed(problem, u);
    recorded->column[0][recorded->steps++] = speed;
    note_speed(progress, speed);
    if (nb_status_line_is_due(&progress->line))
        show(progress, problem);
    return settle->reached;
}

/* From where the problem is, which what was recorded leads to. */
static enum nb_status run_steps(struct progress *progress, struct nb_problem *problem,
                            const struct nb_options *options, struct nb_error *error)
{
    struct nb_settle *settle = progress->settle;
    const int done = progress->recorded.steps;
    for (int i = 0; i < done; ++i)
        note_speed(progress, progress->recorded.column[0][i]);
    const int left = settle->reached ? 0 : settle->limit - done;
    progress->before = done;
    nb_status_line_begin(&progress->line, stderr);
    enum nb_status status = nb_simulate(problem, left, options, record_step, progress, error);
    nb_status_line_end(&progress->line);
    if (progress->status) {
        status = progress->status;
        if (error)
            *error = progress->error;
    }
    if (!status && settle->each)
        status = settle->each(settle->context, problem, error);
    return status;
}

enum nb_status nb_settle_run(struct nb_settle *settle, struct nb_problem *problem,
                             const struct nb_options *options, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    static const char *const name[] = {"largest_speed"};
    double *speed = calloc((size_t)settle->limit + 1, sizeof *speed);
    struct progress progress = {
        .settle = settle,
        .recorded = {.columns = 1, .room = settle->limit, .name = name, .column = &speed}};
    enum nb_status status = NB_OK;
    settle->reached = false;
    settle->last_speed = 0;
    if (!speed)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d steps", settle->limit);
    status = nb_checkpoint_begin(&settle->checkpoint, settle->command, settle->settings, problem,
                                 &progress.recorded, error);
    status = status ? status : run_steps(&progress, problem, options, error);
    nb_checkpoint_end(&settle->checkpoint);
    free(speed);
    return status;
}
