/* The observed run of a step. The solver runs on a copy of the step; after every iteration the judge evaluates the
 * iterate, an entry is added to the trace and, at the tolerance, the run is told to stop. At the end the iterate
 * that was left is judged again, and the trace tells how the run ended. A run that goes on long is asked for no more
 * where the constraints contradict each other. A solution in a file is judged as an iterate is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_private.h"
#include "harness/case/island_judges.h"
#include "harness/judge/infeasibility.h"
#include "harness/judge/overlap.h"
#include "problems/base/numbers.h"
#include "problems/islands.h"

/* Iterations, of a step or of an island, after which it is asked whether there is a solution to go on for: the answer
 * takes at most 60 factorisations, so no longer than the run so far of a method that factorises; most runs that
 * converge have ended before. */
enum { LONG_RUN = 100 };

/* The observed run's state. */
struct observation {
    struct nb_case_run *run;
    struct nb_case_result *result;
    const struct nb_case_watcher *watcher;
    double judging; /* [s] spent outside the solver */
    bool reached;   /* the tolerance */
    int last, most; /* iteration reported, and allowed */
    struct nb_island_judges islands; /* none where no tolerance is asked for */
    bool stop_requested;
    bool asked; /* whether the constraints contradict each other: the problem alone decides, so once */
    struct nb_infeasibility proof;
    char violation[160]; /* how the solver broke the rules of solvers/strategy.h; "" */
};

/* Largest change of u and h lambda; the present iterate replaces the previous one. */
static double replace_iterate(struct nb_case_run *run, const double *u, const double *lambda)
{
    const int dofs = nb_problem_dofs(&run->problem);
    const int rows = nb_problem_multipliers(&run->problem);
    double largest = 0;
    for (int i = 0; i < dofs; ++i) {
        const double change = fabs(u[i] - run->u[i]);
        largest = change <= largest ? largest : change;
        run->u[i] = u[i];
    }
    for (int i = 0; i < rows; ++i) {
        const double change = run->problem.time_step * fabs(lambda[i] - run->lambda[i]);
        largest = change <= largest ? largest : change;
        run->lambda[i] = lambda[i];
    }
    return largest;
}

static void add_entry(struct observation *seen, int iteration, double step,
                      const struct nb_linear_report *linear)
{
    struct nb_trace *trace = &seen->result->trace;
    const struct nb_metrics *errors = &seen->result->errors;
    const int at = nb_trace_add(trace, iteration, errors);
    trace->column[NB_TRACE_STEP][at] = iteration ? step : NAN;
    trace->column[NB_TRACE_LINEAR][at] = linear ? linear->iterations : 0;
    if (errors->step_error < seen->result->best_error || seen->result->best_iteration < 0) {
        seen->result->best_iteration = iteration;
        seen->result->best_error = errors->step_error;
    }
    if (seen->watcher)
        seen->watcher->watch(seen->watcher->context, trace, at);
}

static struct nb_ending_input ending_input(const struct nb_case *setting, const struct nb_trace *trace)
{
    return (struct nb_ending_input){
        .count = trace->count,
        .error = trace->column[NB_METRIC_step_error],
        .tolerance = isnan(setting->tolerance) ? 0 : setting->tolerance,
        .unit_roundoff = nb_unit_roundoff(setting->options.precision),
        .floor = NAN,
    };
}

/* Whether a report is one that the method may make. What its own numbers would not tell is found by judging
 * the timed runs (harness/case/case_time.c). */
static bool is_in_order(struct observation *seen, int iteration)
{
    if (seen->stop_requested)
        snprintf(seen->violation, sizeof seen->violation, "the solver went on when it was told to stop at iteration %d",
                 seen->last);
    else if (iteration < seen->last || iteration > seen->most)
        snprintf(seen->violation, sizeof seen->violation, "the solver reported iteration %d after %d, of at most %d",
                 iteration, seen->last, seen->most);
    seen->last = iteration;
    return !seen->violation[0];
}

/* Whether it is proven that all velocities leave a violation above the tolerance, if there is one. Without the memory
 * to find out, nothing is known. */
static bool is_hopeless(struct observation *seen)
{
    const struct nb_case_run *run = seen->run;
    if (!seen->asked && nb_infeasibility_find(&run->problem, run->u, &seen->proof, NULL))
        seen->proof.found = false;
    seen->asked = true;
    return seen->proof.found && !(seen->proof.violation <= run->setting->tolerance);
}

/* Whether a linear step on its way to a tolerance goes on for nothing. A nonlinear one may have a solution where its
 * linearisation has none. */
static bool is_in_vain(struct observation *seen, int iteration)
{
    return iteration >= LONG_RUN && seen->run->problem.form != NB_NONLINEAR && !isnan(seen->run->setting->tolerance) &&
           is_hopeless(seen);
}

static bool observe(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear)
{
    struct observation *seen = context;
    if (seen->violation[0] || !is_in_order(seen, iteration))
        return false;
    const double start = nb_seconds();
    const double step = replace_iterate(seen->run, u, lambda);
    struct nb_metrics *errors = &seen->result->errors;
    nb_judge_evaluate(seen->run->judge, u, lambda, errors);
    if (seen->result->trace.count < seen->result->trace.room)
        add_entry(seen, iteration, step, linear);
    seen->result->iterations = iteration;
    const struct nb_ending_input so_far = ending_input(seen->run->setting, &seen->result->trace);
    seen->reached = nb_tolerance_reached(&so_far);
    seen->stop_requested = seen->reached || !isfinite(errors->step_error) || is_in_vain(seen, iteration);
    seen->judging += nb_seconds() - start;
    return !seen->stop_requested;
}

static bool observe_island(void *context, int island, int iteration, const double *u, const double *lambda)
{
    struct observation *seen = context;
    if (!seen->islands.count)
        return true;
    const double start = nb_seconds();
    const bool going = nb_island_goes_on(&seen->islands, island, u, lambda, seen->run->setting->tolerance) &&
                       !is_in_vain(seen, iteration);
    seen->judging += nb_seconds() - start;
    return going;
}

/* Whether the run left the iterate that it reported last, or one as good: what is judged is what a user
 * gets. */
static enum nb_status check_last(struct observation *seen, struct nb_error *error)
{
    struct nb_case_run *run = seen->run;
    const size_t dofs = (size_t)nb_problem_dofs(&run->problem);
    const size_t rows = (size_t)nb_problem_multipliers(&run->problem);
    const double reported = seen->result->errors.step_error;
    struct nb_metrics left;
    if (!seen->result->trace.count) {
        snprintf(seen->violation, sizeof seen->violation, "the solver reported no iterate");
        return NB_OK;
    }
    double *u = calloc(dofs + rows + 1, sizeof *u);
    if (!u)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the last iterate of %s", run->setting->problem);
    nb_solver_solution(run->solver, u, u + dofs);
    nb_judge_evaluate(run->judge, u, u + dofs, &left);
    const enum nb_status status = nb_overlap_add(&run->problem, u, &seen->result->errors.penetration, error);
    free(u);
    if (nb_case_run_is_worse(run, left.step_error, reported) ||
        nb_case_run_is_worse(run, reported, left.step_error))
        snprintf(seen->violation, sizeof seen->violation, "the solver left another iterate, of error %.3g, than "
                 "it reported last, at iteration %d, of %.3g", left.step_error, seen->last, reported);
    return status;
}

/* 0 where memory is short. */
static int largest_island(const struct nb_problem *problem)
{
    struct nb_islands islands = {0};
    int count, contacts = 0;
    if (problem->form != NB_NONLINEAR)
        return nb_linear_islands(problem, &count, &contacts, NULL) ? 0 : contacts;
    const int largest = nb_islands_find(&islands, problem, NULL) ? -1 : nb_islands_largest(&islands);
    contacts = largest < 0 ? 0 : islands.contacts[largest];
    nb_islands_free(&islands);
    return contacts;
}

static void set_sizes(struct nb_case_result *result, const struct nb_problem *problem)
{
    result->largest_island = largest_island(problem);
    result->dofs = nb_problem_dofs(problem);
    result->contacts = nb_problem_contacts(problem);
    result->bilaterals = nb_problem_bilaterals(problem);
    result->rows = nb_problem_multipliers(problem);
}

static void set_ending(const struct observation *seen, const struct nb_floor *floor)
{
    const struct nb_case *setting = seen->run->setting;
    struct nb_case_result *result = seen->result;
    const struct nb_trace *trace = &result->trace;
    const struct nb_run *counts = &result->counts;
    struct nb_ending_input input = ending_input(setting, trace);
    if (floor)
        input.floor = floor->step_error;
    input.broke_down = counts->broke_down;
    input.gave_up = !seen->stop_requested && seen->last < seen->most;
    result->ending = trace->count ? nb_ending_name(nb_classify(&input)) : "breakdown";
    snprintf(result->detail, sizeof result->detail, "%s", counts->detail);
}

/* Whether no run could have converged to its tolerance, which the problem alone decides, if this one did not. Of a
 * nonlinear step its linearisation is named, and the run keeps its ending. Without the memory to find out, nothing is
 * said. */
static void prove_infeasible(struct observation *seen)
{
    struct nb_case_result *result = seen->result;
    const bool converged = !strcmp(result->ending, nb_ending_name(NB_ENDING_CONVERGED));
    const bool nonlinear = seen->run->problem.form == NB_NONLINEAR;
    const size_t used = nonlinear ? strlen(result->detail) : 0;
    if (converged || !is_hopeless(seen))
        return;
    if (!nonlinear)
        result->ending = nb_ending_name(NB_ENDING_INFEASIBLE);
    if (used > 0 && used + 2 < sizeof result->detail)
        memcpy(result->detail + used, "; ", 3);
    const size_t at = strlen(result->detail) * nonlinear;
    nb_infeasibility_describe(&seen->proof, result->detail + at, sizeof result->detail - at);
}

/* What each island took, which timed runs repeat. */
static enum nb_status keep_islands(struct nb_case_run *run, struct nb_case_result *result, struct nb_error *error)
{
    const int count = nb_solver_islands(run->solver);
    if (count == 1)
        return NB_OK;
    result->island_iterations = calloc((size_t)count, sizeof *result->island_iterations);
    if (!result->island_iterations)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the iterations of %d islands", count);
    result->islands = count;
    nb_solver_taken(run->solver, result->island_iterations);
    nb_solver_limit(run->solver, result->island_iterations);
    return NB_OK;
}

/* The observed run itself. */
static enum nb_status run_observed(struct observation *seen, struct nb_error *error)
{
    struct nb_case_run *run = seen->run;
    const struct nb_observer observer = {.context = seen, .observe = observe, .observe_island = observe_island};
    nb_solver_limit(run->solver, NULL);
    enum nb_status status = isnan(run->setting->tolerance)
                                ? NB_OK
                                : nb_island_judges_create(&seen->islands, run->solver, error);
    const double start = nb_seconds();
    status = status ? status : nb_solver_run(run->solver, seen->most, &observer, &seen->result->counts, error);
    seen->result->running = nb_seconds() - start - seen->judging;
    seen->result->solving = run->setup + seen->result->running;
    nb_island_judges_free(&seen->islands);
    return status ? status : keep_islands(run, seen->result, error);
}

/* A run that shows its end alone, as of another program, is one entry of the trace: it stands at the number of
 * iterations that the method says it made. */
static void number_whole_run(struct nb_case_result *result)
{
    const struct nb_trace *trace = &result->trace;
    const int own = result->counts.newton_iterations;
    if (trace->count != 2 || result->iterations != 1 || own < 2)
        return;
    trace->column[NB_TRACE_ITERATION][1] = own;
    result->best_iteration = result->best_iteration == 1 ? own : result->best_iteration;
}

/* How sure the velocities of a usable result are: an error of 1 or more leaves nothing to be sure of. Without the memory
 * to find out, it is not known. */
static void estimate_certainty(const struct nb_case_run *run, struct nb_case_result *result)
{
    if (nb_ending_is_usable(nb_ending_find(result->ending)) && result->errors.step_error < 1)
        nb_step_condition(run->judge, run->u, run->lambda, &result->condition, NULL);
    nb_case_second_answer(run, result);
}

enum nb_status nb_step_trace(struct nb_case_run *run, const struct nb_floor *floor,
                             const struct nb_case_watcher *watcher, struct nb_case_result *result,
                             struct nb_error *error)
{
    const int iterations = nb_options_iterations(&run->setting->options);
    struct observation seen = {.run = run, .result = result, .watcher = watcher, .most = iterations};
    struct nb_run *counts = &result->counts;
    enum nb_status status = nb_trace_allocate(&result->trace, NB_METRIC_OF_STEP, iterations + 1, error);
    if (status)
        return status;
    memset(run->u, 0, (size_t)nb_problem_dofs(&run->problem) * sizeof *run->u);
    memset(run->lambda, 0, (size_t)nb_problem_multipliers(&run->problem) * sizeof *run->lambda);
    set_sizes(result, &run->problem);
    if ((status = run_observed(&seen, error)))
        return status;
    if (!counts->broke_down && !seen.violation[0] && (status = check_last(&seen, error)))
        return status;
    nb_case_run_expect(run, (struct nb_expected){result->errors.step_error, counts->newton_iterations,
                                                 result->running});
    result->complete = !counts->broke_down;
    set_ending(&seen, floor);
    if (seen.violation[0])
        nb_case_result_broken(result, seen.violation);
    else
        prove_infeasible(&seen);
    number_whole_run(result);
    estimate_certainty(run, result);
    return NB_OK;
}

enum nb_status nb_case_run_stored(struct nb_case_run *run, const struct nb_case_watcher *watcher,
                                  struct nb_case_result *result, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct observation seen = {.run = run, .result = result, .watcher = watcher};
    nb_case_result_clear(result);
    result->load = run->load;
    result->features = run->features;
    result->scope = NB_METRIC_OF_STEP;
    enum nb_status status = nb_trace_allocate(&result->trace, NB_METRIC_OF_STEP, 1, error);
    if (status)
        return status;
    set_sizes(result, &run->problem);
    nb_judge_evaluate(run->judge, run->u, run->lambda, &result->errors);
    status = nb_overlap_add(&run->problem, run->u, &result->errors.penetration, error);
    if (status)
        return status;
    add_entry(&seen, 0, NAN, NULL);
    set_ending(&seen, NULL);
    prove_infeasible(&seen);
    estimate_certainty(run, result);
    return NB_OK;
}
