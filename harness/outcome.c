#include "harness/outcome.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/case_record.h"
#include "harness/json.h"
#include "harness/plot.h"
#include "harness/problem_name.h"

static void read_trace(const cJSON *record, double tolerance, struct nb_outcome *outcome)
{
    const char *mode = nb_json_string(cJSON_GetObjectItemCaseSensitive(record, "settings"), "mode");
    const cJSON *errors = nb_json_path(record, "trace", strcmp(mode, "linear_system") ? "natural_map"
                                                                                      : "residual");
    const cJSON *number = nb_json_path(record, "trace", "iteration"), *item = NULL;
    number = number ? number->child : NULL; /* some methods are seen at every few iterations only */
    cJSON_ArrayForEach(item, errors) {
        const double error = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;
        const int iteration = cJSON_IsNumber(number) ? number->valueint : 0;
        outcome->best = fmin(outcome->best, error);
        if (error <= tolerance && outcome->iterations == 0)
            outcome->iterations = iteration > 0 ? iteration : 1;
        outcome->whole = iteration;
        number = number ? number->next : NULL;
    }
    if (outcome->whole == 0 && outcome->iterations)
        outcome->whole = 1;
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

void nb_outcome_read(const cJSON *record, double tolerance, struct nb_outcome *outcome)
{
    const cJSON *item = NULL;
    char mode[32];
    memset(outcome, 0, sizeof *outcome);
    outcome->best = INFINITY;
    read_trace(record, tolerance, outcome);
    cJSON_ArrayForEach(item, nb_json_path(record, "times", "solve"))
        if (cJSON_IsNumber(item) && item->valuedouble > 0 &&
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
