/* A case's observed run. The solver runs on a copy of the step; after every iteration the judge evaluates the iterate,
 * an entry is added to the trace and, at the tolerance, the run is told to stop. At the end the iterate that was left
 * is judged again, and the trace tells how the run ended. Linear systems: case_system.c. */
#include "harness/case/case_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/case/case_private.h"
#include "harness/judge/infeasibility.h"
#include "harness/judge/overlap.h"
#include "problems/base/numbers.h"

static bool is_traced(int column, enum nb_metric_scope scope)
{
    if (column < NB_METRICS)
        return nb_metrics[column].place > 0 && nb_metrics[column].scope == scope;
    return column == NB_TRACE_ITERATION || scope == NB_METRIC_OF_STEP;
}

enum nb_status nb_trace_allocate(struct nb_trace *trace, enum nb_metric_scope scope, int room, struct nb_error *error)
{
    size_t columns = 0;
    *trace = (struct nb_trace){.room = room};
    for (int c = 0; c < NB_TRACE_COLUMNS; ++c)
        columns += is_traced(c, scope);
    double *next = trace->store = malloc((size_t)room * columns * sizeof *trace->store);
    if (!next)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a trace of %d iterations", room);
    for (int c = 0; c < NB_TRACE_COLUMNS; ++c)
        if (is_traced(c, scope)) {
            trace->column[c] = next;
            next += room;
        }
    return NB_OK;
}

int nb_trace_add(struct nb_trace *trace, int iteration, const struct nb_metrics *metrics)
{
    const int entry = trace->count++;
    for (int m = 0; m < NB_METRICS; ++m)
        if (trace->column[m])
            trace->column[m][entry] = nb_metric_value(metrics, m);
    trace->column[NB_TRACE_ITERATION][entry] = iteration;
    return entry;
}

void nb_case_result_free(struct nb_case_result *result)
{
    if (!result)
        return;
    free(result->trace.store);
    memset(&result->trace, 0, sizeof result->trace);
}

static void clear_result(struct nb_case_result *result)
{
    memset(result, 0, sizeof *result);
    result->errors = nb_metrics_unknown();
    result->best_error = NAN;
    result->best_iteration = -1;
    result->features = nb_features_unknown();
}

const char *nb_case_ending_of(enum nb_status status)
{
    switch (status) {
    case NB_UNSUPPORTED: return "unsupported";
    case NB_OUT_OF_MEMORY: return "out_of_memory";
    case NB_BREAKDOWN: return "breakdown";
    default: return "crashed";
    }
}

void nb_case_result_failed(struct nb_case_result *result, const struct nb_case *setting, enum nb_status status,
                           const char *detail)
{
    clear_result(result);
    result->scope = setting->mode == NB_CASE_STEP ? NB_METRIC_OF_STEP : NB_METRIC_OF_SYSTEM;
    result->ending = nb_case_ending_of(status);
    result->retry = status == NB_BAD_FILE;
    snprintf(result->detail, sizeof result->detail, "%s", detail);
}

void nb_case_result_broken(struct nb_case_result *result, const char *detail)
{
    result->ending = nb_ending_name(NB_ENDING_BREAKDOWN);
    result->complete = false;
    snprintf(result->detail, sizeof result->detail, "%s", detail);
}

/* --- a step --- */

static enum nb_status step_open(struct nb_case_run *run, struct nb_error *error)
{
    const struct nb_case *setting = run->setting;
    enum nb_status status = nb_case_read_step(setting, nb_unit_roundoff(setting->options.precision), &run->problem,
                                              &run->features, &run->load, error);
    if (status)
        return status;
    run->u = calloc((size_t)nb_problem_dofs(&run->problem) + 1, sizeof *run->u);
    run->lambda = calloc((size_t)nb_problem_multipliers(&run->problem) + 1, sizeof *run->lambda);
    if (!run->u || !run->lambda)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the iterate of %s", setting->problem);
    if ((status = nb_judge_create(&run->judge, &run->problem, error)) ||
        (status = nb_problem_copy(&run->problem, &run->given, error)))
        return status;
    const double start = nb_seconds();
    status = nb_solver_create(&run->solver, &run->given, &setting->options, error);
    run->setup = nb_seconds() - start;
    return status;
}

enum nb_status nb_case_run_open(struct nb_case_run **out, const struct nb_case *setting,
                                struct nb_error *error)
{
    struct nb_case_run *run = calloc(1, sizeof *run);
    *out = NULL;
    if (!run)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a run of %s", setting->problem);
    run->setting = setting;
    run->features = nb_features_unknown();
    const enum nb_status status = setting->mode == NB_CASE_STEP ? step_open(run, error)
                                                                : nb_system_open(run, error);
    if (status)
        nb_case_run_close(run);
    else
        *out = run;
    return status;
}

void nb_case_run_close(struct nb_case_run *run)
{
    if (!run)
        return;
    nb_solver_free(run->solver);
    nb_judge_free(run->judge);
    nb_problem_free(&run->given);
    nb_problem_free(&run->problem);
    nb_linear_bench_free(run->bench);
    nb_newton_system_free(&run->system);
    free(run->u);
    free(run->lambda);
    free(run->scratch);
    free(run);
}

const struct nb_problem *nb_case_run_problem(const struct nb_case_run *run)
{
    return &run->problem;
}

void nb_case_run_solution(const struct nb_case_run *run, const double **u, const double **lambda)
{
    *u = run->u;
    *lambda = run->lambda;
}

/* The observed run's state. */
struct observation {
    struct nb_case_run *run;
    struct nb_case_result *result;
    const struct nb_case_watcher *watcher;
    double judging; /* [s] spent outside the solver */
    bool reached;   /* the tolerance */
    int last, most; /* iteration reported, and allowed */
    bool told;      /* to stop */
    char fault[160]; /* how the solver broke the rules of solvers/strategy.h; "" */
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
    if (seen->told)
        snprintf(seen->fault, sizeof seen->fault, "the solver went on when it was told to stop at iteration %d",
                 seen->last);
    else if (iteration < seen->last || iteration > seen->most)
        snprintf(seen->fault, sizeof seen->fault, "the solver reported iteration %d after %d, of at most %d",
                 iteration, seen->last, seen->most);
    seen->last = iteration;
    return !seen->fault[0];
}

static bool observe(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear)
{
    struct observation *seen = context;
    if (seen->fault[0] || !is_in_order(seen, iteration))
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
    seen->judging += nb_seconds() - start;
    seen->told = seen->reached || !isfinite(errors->step_error);
    return !seen->told;
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
        snprintf(seen->fault, sizeof seen->fault, "the solver reported no iterate");
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
        snprintf(seen->fault, sizeof seen->fault, "the solver left another iterate, of error %.3g, than "
                 "it reported last, at iteration %d, of %.3g", left.step_error, seen->last, reported);
    return status;
}

static void set_sizes(struct nb_case_result *result, const struct nb_problem *problem)
{
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
    input.gave_up = !seen->told && seen->last < seen->most;
    result->ending = trace->count ? nb_ending_name(nb_classify(&input)) : "breakdown";
    snprintf(result->detail, sizeof result->detail, "%s", counts->detail);
}

/* Of a run that did not converge: whether none could to its tolerance. Without the memory to find out, nothing is
 * said. */
static void prove_infeasible(const struct nb_case_run *run, struct nb_case_result *result)
{
    static const enum nb_ending spared[] = {NB_ENDING_CONVERGED, NB_ENDING_ACCURACY_FLOOR};
    struct nb_infeasibility found;
    for (int k = 0; k < 2; ++k)
        if (!strcmp(result->ending, nb_ending_name(spared[k])))
            return;
    if (nb_infeasibility_find(&run->problem, run->u, run->lambda, &found, NULL) || !found.found ||
        found.violation <= run->setting->tolerance)
        return;
    result->ending = nb_ending_name(NB_ENDING_INFEASIBLE);
    nb_infeasibility_describe(&found, result->detail, sizeof result->detail);
}

static enum nb_status step_trace(struct nb_case_run *run, const struct nb_floor *floor,
                                 const struct nb_case_watcher *watcher,
                                 struct nb_case_result *result, struct nb_error *error)
{
    const int iterations = nb_options_iterations(&run->setting->options);
    struct observation seen = {.run = run, .result = result, .watcher = watcher, .most = iterations};
    const struct nb_observer observer = {&seen, observe};
    struct nb_run *counts = &result->counts;
    enum nb_status status = nb_trace_allocate(&result->trace, NB_METRIC_OF_STEP, iterations + 1, error);
    if (status)
        return status;
    memset(run->u, 0, (size_t)nb_problem_dofs(&run->problem) * sizeof *run->u);
    memset(run->lambda, 0, (size_t)nb_problem_multipliers(&run->problem) * sizeof *run->lambda);
    set_sizes(result, &run->problem);
    const double start = nb_seconds();
    if ((status = nb_solver_run(run->solver, iterations, &observer, counts, error)))
        return status;
    result->solving = run->setup + nb_seconds() - start - seen.judging;
    if (!counts->broke_down && !seen.fault[0] && (status = check_last(&seen, error)))
        return status;
    nb_case_run_expect(run, result->errors.step_error, counts->newton_iterations);
    result->complete = !counts->broke_down;
    set_ending(&seen, floor);
    if (seen.fault[0])
        nb_case_result_broken(result, seen.fault);
    else
        prove_infeasible(run, result);
    return NB_OK;
}

/* --- either --- */

enum nb_status nb_case_run_trace(struct nb_case_run *run, const struct nb_floor *floor,
                                 const struct nb_case_watcher *watcher,
                                 struct nb_case_result *result, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    clear_result(result);
    result->load = run->load;
    result->setup = run->setup;
    result->features = run->features;
    return run->setting->mode == NB_CASE_STEP ? step_trace(run, floor, watcher, result, error)
                                              : nb_system_trace(run, watcher, result, error);
}

enum nb_status nb_case_run_setup(struct nb_case_run *run, double *seconds, struct nb_error *error)
{
    *seconds = NAN;
    return run->setting->mode == NB_CASE_STEP ? NB_OK : nb_system_setup(run, seconds, error);
}
