/* What the tables of a report find: of each problem and precision the most accurate and the fastest configuration and
 * the next fastest, and medians by solver. Failures never take part in a minimum or a median. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/record.h"
#include "harness/report/report_private.h"

bool nb_rows_same_problem(const struct nb_row *a, const struct nb_row *b)
{
    return !strcmp(a->problem, b->problem);
}

bool nb_rows_same_group(const struct nb_row *a, const struct nb_row *b)
{
    return nb_rows_same_problem(a, b) && !strcmp(a->precision, b->precision) && a->system == b->system;
}

bool nb_rows_same_solver(const struct nb_row *a, const struct nb_row *b)
{
    return nb_rows_same_group(a, b) && !strcmp(a->method, b->method) && !strcmp(a->linear, b->linear) &&
           !strcmp(a->precond, b->precond);
}

bool nb_rows_first(const struct nb_rows *rows, int i, bool (*same)(const struct nb_row *, const struct nb_row *))
{
    for (int j = 0; j < i; ++j)
        if (same(&rows->row[j], &rows->row[i]))
            return false;
    return true;
}

static double error_of(const struct nb_row *row)
{
    return row->error;
}

static double time_of(const struct nb_row *row)
{
    return row->time;
}

/* The row of i's group that takes part (NULL: all do) with the smallest value; NULL where there is none. */
static const struct nb_row *least(const struct nb_rows *rows, int i, double (*value)(const struct nb_row *),
                                  bool (*takes_part)(const struct nb_row *))
{
    const struct nb_row *best = NULL;
    for (int j = 0; j < rows->count; ++j) {
        const struct nb_row *row = &rows->row[j];
        if (!nb_rows_same_group(row, &rows->row[i]) || isnan(value(row)) || (takes_part && !takes_part(row)))
            continue;
        if (!best || value(row) < value(best))
            best = row;
    }
    return best;
}

/* The second fastest of the group that reaches the tolerance; NULL: none. */
static const struct nb_row *runner_up(const struct nb_rows *rows, const struct nb_row *fastest)
{
    const struct nb_row *second = NULL;
    for (int i = 0; i < rows->count; ++i) {
        const struct nb_row *row = &rows->row[i];
        if (row != fastest && nb_rows_same_group(row, fastest) && nb_row_reaches(row) && !isnan(row->time) &&
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
    best->next = best->fastest ? runner_up(rows, best->fastest) : NULL;
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
    const struct nb_row *kind = &rows->row[first];
    int timed = 0;
    *medians = (struct nb_row_medians){.error = NAN, .time = NAN};
    for (int i = first; i < rows->count; ++i)
        if (nb_rows_same_solver(&rows->row[i], kind)) {
            ++medians->cases;
            if (nb_row_reaches(&rows->row[i]))
                values[medians->reaching++] = rows->row[i].error;
        }
    if (medians->reaching)
        medians->error = nb_median_sorting(values, medians->reaching);
    for (int i = first; i < rows->count; ++i)
        if (nb_rows_same_solver(&rows->row[i], kind) && !isnan(rows->row[i].time))
            values[timed++] = rows->row[i].time;
    if (timed)
        medians->time = nb_median_sorting(values, timed);
}

int nb_rows_endings(const struct nb_rows *rows, const char *problem, const char *ending)
{
    int count = 0;
    for (int i = 0; i < rows->count; ++i)
        count += (!problem || !strcmp(rows->row[i].problem, problem)) && !strcmp(rows->row[i].ending, ending);
    return count;
}
