/* What the tables of a report find: of each problem and precision the most accurate and the fastest configuration and
 * the next fastest, and medians by solver. Failures never take part in a minimum or a median. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/record.h"
#include "harness/report/report_private.h"

/* The name of what a row belongs to. */
static void name_set(const struct nb_row *row, enum nb_row_set set, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", row->problem);
    if (set >= NB_SAME_GROUP)
        used += snprintf(text + used, size - (size_t)used, "\n%s\n%d", row->precision, row->system);
    if (set >= NB_SAME_SOLVER)
        snprintf(text + used, size - (size_t)used, "\n%s\n%s\n%s", row->method, row->linear, row->precond);
}

static size_t name_room(const struct nb_row *row)
{
    return strlen(row->problem) + strlen(row->precision) + strlen(row->method) + strlen(row->linear) +
           strlen(row->precond) + 32;
}

/* From the last row to the first: `last` holds the first row met so far of each. */
static enum nb_status link_set(struct nb_rows *rows, enum nb_row_set set, int *last, struct nb_index *names)
{
    for (int i = rows->count - 1, count = 0; i >= 0; --i) {
        struct nb_row *row = &rows->row[i];
        const size_t room = name_room(row);
        char *name = malloc(room);
        int number = -1;
        if (name) {
            name_set(row, set, name, room);
            number = nb_index_add(names, name, count);
            free(name);
        }
        if (number < 0)
            return NB_OUT_OF_MEMORY;
        row->first[set] = true;
        row->next[set] = number < count ? last[number] : -1;
        if (number < count)
            rows->row[last[number]].first[set] = false;
        count += number == count;
        last[number] = i;
    }
    return NB_OK;
}

enum nb_status nb_rows_link(struct nb_rows *rows, struct nb_error *error)
{
    int *last = malloc(((size_t)rows->count + 1) * sizeof *last);
    enum nb_status status = last ? NB_OK : NB_OUT_OF_MEMORY;
    for (int set = 0; set < NB_ROW_SETS && !status; ++set) {
        struct nb_index names = {NULL};
        status = link_set(rows, (enum nb_row_set)set, last, &names);
        nb_index_free(&names);
    }
    free(last);
    return status ? nb_fail(error, status, "no memory for a report of %d cases", rows->count) : NB_OK;
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
    for (int j = i; j >= 0; j = rows->row[j].next[NB_SAME_GROUP]) {
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
    for (int i = first; i >= 0; i = rows->row[i].next[NB_SAME_GROUP]) {
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
    best->apart = nb_outcome_apart(best->fastest->record, best->next->record);
    if (best->apart)
        return NB_OK;
    const int count = nb_outcome_times(&best->fastest->outcome, first);
    const int others = nb_outcome_times(&best->next->outcome, next);
    return nb_bootstrap_ratio(next, others, first, count, &best->lead, error);
}

void nb_rows_medians(const struct nb_rows *rows, int first, double *values, struct nb_row_medians *medians)
{
    int timed = 0;
    *medians = (struct nb_row_medians){.error = NAN, .time = NAN};
    for (int i = first; i >= 0; i = rows->row[i].next[NB_SAME_SOLVER]) {
        ++medians->cases;
        if (nb_row_reaches(&rows->row[i]))
            values[medians->reaching++] = rows->row[i].error;
    }
    if (medians->reaching)
        medians->error = nb_median_sorting(values, medians->reaching);
    for (int i = first; i >= 0; i = rows->row[i].next[NB_SAME_SOLVER])
        if (!isnan(rows->row[i].time))
            values[timed++] = rows->row[i].time;
    if (timed)
        medians->time = nb_median_sorting(values, timed);
}

void nb_rows_endings(const struct nb_rows *rows, int first, int *count)
{
    memset(count, 0, NB_ENDINGS * sizeof *count);
    for (int i = first < 0 ? 0 : first; i >= 0 && i < rows->count;
         i = first < 0 ? i + 1 : rows->row[i].next[NB_SAME_PROBLEM])
        for (int e = 0; e < NB_ENDINGS; ++e)
            count[e] += !strcmp(rows->row[i].ending, nb_ending_name((enum nb_ending)e));
}
