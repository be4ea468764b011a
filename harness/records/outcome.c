/* Reads from a record when its trace first reached an accuracy, and what that took: the iterations so far, and their
 * share of each repetition's time (harness/records/outcome.h). */
#include "harness/records/outcome.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/ending.h"
#include "harness/records/compact.h"
#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"

static double value_of(const cJSON *item, double otherwise)
{
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

bool nb_outcome_is_system(const cJSON *record)
{
    char mode[32];
    return !strcmp(nb_record_text(record, "mode", mode, sizeof mode), "linear_system");
}

const char *nb_outcome_metric(const cJSON *record)
{
    return nb_outcome_is_system(record)                     ? "residual"
           : nb_json_path(record, "trace", "natural_map") &&
                   !nb_json_path(record, "trace", "step_error") ? "natural_map"
                                                                : "step_error";
}

double nb_outcome_accuracy(const cJSON *record)
{
    return nb_json_path_number(record, "errors", nb_outcome_metric(record));
}

double nb_outcome_tolerance(const cJSON *record, double asked)
{
    const double own = nb_outcome_is_system(record) ? nb_json_path_number(record, "settings", "tol") : 0;
    return own > 0 ? own : asked;
}

double nb_outcome_common_tolerance(const cJSON *records)
{
    const cJSON *record = NULL;
    double common = 0;
    cJSON_ArrayForEach(record, records) {
        const double tolerance = nb_json_path_number(record, "settings", "tol");
        if (!nb_record_is_case(record))
            continue;
        if (!(tolerance > 0) || (common > 0 && tolerance != common))
            return 0;
        common = tolerance;
    }
    return common;
}

static void read_trace(const cJSON *record, double tolerance, struct nb_outcome *outcome)
{
    const bool system = nb_outcome_is_system(record);
    struct nb_values errors = nb_values_of(record, nb_outcome_metric(record));
    struct nb_values iterations = nb_values_of(record, "iteration");
    double error = INFINITY, number;
    while (nb_values_next(&errors, &error)) {
        error = error >= 0 ? error : INFINITY; /* nor a number below 0 */
        const bool counted = nb_values_next(&iterations, &number) && number >= 0 && number <= INT_MAX;
        const int iteration = counted ? (int)number : 0; /* some methods are seen at every few only */
        outcome->best = fmin(outcome->best, error);
        if (error <= tolerance && outcome->iterations == 0)
            outcome->iterations = iteration > 0 ? iteration : 1;
        outcome->total_iterations = iteration;
    }
    if (outcome->total_iterations == 0 && outcome->iterations)
        outcome->total_iterations = 1;
    outcome->prorated = !system && outcome->iterations && outcome->iterations < outcome->total_iterations;
}

/* The set-ups of a linear system: a record has one if it was not repeated, and a repetition without one has no time. */
static void read_setup(const cJSON *record, struct nb_outcome *outcome)
{
    const cJSON *each = nb_json_path(record, "times", "setups");
    struct nb_values setups = nb_values_in(each);
    double setup = nb_json_path_number(record, "times", "setup");
    int kept = 0;
    for (int i = 0; i < outcome->repetitions; ++i) {
        if (each && !nb_values_next(&setups, &setup))
            break;
        if (setup >= 0) {
            outcome->seconds[kept] = outcome->seconds[i];
            outcome->setup[kept++] = setup;
        }
    }
    outcome->repetitions = kept;
}

/* The set-ups of a step, which are parts of its times: they are the same however many iterations come after. */
static void part_setup(const cJSON *record, struct nb_outcome *outcome)
{
    struct nb_values setups = nb_values_in(nb_json_path(record, "times", "setups"));
    double setup;
    for (int i = 0; i < outcome->repetitions && nb_values_next(&setups, &setup); ++i)
        if (setup >= 0 && setup <= outcome->seconds[i]) {
            outcome->setup[i] = setup;
            outcome->seconds[i] -= setup;
        }
}

static enum nb_ending ending_of(const cJSON *record)
{
    return nb_ending_find(nb_json_string(record, "ending"));
}

/* A record that says it is solved and holds no error of its end, or one above its own tolerance, contradicts itself. */
static bool is_credible(const cJSON *record, enum nb_ending ending)
{
    const double accuracy = nb_outcome_accuracy(record), tolerance = nb_json_path_number(record, "settings", "tol");
    if (ending != NB_ENDING_CONVERGED && ending != NB_ENDING_ACCURACY_FLOOR)
        return true;
    return accuracy >= 0 && !(ending == NB_ENDING_CONVERGED && tolerance > 0 && accuracy > tolerance * (1 + 1e-9));
}

bool nb_outcome_failed_to_run(const cJSON *record)
{
    static const enum nb_ending ran[] = {NB_ENDING_CONVERGED, NB_ENDING_ACCURACY_FLOOR, NB_ENDING_STAGNATED,
                                         NB_ENDING_CYCLING, NB_ENDING_DIVERGED, NB_ENDING_ITERATION_LIMIT,
                                         NB_ENDING_INFEASIBLE};
    const enum nb_ending ending = ending_of(record);
    for (size_t i = 0; i < sizeof ran / sizeof *ran; ++i)
        if (ending == ran[i])
            return !is_credible(record, ending);
    return true;
}

bool nb_outcome_is_solved(const cJSON *record)
{
    const enum nb_ending ending = ending_of(record);
    return (ending == NB_ENDING_CONVERGED || ending == NB_ENDING_ACCURACY_FLOOR) && is_credible(record, ending);
}

void nb_outcome_read(const cJSON *record, double tolerance, struct nb_outcome *outcome)
{
    struct nb_values times = nb_values_in(nb_json_path(record, "times", "solve"));
    double seconds;
    memset(outcome, 0, sizeof *outcome);
    outcome->best = INFINITY;
    if (nb_outcome_failed_to_run(record))
        return;
    read_trace(record, tolerance, outcome);
    while (nb_values_next(&times, &seconds) && outcome->repetitions < NB_OUTCOME_REPETITIONS)
        if (seconds > 0 && isfinite(seconds))
            outcome->seconds[outcome->repetitions++] = seconds;
    if (nb_outcome_is_system(record))
        read_setup(record, outcome);
    else
        part_setup(record, outcome);
}

int nb_outcome_times(const struct nb_outcome *outcome, double *seconds)
{
    for (int i = 0; i < outcome->repetitions; ++i)
        seconds[i] = outcome->setup[i] + outcome->seconds[i] * outcome->iterations / outcome->total_iterations;
    return outcome->iterations ? outcome->repetitions : 0;
}

int nb_outcome_seconds(const cJSON *record, double asked, double *seconds)
{
    struct nb_outcome outcome;
    nb_outcome_read(record, nb_outcome_tolerance(record, asked), &outcome);
    return nb_outcome_times(&outcome, seconds);
}

int nb_outcome_iteration_times(const struct nb_outcome *outcome, double *seconds)
{
    for (int i = 0; i < outcome->repetitions; ++i)
        seconds[i] = outcome->seconds[i] / outcome->total_iterations;
    return outcome->total_iterations ? outcome->repetitions : 0;
}

double nb_outcome_time(const struct nb_outcome *outcome)
{
    double seconds[NB_OUTCOME_REPETITIONS];
    const int count = nb_outcome_times(outcome, seconds);
    return count ? nb_median(seconds, count) : INFINITY;
}

/* Of the observed run the clock is known alone, with what other programs took of it: a part of a solve that is longer
 * than the timed solve as a whole is not the method's. */
static double within(double part, double whole)
{
    return part <= whole ? part : (double)NAN;
}

struct nb_effort nb_outcome_effort(const cJSON *record, const struct nb_outcome *outcome)
{
    struct nb_effort effort = {NAN, NAN, NAN, NAN};
    if (!outcome->iterations)
        return effort;
    const double whole = nb_outcome_time(outcome);
    const double share = (double)outcome->iterations / outcome->total_iterations;
    effort.applications = share * nb_json_path_number(record, "counts", "precond");
    effort.application = within(share * nb_json_path_number(record, "times", "application"), whole);
    effort.setup = nb_json_path_number(record, "times", "setup");
    if (nb_outcome_is_system(record)) {
        effort.linear_iterations = outcome->iterations;
        return effort;
    }
    if (nb_record_reads(record, "linear"))
        effort.setup += share * value_of(nb_json_path(record, "times", "preparation"), 0);
    effort.setup = within(effort.setup, whole);
    struct nb_values linear = nb_values_of(record, "linear_iterations"), iterations = nb_values_of(record, "iteration");
    double spent, iteration;
    while (nb_values_next(&linear, &spent) && nb_values_next(&iterations, &iteration))
        if (iteration <= outcome->iterations) /* not where it is null */
            effort.linear_iterations = fmax(effort.linear_iterations, 0) + (isnan(spent) ? 0 : spent);
    if (effort.linear_iterations == 0 && !nb_record_reads(record, "linear")) /* it has no linear solver to count */
        effort.linear_iterations = NAN;
    return effort;
}

bool nb_outcome_spent_budget(const cJSON *record)
{
    const double budget = nb_json_path_number(record, "settings", "linear_iters");
    struct nb_values linear = nb_values_of(record, "linear_iterations");
    double spent;
    int solves = 0, whole = 0;
    if (nb_outcome_is_system(record) || !nb_record_reads(record, "linear_iters") || !(budget > 1))
        return false;
    nb_values_next(&linear, &spent); /* of the start */
    for (; nb_values_next(&linear, &spent); ++solves)
        whole += spent >= budget;
    return 2 * whole > solves;
}

const char *nb_outcome_not_interleaved(const cJSON *a, const cJSON *b)
{
    const cJSON *first = nb_json_path(a, "times", "run"), *second = nb_json_path(b, "times", "run");
    if (!cJSON_IsString(first) || !cJSON_IsString(second))
        return "the records do not say that their times were taken in turn";
    return strcmp(first->valuestring, second->valuestring) ? "their times were taken in different runs of a sweep"
        : NULL;
}

void nb_outcome_problem(const cJSON *record, char *text, size_t size)
{
    if (!nb_record_text(record, "problem_label", text, size)[0])
        nb_record_text(record, "problem", text, size);
}

bool nb_outcome_in_processes(const cJSON *record)
{
    return nb_json_path_number(record, "times", "processes") >= 1;
}

void nb_outcome_instance(const cJSON *record, char *text, size_t size)
{
    char problem[NB_PROBLEM_NAME + NB_PROBLEM_HASH], mode[32], system[32], linearized[16];
    nb_outcome_problem(record, problem, sizeof problem);
    nb_record_text(record, "mode", mode, sizeof mode);
    nb_record_text(record, "system", system, sizeof system);
    nb_record_text(record, "linearized", linearized, sizeof linearized);
    const bool stored = !strcmp(mode, "linear_system");
    snprintf(text, size, "%s%s%s%s", problem, stored ? " system " : "", stored ? system : "",
             !stored && !strcmp(linearized, "true") ? " linearised" : "");
}
