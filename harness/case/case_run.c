/* What cases have in common: results and traces, and a run's beginning and end. Steps: case_step.c; linear systems:
 * case_system.c. */
#include "harness/case/case_run.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/case/case_private.h"
#include "harness/simulate/warm_start.h"
#include "problems/base/numbers.h"
#include "problems/step.h"
#include "solvers/aside.h"

/* Where a solve of a step begins, if not at rest: at what the file holds, or at the method's own solution of the step
 * before. That one is solved first, from rest, by the same settings and apart from all times; its forces go to the
 * contacts that are found again, as in a simulation (harness/simulate/warm_start.h). */

/* Behind file [begin], before file + end: the number with as many digits as its successor, or, as `export --steps`
 * names steps from 10000 on, with one less: 10000 may follow on 9999 or on 09999. */
static enum nb_status find_previous(const char *file, size_t begin, size_t end, long long number, char path[1024],
                                    struct nb_error *error)
{
    char other[1024];
    const int digits = (int)(end - begin);
    snprintf(other, sizeof other, "%.*s%0*lld%s", (int)begin, file, digits, number, file + end);
    snprintf(path, 1024, "%.*s%0*lld%s", (int)begin, file, file[begin] == '0' ? digits : 1, number, file + end);
    const bool first = !access(path, R_OK), second = strcmp(path, other) && !access(other, R_OK);
    if (first && second)
        return nb_fail(error, NB_UNSUPPORTED, "start=previous: both %.160s and %.160s could be the step before", path,
                       other);
    if (!first && !second)
        return nb_fail(error, NB_UNSUPPORTED, "start=previous: %.160s, the step before, is not there", path);
    if (second)
        snprintf(path, 1024, "%s", other);
    return NB_OK;
}

enum nb_status nb_case_previous(const struct nb_case *setting, char path[1024], struct nb_error *error)
{
    const char *file = setting->series_file ? setting->series_file : setting->problem_file;
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t end = dot && (!slash || dot > slash) ? (size_t)(dot - file) : strlen(file), begin = end;
    while (begin > 0 && end - begin < 18 && isdigit((unsigned char)file[begin - 1])) /* they fit 64 bits */
        --begin;
    const long long number = strtoll(file + begin, NULL, 10);
    if (begin == end || number < 1)
        return nb_fail(error, NB_UNSUPPORTED, "start=previous: %.160s %s", file, begin == end
                       ? "is of no series: its name ends in no number" : "is the first step of its series");
    return find_previous(file, begin, end, number - 1, path, error);
}

void nb_case_hash_previous(struct nb_case *setting)
{
    struct nb_case previous = *setting;
    setting->previous_hash[0] = '\0';
    if (!nb_case_previous(setting, previous.problem_file, NULL) &&
        !nb_case_hash_problem(&previous, NULL))
        strcpy(setting->previous_hash, previous.problem_hash);
}

/* The step as it was before it was linearised, in which contacts are known; *room holds it where it is read anew. */
static enum nb_status find_contacts(const struct nb_case_run *run, struct nb_problem *room,
                                    const struct nb_problem **step, struct nb_error *error)
{
    struct nb_case nonlinear = *run->setting;
    nonlinear.linearized = false;
    *step = &run->problem;
    if (run->setting->linearized) {
        const enum nb_status status = nb_case_read_step(&nonlinear, 0, room, NULL, NULL, error);
        if (status)
            return status;
        *step = room;
    }
    if ((*step)->form == NB_NONLINEAR && nb_problem_dofs(*step) == nb_problem_dofs(&run->problem) &&
        nb_problem_multipliers(*step) == nb_problem_multipliers(&run->problem))
        return NB_OK;
    return nb_fail(error, NB_UNSUPPORTED, "start=previous: %s does not tell which contacts it has in common with "
                   "the step before", run->setting->problem);
}

/* The previous run's solution, as far as this one's step has its contacts, into u and lambda. */
static enum nb_status carry(const struct nb_case_run *previous, struct nb_case_run *run, double *u, double *lambda,
                            struct nb_error *error)
{
    struct nb_problem rooms[2] = {0};
    const struct nb_problem *from, *to;
    struct nb_warm_start warm = {0};
    enum nb_status status = find_contacts(previous, &rooms[0], &from, error);
    status = status ? status : find_contacts(run, &rooms[1], &to, error);
    status = status ? status : nb_warm_start_keep(&warm, from, previous->u, previous->lambda, error);
    if (!status)
        run->previous.found = nb_warm_start_guess(&warm, to, nb_step_margin(to), u, lambda);
    nb_warm_start_free(&warm);
    nb_problem_free(&rooms[0]);
    nb_problem_free(&rooms[1]);
    return status;
}

/* Begins with the solution of the step before, which is solved for this. */
static enum nb_status take_previous(struct nb_case_run *run, double *u, double *lambda, struct nb_error *error)
{
    struct nb_case setting = *run->setting;
    char path[sizeof setting.problem_file];
    struct nb_case_run *previous = NULL;
    struct nb_case_result result = {0};
    setting.start = NB_START_REST;
    strcpy(setting.problem_hash, setting.previous_hash);
    setting.without_second_answer = true;
    enum nb_status status = nb_case_previous(run->setting, path, error);
    status = status ? status : nb_case_set_problem(&setting, path, error);
    status = status ? status : nb_case_run_open(&previous, &setting, error);
    status = status ? status : nb_case_run_trace(previous, NULL, NULL, &result, error);
    if (!status) {
        run->previous = (struct nb_previous_step){.ending = result.ending, .iterations = result.iterations,
                                                  .error = result.errors.step_error};
        strcpy(run->previous.hash, previous->problem.hash);
        status = carry(previous, run, u, lambda, error);
    }
    nb_case_result_free(&result);
    nb_case_run_close(previous);
    return status;
}

/* Begins with what the file holds: FCLIB's first guess, else its solution. */
static enum nb_status take_guess(const struct nb_case_run *run, double *u, double *lambda, struct nb_error *error)
{
    const char *path = run->setting->problem_file;
    double *read_u = NULL, *read_lambda = NULL;
    int guesses = 0;
    enum nb_status status = nb_guess_read(path, &run->problem, 0, &guesses, &read_u, &read_lambda, error);
    if (!status && guesses > 0)
        status = nb_guess_read(path, &run->problem, 1, &guesses, &read_u, &read_lambda, error);
    else if (!status)
        status = nb_solution_read(path, &run->problem, &read_u, &read_lambda, error);
    if (!status && !(read_u && read_lambda))
        status = nb_fail(error, NB_UNSUPPORTED, "start=guess: %.160s holds neither /guesses nor /solution", path);
    if (!status) {
        memcpy(u, read_u, (size_t)nb_problem_dofs(&run->problem) * sizeof *u);
        memcpy(lambda, read_lambda, (size_t)nb_problem_multipliers(&run->problem) * sizeof *lambda);
    }
    free(read_u);
    free(read_lambda);
    return status;
}

/* Sets where the solver's runs begin; they do at rest where the case does. */
static enum nb_status step_start(struct nb_case_run *run, struct nb_error *error)
{
    const size_t dofs = (size_t)nb_problem_dofs(&run->problem), rows = (size_t)nb_problem_multipliers(&run->problem);
    const double begin = nb_seconds();
    run->start = NAN;
    if (run->setting->start == NB_START_REST)
        return NB_OK;
    double *u = calloc(dofs + rows + 1, sizeof *u);
    if (!u)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the start of %s", run->setting->problem);
    enum nb_status status = (run->setting->start == NB_START_GUESS ? take_guess(run, u, u + dofs, error)
                                                                   : take_previous(run, u, u + dofs, error));
    status = status ? status : nb_solver_start(run->solver, u, u + dofs, error);
    free(u);
    run->start = nb_seconds() - begin;
    return status;
}

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
    free(result->island_iterations);
    result->island_iterations = NULL;
    result->islands = 0;
    memset(&result->trace, 0, sizeof result->trace);
}

void nb_case_result_clear(struct nb_case_result *result)
{
    memset(result, 0, sizeof *result);
    result->errors = nb_metrics_unknown();
    result->best_error = NAN;
    result->condition = (struct nb_step_condition){NAN, NAN};
    result->velocity_spread = NAN;
    result->best_iteration = -1;
    result->start = NAN;
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
    nb_case_result_clear(result);
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

/* The step and its judge. */
static enum nb_status problem_open(struct nb_case_run *run, struct nb_error *error)
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
    return nb_judge_create(&run->judge, &run->problem, error);
}

static enum nb_status step_begin(struct nb_case_run *run, struct nb_error *error)
{
    enum nb_status status = nb_problem_copy(&run->problem, &run->given, error);
    if (status)
        return status;
    const double start = nb_seconds(), aside = nb_aside_seconds();
    status = nb_solver_create(&run->solver, &run->given, &run->setting->options, error);
    run->setup = nb_case_own_setup(run->setting, nb_seconds() - start, nb_aside_seconds() - aside);
    return status ? status : step_start(run, error);
}

static enum nb_status stored_open(struct nb_case_run *run, struct nb_error *error)
{
    double *u = NULL, *lambda = NULL;
    enum nb_status status = problem_open(run, error);
    status = status ? status : nb_solution_read(run->setting->problem_file, &run->problem, &u, &lambda, error);
    if (!status && !(u && lambda))
        status = nb_fail(error, NB_BAD_FILE, "%s: holds no /solution to judge", run->setting->problem_file);
    if (!status) {
        memcpy(run->u, u, (size_t)nb_problem_dofs(&run->problem) * sizeof *u);
        memcpy(run->lambda, lambda, (size_t)nb_problem_multipliers(&run->problem) * sizeof *lambda);
    }
    free(u);
    free(lambda);
    return status;
}

typedef enum nb_status open_function(struct nb_case_run *run, struct nb_error *error);

static enum nb_status open_by(open_function *function, struct nb_case_run **out, const struct nb_case *setting,
                              struct nb_error *error)
{
    struct nb_case_run *run = calloc(1, sizeof *run);
    *out = NULL;
    if (!run)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a run of %s", setting->problem);
    run->setting = setting;
    run->features = nb_features_unknown();
    run->start = NAN;
    const enum nb_status status = function(run, error);
    if (status)
        nb_case_run_close(run);
    else
        *out = run;
    return status;
}

enum nb_status nb_case_run_load(struct nb_case_run **run, const struct nb_case *setting, struct nb_error *error)
{
    return open_by(setting->mode == NB_CASE_STEP ? problem_open : nb_system_open, run, setting, error);
}

enum nb_status nb_case_run_begin(struct nb_case_run *run, const struct nb_case *setting, struct nb_error *error)
{
    run->setting = setting;
    return setting->mode == NB_CASE_STEP ? step_begin(run, error) : nb_system_setup(run, &run->setup, error);
}

bool nb_case_run_serves(const struct nb_case_run *run, const struct nb_case *setting)
{
    const struct nb_case *own = run->setting;
    if (own->mode != setting->mode || strcmp(own->problem_file, setting->problem_file) ||
        strcmp(own->right_side_file, setting->right_side_file) ||
        strcmp(own->problem_hash, setting->problem_hash))
        return false;
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        return own->system == setting->system;
    return own->linearized == setting->linearized &&
           (!own->linearized || !strcmp(own->options.precision, setting->options.precision));
}

enum nb_status nb_case_run_open(struct nb_case_run **run, const struct nb_case *setting, struct nb_error *error)
{
    enum nb_status status = nb_case_run_load(run, setting, error);
    status = status ? status : nb_case_run_begin(*run, setting, error);
    if (status) {
        nb_case_run_close(*run);
        *run = NULL;
    }
    return status;
}

enum nb_status nb_case_run_open_stored(struct nb_case_run **run, const struct nb_case *setting,
                                       struct nb_error *error)
{
    return open_by(stored_open, run, setting, error);
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
    free(run->answer);
    free(run->u);
    free(run->lambda);
    free(run->scratch);
    free(run->diagonal);
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

/* --- either --- */

enum nb_status nb_case_run_trace(struct nb_case_run *run, const struct nb_floor *floor,
                                 const struct nb_case_watcher *watcher,
                                 struct nb_case_result *result, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    nb_case_result_clear(result);
    result->load = run->load;
    result->setup = run->setup;
    result->start = run->start;
    result->previous = run->previous;
    result->features = run->features;
    return run->setting->mode == NB_CASE_STEP ? nb_step_trace(run, floor, watcher, result, error)
                                              : nb_system_trace(run, watcher, result, error);
}

enum nb_status nb_case_run_setup(struct nb_case_run *run, double *seconds, struct nb_error *error)
{
    *seconds = NAN;
    return run->setting->mode == NB_CASE_STEP ? NB_OK : nb_system_setup(run, seconds, error);
}
