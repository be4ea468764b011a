/* Compares the times of each controlled case with those of its control, as a pair of two methods is compared, and
 * counts how often that gives a verdict. What the intervals lack is the mean square of the logarithms of the ratios
 * less that of their standard errors. */
#include "harness/report/control.h"

#include <math.h>

#include "harness/records/compact.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/interval.h"

static const double level = 0.05;

/* Set-up and solve of each repetition, of a step one number; returns how many. */
static int read_times(const cJSON *times, bool is_system, double seconds[NB_OUTCOME_REPETITIONS])
{
    struct nb_values solves = nb_values_in(nb_json_member(times, "solve"));
    struct nb_values setups = nb_values_in(is_system ? nb_json_member(times, "setups") : NULL);
    double solve, setup;
    int count = 0;
    while (count < NB_OUTCOME_REPETITIONS && nb_values_next(&solves, &solve)) {
        const double before = nb_values_next(&setups, &setup) && setup > 0 ? setup : 0;
        if (solve > 0)
            seconds[count++] = before + solve;
    }
    return count;
}

static void add_waits(struct nb_control *control, const cJSON *times)
{
    struct nb_values solves = nb_values_in(nb_json_member(times, "solve"));
    struct nb_values waits = nb_values_in(nb_json_member(times, "waited"));
    const double each = nb_json_get(times, "solves_per_repetition"), throttled = nb_json_get(times, "throttled");
    double solve, waited;
    while (nb_values_next(&solves, &solve) && nb_values_next(&waits, &waited))
        if (solve > 0 && waited >= 0 && each > 0) {
            control->own += each * solve;
            control->waited += each * waited;
        }
    control->throttled += throttled > 0 ? throttled : 0;
}

void nb_control_add(struct nb_control *control, const cJSON *record)
{
    const cJSON *times = nb_json_member(record, "times");
    double own[NB_OUTCOME_REPETITIONS], other[NB_OUTCOME_REPETITIONS];
    const bool is_system = nb_outcome_is_system(record);
    const int count = read_times(times, is_system, own);
    const int others = read_times(nb_json_member(times, "control"), is_system, other);
    add_waits(control, times);
    if (count < NB_OUTCOME_LEAST || others < NB_OUTCOME_LEAST)
        return;
    const struct nb_interval ratio = nb_interval_ratio(own, count, other, others);
    const struct nb_effect effect = nb_interval_effect(&ratio, count, others, 0);
    ++control->pairs;
    control->different += ratio.low > 1 || ratio.high < 1;
    control->squares += pow(effect.logarithm, 2) - pow(effect.error, 2);
    control->all_squares += pow(effect.logarithm, 2);
}

void nb_control_read(struct nb_control *control, const cJSON *records)
{
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
        nb_control_add(control, record);
}

bool nb_control_is_off(const struct nb_control *control)
{
    return control->different > level * control->pairs &&
           nb_binomial_tail(control->pairs, control->different, level) <= level;
}

double nb_control_spread(const struct nb_control *control)
{
    if (!nb_control_is_off(control))
        return 0;
    return sqrt((control->squares > 0 ? control->squares : control->all_squares) / control->pairs);
}

double nb_control_waited(const struct nb_control *control)
{
    const double clock = control->own + control->waited;
    return clock > 0 ? control->waited / clock : (double)NAN;
}

static void write_control(const struct nb_control *control, char *text)
{
    const int used = snprintf(text, NB_CONTROL_TEXT, "control: %d of %d cases that were timed twice differ from "
                                                     "themselves, ",
                              control->different, control->pairs);
    if (nb_control_is_off(control))
        snprintf(text + used, (size_t)(NB_CONTROL_TEXT - used),
                 "more than the 5 %% of chance: what the machine varies between processes, %.2g %%, is added to every "
                 "interval",
                 100 * nb_control_spread(control));
    else
        snprintf(text + used, (size_t)(NB_CONTROL_TEXT - used), "no more than chance may have");
}

int nb_control_lines(const struct nb_control *control, char line[NB_CONTROL_LINES][NB_CONTROL_TEXT])
{
    int lines = 0;
    if (control->pairs)
        write_control(control, line[lines++]);
    if (!(nb_control_waited(control) >= 0.01))
        return lines;
    char quota[64] = "";
    if (control->throttled > 0)
        snprintf(quota, sizeof quota, "; the container's quota stopped it for %.3g s", control->throttled);
    snprintf(line[lines++], NB_CONTROL_TEXT, "waiting: %.0f %% of the clock in timed runs went to other programs or to "
                                             "a quota, and is not in the times%s",
             100 * nb_control_waited(control), quota);
    return lines;
}

void nb_control_print(const struct nb_control *control, const char *begin, FILE *stream)
{
    char line[NB_CONTROL_LINES][NB_CONTROL_TEXT];
    const int lines = nb_control_lines(control, line);
    for (int i = 0; i < lines; ++i)
        fprintf(stream, "%s%s\n", begin, line[i]);
}

void nb_control_add_json(cJSON *object, const struct nb_control *control)
{
    cJSON *added = cJSON_AddObjectToObject(object, "control");
    NB_JSON_ADD(added, "pairs", control->pairs, "different", control->different, "spread", nb_control_spread(control),
                "waited", nb_control_waited(control), "throttled", control->throttled);
}
