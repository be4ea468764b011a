/* Reads from a record when its trace first reached an accuracy, and what that took: the iterations so far, and their
 * share of each repetition's time (harness/records/outcome.h). */
#include "harness/records/outcome.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/case/ending.h"
#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"

static const cJSON *first_of(const cJSON *record, const char *column)
{
    const cJSON *values = nb_json_path(record, "trace", column);
    return values ? values->child : NULL;
}

static double value_of(const cJSON *item, double otherwise)
{
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static void read_trace(const cJSON *record, double tolerance, struct nb_outcome *outcome)
{
    char mode[32];
    const bool system = !strcmp(nb_record_text(record, "mode", mode, sizeof mode), "linear_system");
    const cJSON *error_item = first_of(record, system ? "residual" : "step_error");
    const cJSON *iteration_item = first_of(record, "iteration");
    for (; error_item; error_item = error_item->next) {
        const double error = value_of(error_item, INFINITY);
        const int iteration = (int)value_of(iteration_item, 0); /* some methods are seen at every few only */
        outcome->best = fmin(outcome->best, error);
        if (error <= tolerance && outcome->iterations == 0)
            outcome->iterations = iteration > 0 ? iteration : 1;
        outcome->whole = iteration;
        iteration_item = iteration_item ? iteration_item->next : NULL;
    }
    if (outcome->whole == 0 && outcome->iterations)
        outcome->whole = 1;
    outcome->shared = !system && outcome->iterations && outcome->iterations < outcome->whole;
}

/* Of a linear system. A record whose set-up was not repeated has it once. */
static void read_setup(const cJSON *record, struct nb_outcome *outcome)
{
    const cJSON *each = nb_json_path(record, "times", "setups");
    const cJSON *once = nb_json_path(record, "times", "setup"), *item = each ? each->child : once;
    for (int i = 0; i < outcome->repetitions; ++i) {
        outcome->setup[i] = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;
        item = each && item ? item->next : item;
    }
}

static bool failed_to_run(const cJSON *record)
{
    static const enum nb_ending endings[] = {NB_ENDING_CRASHED, NB_ENDING_TIMED_OUT, NB_ENDING_OUT_OF_MEMORY};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
        if (!strcmp(nb_json_string(record, "ending"), nb_ending_name(endings[i])))
            return true;
    return false;
}

void nb_outcome_read(const cJSON *record, double tolerance, struct nb_outcome *outcome)
{
    const cJSON *item = NULL;
    char mode[32];
    memset(outcome, 0, sizeof *outcome);
    outcome->best = INFINITY;
    read_trace(record, tolerance, outcome);
    cJSON_ArrayForEach(item, nb_json_path(record, "times", "solve"))
        if (!failed_to_run(record) && cJSON_IsNumber(item) && item->valuedouble > 0 &&
            outcome->repetitions < NB_OUTCOME_REPETITIONS)
            outcome->seconds[outcome->repetitions++] = item->valuedouble;
    if (!strcmp(nb_record_text(record, "mode", mode, sizeof mode), "linear_system"))
        read_setup(record, outcome);
}

int nb_outcome_times(const struct nb_outcome *outcome, double *seconds)
{
    for (int i = 0; i < outcome->repetitions; ++i)
        seconds[i] = outcome->setup[i] + outcome->seconds[i] * outcome->iterations / outcome->whole;
    return outcome->iterations ? outcome->repetitions : 0;
}

int nb_outcome_iteration_times(const struct nb_outcome *outcome, double *seconds)
{
    for (int i = 0; i < outcome->repetitions; ++i)
        seconds[i] = outcome->seconds[i] / outcome->whole;
    return outcome->whole ? outcome->repetitions : 0;
}

double nb_outcome_time(const struct nb_outcome *outcome)
{
    double seconds[NB_OUTCOME_REPETITIONS];
    const int count = nb_outcome_times(outcome, seconds);
    return count ? nb_median(seconds, count) : INFINITY;
}

void nb_outcome_instance(const cJSON *record, char *text, size_t size)
{
    char problem[NB_PROBLEM_NAME + NB_PROBLEM_HASH], mode[32], system[32], linearized[16];
    if (!nb_record_text(record, "problem_label", problem, sizeof problem)[0])
        nb_record_text(record, "problem", problem, sizeof problem);
    nb_record_text(record, "mode", mode, sizeof mode);
    nb_record_text(record, "system", system, sizeof system);
    nb_record_text(record, "linearized", linearized, sizeof linearized);
    const bool stored = !strcmp(mode, "linear_system");
    snprintf(text, size, "%s%s%s%s", problem, stored ? " system " : "", stored ? system : "",
             !stored && !strcmp(linearized, "true") ? " linearised" : "");
}
