/* The matrix of verdicts. Of each problem and value the fastest case that reaches the tolerance stands for the value;
 * the problem's fastest one is the measure. Like is compared with like: of the cases of a value only those count at
 * whose other settings another value was tried, too, unless there are none such. Two times that were taken in turn have
 * an interval of their ratio: where it holds 1, they are not distinguishable. Failures take part in no minimum; in the
 * median over problems a failure is infinitely slow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/record.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"

static bool reaches(const struct nb_page_case *item)
{
    return item->outcome.iterations > 0;
}

/* Whether a stands for their value rather than b: the faster of those that reach the tolerance, else the nearest. */
static bool is_better(const struct nb_page_case *a, const struct nb_page_case *b)
{
    if (!b || reaches(a) != reaches(b))
        return !b || reaches(a);
    return reaches(a) ? a->time < b->time : a->error < b->error || isnan(b->error);
}

bool nb_page_related(const struct nb_page_cases *cases, const struct nb_axis *axis, int i, int j)
{
    bool same = cases->problem.of[i] == cases->problem.of[j] && axis->of[i] >= 0 && axis->of[j] >= 0;
    for (int a = 0; a < cases->axis_count && same; ++a) {
        const struct nb_axis *other = &cases->axis[a];
        same = other == axis || !strcmp(other->name, "method") || other->of[i] == other->of[j];
    }
    return same;
}

/* Whether another value of the axis was tried at the other settings of case i. */
static bool has_rival(const struct nb_page_cases *cases, const struct nb_axis *axis, int i)
{
    const struct nb_axis *problem = &cases->problem;
    for (int j = problem->first[problem->of[i]]; j >= 0; j = problem->next[j])
        if (axis->of[j] != axis->of[i] && nb_page_related(cases, axis, i, j))
            return true;
    return false;
}

static void choose_cases(const struct nb_page_cases *cases, struct nb_matrix *matrix)
{
    const struct nb_axis *axis = matrix->axis;
    for (int i = 0; i < cases->count; ++i) {
        if (axis->of[i] < 0)
            continue;
        struct nb_cell *cell = &matrix->cell[matrix->problem->of[i] * axis->count + axis->of[i]];
        const bool rival = has_rival(cases, axis, i);
        if (rival != cell->rival ? rival : is_better(&cases->item[i], cell->item)) {
            cell->item = &cases->item[i];
            cell->rival = rival;
        }
    }
}

static const struct nb_page_case *fastest_of(const struct nb_cell *cell, int count)
{
    const struct nb_page_case *best = NULL;
    for (int i = 0; i < count; ++i)
        if (cell[i].item && reaches(cell[i].item) && isfinite(cell[i].item->time) &&
            (!best || cell[i].item->time < best->time))
            best = cell[i].item;
    return best;
}

static enum nb_status compare_times(struct nb_cell *cell, const struct nb_page_case *best, struct nb_error *error)
{
    double times[NB_OUTCOME_REPETITIONS], least[NB_OUTCOME_REPETITIONS];
    cell->ratio = (struct nb_interval){cell->item->time / best->time, NAN, NAN};
    cell->kind = NB_CELL_SLOWER;
    if (nb_outcome_apart(cell->item->record, best->record))
        return NB_OK;
    const int count = nb_outcome_times(&cell->item->outcome, times), others = nb_outcome_times(&best->outcome, least);
    const enum nb_status status = nb_bootstrap_ratio(times, count, least, others, &cell->ratio, error);
    if (!status && cell->ratio.low <= 1)
        cell->kind = NB_CELL_SAME;
    return status;
}

static enum nb_status judge(struct nb_cell *cell, const struct nb_page_case *best, struct nb_error *error)
{
    cell->ratio = (struct nb_interval){NAN, NAN, NAN};
    if (!cell->item) {
        cell->kind = NB_CELL_EMPTY;
    } else if (!reaches(cell->item)) {
        cell->kind = NB_CELL_FAILED;
    } else if (!isfinite(cell->item->time)) {
        cell->kind = NB_CELL_UNTIMED;
    } else if (cell->item == best) {
        cell->kind = NB_CELL_BEST;
        cell->ratio = (struct nb_interval){1, 1, 1};
    } else {
        return compare_times(cell, best, error);
    }
    return NB_OK;
}

enum nb_status nb_matrix_make(const struct nb_page_cases *cases, const struct nb_axis *axis, struct nb_matrix *matrix,
                              struct nb_error *error)
{
    const int rows = cases->problem.count, columns = axis->count;
    *matrix = (struct nb_matrix){axis, &cases->problem, calloc((size_t)rows * (size_t)columns, sizeof *matrix->cell)};
    if (!matrix->cell)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the verdicts of %d problems", rows);
    choose_cases(cases, matrix);
    enum nb_status status = NB_OK;
    for (int p = 0; p < rows; ++p) {
        struct nb_cell *row = &matrix->cell[p * columns];
        const struct nb_page_case *best = fastest_of(row, columns);
        for (int v = 0; v < columns && !status; ++v)
            status = judge(&row[v], best, error);
    }
    if (status)
        nb_matrix_free(matrix);
    return status;
}

void nb_matrix_free(struct nb_matrix *matrix)
{
    free(matrix->cell);
    *matrix = (struct nb_matrix){0};
}

static int by_ratio(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct nb_matrix_summary nb_matrix_summary(const struct nb_matrix *matrix, int value)
{
    struct nb_matrix_summary summary = {.slowdown = NAN};
    double *ratio = malloc((size_t)matrix->problem->count * sizeof *ratio);
    for (int p = 0; p < matrix->problem->count; ++p) {
        const struct nb_cell *cell = &matrix->cell[p * matrix->axis->count + value];
        if (cell->kind == NB_CELL_EMPTY)
            continue;
        if (ratio)
            ratio[summary.tried] = isnan(cell->ratio.value) ? INFINITY : cell->ratio.value;
        ++summary.tried;
        summary.reached += cell->kind != NB_CELL_FAILED;
        summary.fastest += cell->kind == NB_CELL_BEST || cell->kind == NB_CELL_SAME;
    }
    if (ratio && summary.tried) { /* infinities are sorted, too */
        qsort(ratio, (size_t)summary.tried, sizeof *ratio, by_ratio);
        summary.slowdown = ratio[(summary.tried - 1) / 2] / 2 + ratio[summary.tried / 2] / 2;
    }
    free(ratio);
    return summary;
}

int nb_matrix_best(const struct nb_matrix *matrix)
{
    int best = 0;
    struct nb_matrix_summary most = nb_matrix_summary(matrix, 0);
    for (int v = 1; v < matrix->axis->count; ++v) {
        const struct nb_matrix_summary summary = nb_matrix_summary(matrix, v);
        if (summary.fastest > most.fastest || (summary.fastest == most.fastest && summary.slowdown < most.slowdown)) {
            best = v;
            most = summary;
        }
    }
    return best;
}

void nb_cell_text(const struct nb_cell *cell, char *text, size_t size)
{
    switch (cell->kind) {
    case NB_CELL_EMPTY: *text = '\0'; break;
    case NB_CELL_BEST: snprintf(text, size, "best"); break;
    case NB_CELL_SAME: snprintf(text, size, "≈ %s ×", nb_text_ratio(cell->ratio.value)); break;
    case NB_CELL_SLOWER:
        snprintf(text, size, isnan(cell->ratio.low) ? "(%s ×)" : "%s ×", nb_text_ratio(cell->ratio.value));
        break;
    case NB_CELL_UNTIMED: snprintf(text, size, "not timed"); break;
    case NB_CELL_FAILED:
        snprintf(text, size, "%s", strcmp(cell->item->ending, "converged") ? cell->item->ending : "less accurate");
        for (char *c = text; *c; ++c)
            *c = *c == '_' ? ' ' : *c;
    }
}
