/* The matrix of verdicts. Like is compared with like: the cells of a problem are cases that agree in all settings but
 * the one in question, as far as they read them. Of several such families of a problem the one with the most values
 * counts, of these the one whose settings are read most, then that of the fastest case; what was tried otherwise
 * alone says so and has no ratio. The family's fastest case that reaches the tolerance is the measure. Two times that
 * were taken in turn have an interval of their ratio: where it holds 1, they are not distinguishable. Failures take
 * part in no minimum; in the median over problems a failure is infinitely slow. */
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

/* Whether the two may stand in one row: what one of them does not read is no difference. Methods as wholes may. */
static bool is_like(const struct nb_page_cases *cases, const struct nb_axis *axis, int i, int j)
{
    bool like = axis->of[i] >= 0 && axis->of[j] >= 0;
    if (!strcmp(axis->name, "method"))
        return like;
    for (int a = 0; a < cases->axis_count && like; ++a) {
        const struct nb_axis *other = &cases->axis[a];
        like = other == axis || !strcmp(other->name, "method") || other->of[i] == other->of[j] || other->of[i] < 0 ||
               other->of[j] < 0;
    }
    return like;
}

/* The cases of a problem that are like the base. */
struct family {
    int base, values, read;
    const struct nb_page_case *best;
};

/* cell [axis->count] gets what stands for each value. */
static struct family family_of(const struct nb_page_cases *cases, const struct nb_axis *axis, int base,
                               struct nb_cell *cell)
{
    struct family family = {.base = base};
    memset(cell, 0, (size_t)axis->count * sizeof *cell);
    for (int a = 0; a < cases->axis_count; ++a)
        family.read += cases->axis[a].of[base] >= 0;
    for (int i = cases->problem.first[cases->problem.of[base]]; i >= 0; i = cases->problem.next[i]) {
        if (!is_like(cases, axis, base, i))
            continue;
        struct nb_cell *at = &cell[axis->of[i]];
        family.values += !at->item;
        if (is_better(&cases->item[i], at->item))
            at->item = &cases->item[i];
        if (reaches(&cases->item[i]) && (!family.best || cases->item[i].time < family.best->time))
            family.best = &cases->item[i];
    }
    return family;
}

static bool counts_more(const struct family *a, const struct family *b)
{
    if (a->values != b->values)
        return a->values > b->values;
    if (a->read != b->read)
        return a->read > b->read;
    return a->best && (!b->best || a->best->time < b->best->time);
}

/* Adds the fastest of the cases outside the family, so that they are seen. */
static void add_others(const struct nb_page_cases *cases, const struct nb_axis *axis, int problem,
                       const struct family *family, struct nb_cell *row)
{
    for (int v = 0; v < axis->count; ++v)
        row[v].rival = row[v].item && family->values > 1;
    for (int i = cases->problem.first[problem]; i >= 0; i = cases->problem.next[i])
        if (axis->of[i] >= 0 && !row[axis->of[i]].rival && is_better(&cases->item[i], row[axis->of[i]].item))
            row[axis->of[i]].item = &cases->item[i];
}

/* room [axis->count] is for a family to be weighed. */
static void choose_cases(const struct nb_page_cases *cases, struct nb_matrix *matrix, struct nb_cell *room)
{
    const struct nb_axis *axis = matrix->axis;
    for (int p = 0; p < cases->problem.count; ++p) {
        struct family chosen = {.base = -1};
        for (int i = cases->problem.first[p]; i >= 0; i = cases->problem.next[i]) {
            if (axis->of[i] < 0)
                continue;
            const struct family family = family_of(cases, axis, i, room);
            if (counts_more(&family, &chosen))
                chosen = family;
        }
        if (chosen.base < 0)
            continue;
        family_of(cases, axis, chosen.base, &matrix->cell[p * axis->count]);
        add_others(cases, axis, p, &chosen, &matrix->cell[p * axis->count]);
    }
}

static const struct nb_page_case *fastest_of(const struct nb_cell *cell, int count)
{
    const struct nb_page_case *best = NULL;
    for (int i = 0; i < count; ++i)
        if (cell[i].rival && reaches(cell[i].item) && isfinite(cell[i].item->time) &&
            (!best || cell[i].item->time < best->time))
            best = cell[i].item;
    return best;
}

static enum nb_status compare_times(struct nb_cell *cell, const struct nb_page_case *best, double spread,
                                    struct nb_error *error)
{
    double times[NB_OUTCOME_REPETITIONS], least[NB_OUTCOME_REPETITIONS];
    cell->ratio = (struct nb_interval){cell->item->time / best->time, NAN, NAN};
    cell->kind = NB_CELL_SLOWER;
    if (nb_outcome_not_interleaved(cell->item->record, best->record))
        return NB_OK;
    const int count = nb_outcome_times(&cell->item->outcome, times), others = nb_outcome_times(&best->outcome, least);
    const enum nb_status status = nb_interval_ratio(times, count, least, others, &cell->ratio, error);
    if (!status)
        nb_interval_widen(&cell->ratio, spread);
    if (!status && cell->ratio.low <= 1)
        cell->kind = NB_CELL_SAME;
    return status;
}

static enum nb_status judge(struct nb_cell *cell, const struct nb_page_case *best, double spread,
                            struct nb_error *error)
{
    cell->ratio = (struct nb_interval){NAN, NAN, NAN};
    if (!cell->item) {
        cell->kind = NB_CELL_EMPTY;
    } else if (!reaches(cell->item)) {
        cell->kind = NB_CELL_FAILED;
    } else if (!cell->rival) {
        cell->kind = NB_CELL_UNLIKE;
    } else if (!isfinite(cell->item->time)) {
        cell->kind = NB_CELL_UNTIMED;
    } else if (cell->item == best) {
        cell->kind = NB_CELL_BEST;
        cell->ratio = (struct nb_interval){1, 1, 1};
    } else {
        return compare_times(cell, best, spread, error);
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
    struct nb_cell *room = malloc((size_t)columns * sizeof *room);
    enum nb_status status = room ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a row of verdicts");
    const double spread = nb_control_spread(&cases->control);
    if (room)
        choose_cases(cases, matrix, room);
    free(room);
    for (int p = 0; p < rows; ++p) {
        struct nb_cell *row = &matrix->cell[p * columns];
        const struct nb_page_case *best = fastest_of(row, columns);
        for (int v = 0; v < columns && !status; ++v)
            status = judge(&row[v], best, spread, error);
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
        if (!cell->rival)
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
    case NB_CELL_UNLIKE:
        snprintf(text, size, "nothing alike");
        break;
    case NB_CELL_UNTIMED: snprintf(text, size, "not timed"); break;
    case NB_CELL_FAILED:
        snprintf(text, size, "%s", strcmp(cell->item->ending, "converged") ? cell->item->ending : "less accurate");
        for (char *c = text; *c; ++c)
            *c = *c == '_' ? ' ' : *c;
    }
}
