/* What the tables of a report find: of each problem and precision the most accurate and the fastest configuration and
 * the next fastest, and medians by solver. Failures never take part in a minimum or a median. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/record.h"
#include "harness/records/sieve.h"
#include "harness/report/report_private.h"

/* The rows, and in what they are to belong together. */
struct naming {
    const struct nb_rows *rows;
    enum nb_row_set set;
};

/* Never empty. */
static void name_of(const void *context, int i, const char *name, char *text)
{
    const struct naming *naming = context;
    const struct nb_row *row = &naming->rows->row[i];
    (void)name;
    size_t used = (size_t)snprintf(text, NB_AXIS_TEXT, "%s\n", row->problem);
    if (naming->set >= NB_SAME_GROUP && used < NB_AXIS_TEXT)
        used += (size_t)snprintf(text + used, NB_AXIS_TEXT - used, "%s\n%d\n", row->precision, row->system);
    if (naming->set >= NB_SAME_SOLVER && used < NB_AXIS_TEXT)
        snprintf(text + used, NB_AXIS_TEXT - used, "%s\n%s\n%s", row->method, row->linear, row->precond);
}

/* Whether a table has a place for the setting. */
static bool is_shown(const char *name, bool system)
{
    static const char *const of_steps[] = {"solver", "ncp", "scaling", "newton_form", "linear", "precond", "operator",
                                           "precision", "newton_iters", "linear_iters", "start", NULL},
                             *const of_systems[] = {"linear", "precond", "precision", "threads", NULL};
    return !nb_axis_says_how(name) || nb_is_one_of(name, system ? of_systems : of_steps);
}

/* Whether two rows of a group differ in a setting that both read. */
static bool varies(const struct nb_rows *rows, int group, const char *name)
{
    char first[NB_AXIS_TEXT] = "", other[NB_AXIS_TEXT];
    for (int i = rows->set[NB_SAME_GROUP].first[group]; i >= 0; i = rows->set[NB_SAME_GROUP].next[i]) {
        nb_record_setting(rows->row[i].record, name, other, sizeof other);
        if (*first && *other && strcmp(first, other))
            return true;
        if (!*first)
            strcpy(first, other);
    }
    return false;
}

static enum nb_status find_varying(struct nb_rows *rows, struct nb_error *error)
{
    const struct nb_axis *set = &rows->set[NB_SAME_GROUP];
    const struct nb_case_setting *row;
    rows->varying = calloc((size_t)set->count + 1, sizeof *rows->varying);
    if (!rows->varying)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the settings that vary");
    for (int g = 0; g < set->count; ++g)
        for (int i = 0; (row = nb_case_axis(i)); ++i)
            if (!is_shown(row->name, rows->row[set->first[g]].system) && varies(rows, g, row->name))
                rows->varying[g] |= 1u << i;
    return NB_OK;
}

/* The first axis from *i on that varies in the row's group and that the row reads, into value [NB_AXIS_TEXT]; its name,
 * and *i behind it. NULL: there is none. */
static const char *next_other(const struct nb_rows *rows, const struct nb_row *row, int *i, char *value)
{
    const struct nb_case_setting *axis;
    const unsigned varying = rows->varying[rows->set[NB_SAME_GROUP].of[row - rows->row]];
    while ((axis = nb_case_axis(*i))) {
        const bool differs = varying >> (*i)++ & 1;
        if (differs && *nb_record_setting(row->record, axis->name, value, NB_AXIS_TEXT))
            return axis->name;
    }
    return NULL;
}

void nb_row_others(const struct nb_rows *rows, const struct nb_row *row, char *text, size_t size)
{
    char value[NB_AXIS_TEXT];
    const char *name;
    size_t used = 0;
    *text = '\0';
    for (int i = 0; used < size && (name = next_other(rows, row, &i, value));)
        used += (size_t)snprintf(text + used, size - used, " %s=%s", name, value);
}

void nb_row_add_others(const struct nb_rows *rows, const struct nb_row *row, cJSON *object)
{
    char value[NB_AXIS_TEXT];
    const char *name;
    cJSON *settings = cJSON_AddObjectToObject(object, "settings");
    for (int i = 0; (name = next_other(rows, row, &i, value));)
        cJSON_AddStringToObject(settings, name, value);
}

enum nb_status nb_rows_link(struct nb_rows *rows, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int set = 0; set < NB_ROW_SETS && !status; ++set)
        status = nb_axis_fill(&rows->set[set], rows->count, name_of,
                              &(struct naming){rows, (enum nb_row_set)set}, error);
    return status ? status : find_varying(rows, error);
}

static double error_of(const struct nb_row *row)
{
    return row->error;
}

static double time_of(const struct nb_row *row)
{
    return row->time;
}

/* The row of the group that begins with i and takes part (NULL: all do) with the smallest value; NULL: none. */
static const struct nb_row *least(const struct nb_rows *rows, int i, double (*value)(const struct nb_row *),
                                  bool (*takes_part)(const struct nb_row *))
{
    const struct nb_row *best = NULL;
    for (int j = i; j >= 0; j = rows->set[NB_SAME_GROUP].next[j]) {
        const struct nb_row *row = &rows->row[j];
        if (isnan(value(row)) || (takes_part && !takes_part(row)))
            continue;
        if (!best || value(row) < value(best))
            best = row;
    }
    return best;
}

/* The second fastest of the group that reaches the tolerance; NULL: none. */
static const struct nb_row *runner_up(const struct nb_rows *rows, int first, const struct nb_row *fastest)
{
    const struct nb_row *second = NULL;
    for (int i = first; i >= 0; i = rows->set[NB_SAME_GROUP].next[i]) {
        const struct nb_row *row = &rows->row[i];
        if (row != fastest && nb_row_reaches(row) && !isnan(row->time) &&
            (!second || row->time < second->time))
            second = row;
    }
    return second;
}

enum nb_status nb_rows_best(const struct nb_rows *rows, int i, struct nb_best *best, struct nb_error *error)
{
    double first[NB_OUTCOME_REPETITIONS], next[NB_OUTCOME_REPETITIONS];
    *best = (struct nb_best){.accurate = least(rows, i, error_of, nb_row_reaches),
                             .fastest = least(rows, i, time_of, nb_row_reaches), .lead = {NAN, NAN, NAN}};
    if (!best->accurate)
        best->nearest = least(rows, i, error_of, NULL);
    best->next = best->fastest ? runner_up(rows, i, best->fastest) : NULL;
    if (!best->next)
        return NB_OK;
    best->lead.value = best->next->time / best->fastest->time;
    best->not_interleaved = nb_outcome_not_interleaved(best->fastest->record, best->next->record);
    if (best->not_interleaved)
        return NB_OK;
    const int count = nb_outcome_times(&best->fastest->outcome, first);
    const int others = nb_outcome_times(&best->next->outcome, next);
    const enum nb_status status = nb_interval_ratio(next, others, first, count, &best->lead, error);
    if (!status)
        nb_interval_widen(&best->lead, nb_control_spread(&rows->control));
    return status;
}

void nb_rows_medians(const struct nb_rows *rows, int first, double *values, struct nb_row_medians *medians)
{
    int timed = 0;
    *medians = (struct nb_row_medians){.error = NAN, .time = NAN};
    for (int i = first; i >= 0; i = rows->set[NB_SAME_SOLVER].next[i]) {
        ++medians->cases;
        if (nb_row_reaches(&rows->row[i]))
            values[medians->reaching++] = rows->row[i].error;
    }
    if (medians->reaching)
        medians->error = nb_median_sorting(values, medians->reaching);
    for (int i = first; i >= 0; i = rows->set[NB_SAME_SOLVER].next[i])
        if (!isnan(rows->row[i].time))
            values[timed++] = rows->row[i].time;
    if (timed)
        medians->time = nb_median_sorting(values, timed);
}

void nb_rows_endings(const struct nb_rows *rows, int first, int *count)
{
    memset(count, 0, NB_ENDINGS * sizeof *count);
    for (int i = first; i >= 0; i = rows->set[NB_SAME_PROBLEM].next[i])
        for (int e = 0; e < NB_ENDINGS; ++e)
            count[e] += !strcmp(rows->row[i].ending, nb_ending_name((enum nb_ending)e));
}
