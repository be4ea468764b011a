/* The cases of a page: each with its outcome at the page's tolerance, steps before linear systems, and the settings in
 * which they differ. A setting counts where a case's method reads it (harness/records/record.h). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"
#include "problems/base/sorted.h"

/* The matrix of verdicts. Like is compared with like: the cells of a problem are cases that agree in all settings but
 * the one in question, as far as they read them. Of several such families of a problem the one with the most values
 * counts, of these the one whose settings are read most, then that of the fastest case; what was tried otherwise
 * alone says so and has no ratio. The family's fastest case that reaches the tolerance is the measure. Two times that
 * were taken in turn have an interval of their ratio: where it holds 1, they are not distinguishable. Failures take
 * part in no minimum; in the median over problems a failure is infinitely slow. */

/* Whether a represents their value rather than b: the faster of those that reach the tolerance, else the nearest. */
static bool is_better(const struct nb_page_case *a, const struct nb_page_case *b)
{
    if (!b || !a->iterations != !b->iterations)
        return !b || a->iterations;
    return a->iterations ? a->time < b->time : a->error < b->error || isnan(b->error);
}

/* Whether the two may be in one row: what one of them does not read makes no difference. Methods as wholes may. */
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

/* cell [axis->count] gets the case that represents each value. */
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
        if (cases->item[i].iterations && (!family.best || cases->item[i].time < family.best->time))
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
        if (cell[i].rival && cell[i].item->iterations && isfinite(cell[i].item->time) &&
            (!best || cell[i].item->time < best->time))
            best = cell[i].item;
    return best;
}

static void compare_times(const struct nb_page_cases *cases, struct nb_cell *cell, const struct nb_page_case *best)
{
    double times[NB_OUTCOME_REPETITIONS], least[NB_OUTCOME_REPETITIONS];
    cell->shown = cell->item->time / best->time;
    cell->ratio = (struct nb_interval){cell->shown, NAN, NAN};
    cell->kind = NB_CELL_SLOWER;
    if (nb_outcome_not_interleaved(cell->item->record, best->record))
        return;
    const int count = nb_outcome_seconds(cell->item->record, cases->tolerance, times);
    cell->ratio = nb_interval_ratio(times, count, least, nb_outcome_seconds(best->record, cases->tolerance, least));
    nb_interval_widen(&cell->ratio, nb_control_spread(&cases->control));
    if (cell->ratio.low <= 1)
        cell->kind = NB_CELL_SAME;
}

static void judge(const struct nb_page_cases *cases, struct nb_cell *cell, const struct nb_page_case *best)
{
    cell->ratio = (struct nb_interval){NAN, NAN, NAN};
    if (!cell->item) {
        cell->kind = NB_CELL_EMPTY;
    } else if (!cell->item->iterations) {
        cell->kind = NB_CELL_FAILED;
    } else if (!cell->rival) {
        cell->kind = NB_CELL_UNLIKE;
    } else if (!isfinite(cell->item->time)) {
        cell->kind = NB_CELL_UNTIMED;
    } else if (cell->item == best) {
        cell->kind = NB_CELL_BEST;
        cell->ratio = (struct nb_interval){1, 1, 1};
    } else {
        compare_times(cases, cell, best);
    }
}

enum nb_status nb_matrix_make(const struct nb_page_cases *cases, const struct nb_axis *axis, struct nb_matrix *matrix,
                              struct nb_error *error)
{
    const int rows = cases->problem.count, columns = axis->count;
    const size_t cells = ((size_t)rows + 1) * (size_t)columns; /* a row more is for a family to be weighed */
    *matrix = (struct nb_matrix){axis, &cases->problem, calloc(cells, sizeof *matrix->cell)};
    if (!matrix->cell)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the verdicts of %d problems", rows);
    choose_cases(cases, matrix, matrix->cell + rows * columns);
    for (int p = 0; p < rows; ++p) {
        struct nb_cell *row = &matrix->cell[p * columns];
        const struct nb_page_case *best = fastest_of(row, columns);
        for (int v = 0; v < columns; ++v)
            judge(cases, &row[v], best);
    }
    return NB_OK;
}

void nb_matrix_free(struct nb_matrix *matrix)
{
    free(matrix->cell);
    *matrix = (struct nb_matrix){0};
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
        nb_sort_doubles(ratio, summary.tried);
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
    case NB_CELL_SAME:
        snprintf(text, size, "≈ %s ×", nb_text_ratio(cell->shown));
        break;
    case NB_CELL_SLOWER:
        snprintf(text, size, isnan(cell->ratio.low) ? "(%s ×)" : "%s ×", nb_text_ratio(cell->shown));
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

/* Which values of a page's first axis are compared: each against a baseline, or with a candidate and no baseline the
 * candidate against each (harness/report/compare.h). */

void nb_page_add_record(cJSON **records, const cJSON *record)
{
    if (*records && cJSON_AddItemReferenceToArray(*records, (cJSON *)(uintptr_t)record))
        return;
    cJSON_Delete(*records);
    *records = NULL;
}

/* The value's index; -1: none, as of NULL. And whether baseline and candidate are values of the first axis. */
static int page_value_index(const struct nb_axis *axis, const char *value)
{
    for (int i = 0; value && i < axis->count; ++i)
        if (!strcmp(axis->value[i], value))
            return i;
    return -1;
}

enum nb_status nb_page_check_values(const struct nb_page_cases *cases, struct nb_error *error)
{
    const char *const asked[] = {cases->page->baseline, cases->page->candidate};
    for (int i = 0; i < 2; ++i)
        if (asked[i] && page_value_index(&cases->axis[0], asked[i]) < 0)
            return nb_fail(error, NB_BAD_INPUT, "no case has %s=%s", cases->axis[0].name, asked[i]);
    return NB_OK;
}

int nb_page_matches(const struct nb_page_cases *cases, struct nb_page_match *match)
{
    const struct nb_axis *axis = &cases->axis[0];
    const int candidate = page_value_index(axis, cases->page->candidate);
    const int baseline = page_value_index(axis, cases->page->baseline);
    int count = 0;
    const int first = baseline < 0 ? 0 : baseline;
    const bool each_with_candidate = candidate >= 0 && baseline < 0;
    for (int v = 0; v < axis->count && count < NB_PAGE_METHODS; ++v) {
        if (each_with_candidate && v != candidate)
            match[count++] = (struct nb_page_match){v, candidate};
        else if (!each_with_candidate && (candidate < 0 || v == candidate) && v != first)
            match[count++] = (struct nb_page_match){first, v};
    }
    return count;
}

/* The cases that have the value, which share what they hold with the records; NULL where memory is short. A
 * comparison looks through all that it is given, again and again. */
static cJSON *cases_of(const struct nb_page_cases *cases, int value)
{
    cJSON *records = cJSON_CreateArray();
    for (int i = 0; i < cases->count; ++i)
        if (cases->axis[0].of[i] == value)
            nb_page_add_record(&records, cases->item[i].record);
    return records;
}

enum nb_status nb_page_compare(const struct nb_page_cases *cases, struct nb_page_match match,
                               struct nb_page_comparison *made, struct nb_error *error)
{
    const struct nb_axis *axis = &cases->axis[0];
    *made = (struct nb_page_comparison){.first = cases_of(cases, match.a), .second = cases_of(cases, match.b)};
    if (!made->first || !made->second)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the comparisons");
    snprintf(made->a, sizeof made->a, "%s=%s", axis->name, axis->value[match.a]);
    snprintf(made->b, sizeof made->b, "%s=%s", axis->name, axis->value[match.b]);
    made->asked = (struct nb_comparison){.a = {1, {made->a}},
                                         .b = {1, {made->b}},
                                         .across = {cases->page->across != NULL, {cases->page->across}},
                                         .tolerance = cases->tolerance};
    return nb_compare_records(&made->asked, made->first, made->second, &made->result, error);
}

void nb_page_comparison_free(struct nb_page_comparison *made)
{
    nb_comparison_free(&made->result);
    cJSON_Delete(made->first);
    cJSON_Delete(made->second);
}

static enum nb_status no_memory(struct nb_error *error)
{
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the report");
}

void nb_page_problem_name(const cJSON *record, char *text)
{
    if (!nb_record_text(record, "problem_label", text, NB_PAGE_VALUE)[0])
        nb_record_text(record, "problem", text, NB_PAGE_VALUE);
}

static void problem_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    (void)name;
    nb_outcome_instance(cases->item[i].record, text, NB_PAGE_VALUE);
    if (!*text)
        strcpy(text, "?");
}

static void setting_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    nb_record_setting(cases->item[i].record, name, text, NB_PAGE_VALUE);
}

/* All settings that vary, of those that the case reads. */
static void method_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    size_t used = 0;
    (void)name;
    if (!cases->axis_count)
        strcpy(text, "not said");
    for (int a = 0; a < cases->axis_count && used < NB_PAGE_TEXT; ++a) {
        const struct nb_axis *axis = &cases->axis[a];
        if (axis->of[i] >= 0)
            used += (size_t)snprintf(text + used, NB_PAGE_TEXT - used, "%s%s", used ? " · " : "",
                                     axis->value[axis->of[i]]);
    }
}

/* The one in question, then strategies by the number of their values, then numbers; in the table's order. */
static bool stands_before(const struct nb_page *page, const struct nb_axis *a, const struct nb_axis *b)
{
    const bool asked_a = page->axis && !strcmp(a->name, page->axis),
               asked_b = page->axis && !strcmp(b->name, page->axis);
    if (asked_a != asked_b)
        return asked_a;
    return a->strategy != b->strategy ? a->strategy : a->count > b->count;
}

static void sort_axes(struct nb_page_cases *cases)
{
    for (int i = 1; i < cases->axis_count; ++i)
        for (int j = i; j > 0 && stands_before(cases->page, &cases->axis[j], &cases->axis[j - 1]); --j) {
            const struct nb_axis moved = cases->axis[j];
            cases->axis[j] = cases->axis[j - 1];
            cases->axis[j - 1] = moved;
        }
}

/* Keeps a setting that has so many values, or that the page asks for. */
static enum nb_status add_axis(struct nb_page_cases *cases, const struct nb_case_setting *row, int least,
                               struct nb_error *error)
{
    struct nb_axis *axis = &cases->axis[cases->axis_count];
    *axis = (struct nb_axis){.name = row->name, .strategy = row->option.kind};
    const enum nb_status status = nb_axis_fill(axis, cases->count, setting_of, cases, error);
    const bool asked = cases->page->axis && !strcmp(row->name, cases->page->axis) && axis->count;
    if (status || (axis->count < least && !asked))
        nb_axis_free(axis);
    else
        ++cases->axis_count;
    return status;
}

static enum nb_status add_axes(struct nb_page_cases *cases, int least, struct nb_error *error)
{
    const struct nb_case_setting *row;
    enum nb_status status = NB_OK;
    for (int i = 0; !status && (row = nb_case_axis(i)) && cases->axis_count < NB_PAGE_AXES; ++i)
        if (nb_axis_says_how(row->name) && (least > 1 || row->option.kind))
            status = add_axis(cases, row, least, error);
    return status;
}

const struct nb_axis *nb_page_axis(const struct nb_page_cases *cases, const char *name)
{
    for (int a = 0; a < cases->axis_count; ++a)
        if (!strcmp(cases->axis[a].name, name))
            return &cases->axis[a];
    return NULL;
}

/* A limit of iterations that each solver has for itself is not in question (harness/report/compare_pairs.c). */
static void drop_own_limits(struct nb_page_cases *cases)
{
    const char *asked = cases->page->axis;
    const struct nb_axis *solver = nb_page_axis(cases, "solver"), *limit = nb_page_axis(cases, "newton_iters");
    if (!solver || !limit || (asked && !strcmp(asked, "newton_iters")))
        return;
    for (int i = 0; i < cases->count; ++i)
        if (limit->of[i] >= 0 && (solver->of[i] < 0 || limit->of[i] != limit->of[solver->first[solver->of[i]]]))
            return;
    const long l = limit - cases->axis;
    nb_axis_free(&cases->axis[l]);
    memmove(&cases->axis[l], &cases->axis[l + 1], (size_t)(--cases->axis_count - l) * sizeof *cases->axis);
}

/* All settings together, where more than one varies and a table can show them; or where records have no setting. */
static enum nb_status add_method(struct nb_page_cases *cases, struct nb_error *error)
{
    struct nb_axis *axis = &cases->axis[cases->axis_count];
    if (cases->axis_count == 1)
        return NB_OK;
    *axis = (struct nb_axis){.name = "method", .strategy = true};
    const enum nb_status status = nb_axis_fill(axis, cases->count, method_of, cases, error);
    if (status || axis->count > NB_PAGE_METHODS)
        nb_axis_free(axis);
    else
        ++cases->axis_count;
    return status;
}

/* If nothing varies, the strategies are shown that all cases share. */
static enum nb_status find_axes(struct nb_page_cases *cases, struct nb_error *error)
{
    enum nb_status status = add_axes(cases, 2, error);
    if (!status && !cases->axis_count)
        status = add_axes(cases, 1, error);
    if (!status)
        drop_own_limits(cases);
    sort_axes(cases);
    if (!status && cases->page->axis && (!cases->axis_count || strcmp(cases->axis[0].name, cases->page->axis)))
        status = nb_fail(error, NB_BAD_INPUT, "no case has a setting %s", cases->page->axis);
    return status ? status : add_method(cases, error);
}

static enum nb_status find_tolerance(struct nb_page_cases *cases, struct nb_error *error)
{
    const struct nb_page *page = cases->page;
    cases->tolerance = page->tolerance > 0 ? page->tolerance : nb_outcome_common_tolerance(page->records);
    if (cases->tolerance > 0)
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT,
                   "--tol is missing, and the cases have no tolerance in common: the error to "
                   "which all are compared, as in --tol 1e-6 (step error of a step, relative residual of a linear "
                   "system)");
}

/* The cases among the records, steps or linear systems. */
static void collect(struct nb_page_cases *cases, bool systems)
{
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record,
                       cases->page->records) if (nb_record_is_case(record) && nb_outcome_is_system(record) == systems)
        cases->item[cases->count++]
            .record = record;
}

static void read_outcomes(struct nb_page_cases *cases)
{
    for (int i = 0; i < cases->count; ++i) {
        struct nb_page_case *item = &cases->item[i];
        struct nb_outcome outcome;
        nb_outcome_read(item->record, nb_outcome_tolerance(item->record, cases->tolerance), &outcome);
        item->iterations = outcome.iterations;
        item->time = nb_outcome_time(&outcome);
        item->error = nb_outcome_accuracy(item->record);
        item->ending = nb_json_string(item->record, "ending");
        if (!*item->ending)
            item->ending = "unknown";
    }
}

/* Numbers the cases that have rows: those of the first problems. */
static void number_rows(struct nb_page_cases *cases)
{
    int rows = 0;
    for (int i = 0; i < cases->count; ++i)
        cases->item[i].row = cases->problem.of[i] < cases->shown ? rows++ : -1;
}

/* How many problems have rows. */
static int count_shown(const struct nb_page_cases *cases)
{
    int shown = 0, rows = 0;
    for (; shown < cases->problem.count; ++shown) {
        for (int i = cases->problem.first[shown]; i >= 0; i = cases->problem.next[i])
            ++rows;
        if (shown && rows > NB_PAGE_ROWS)
            break;
    }
    return shown;
}

int nb_page_count_ending(const struct nb_page_cases *cases, const char *ending, int *reached)
{
    int count = 0;
    *reached = 0;
    for (int i = 0; i < cases->count; ++i)
        if (!strcmp(cases->item[i].ending, ending)) {
            ++count;
            *reached += cases->item[i].iterations > 0;
        }
    return count;
}

struct nb_reasons nb_page_reasons(const struct nb_page_cases *cases)
{
    struct nb_reasons reasons = {0};
    for (int i = 0; i < cases->count; ++i)
        nb_reasons_add(&reasons, cases->item[i].record);
    return reasons;
}

bool nb_page_is_cut(const struct nb_page_cases *cases)
{
    return cases->count > NB_PAGE_ROWS;
}

enum nb_status nb_page_cases_read(const struct nb_page *page, struct nb_page_cases *cases, struct nb_error *error)
{
    *cases = (struct nb_page_cases){.page = page, .problem.name = "problem"};
    enum nb_status status = nb_problems_tell_apart(page->records, error);
    cases->item = calloc((size_t)cJSON_GetArraySize(page->records) + 1, sizeof *cases->item);
    if (!status && !cases->item)
        status = no_memory(error);
    if (!status) {
        nb_control_read(&cases->control, page->records);
        collect(cases, false);
        collect(cases, true);
        if (!cases->count)
            status = nb_fail(error, NB_BAD_INPUT, "no records of cases");
    }
    status = status ? status : find_tolerance(cases, error);
    if (!status) {
        read_outcomes(cases);
        status = nb_axis_fill(&cases->problem, cases->count, problem_of, cases, error);
    }
    if (!status) {
        cases->shown = count_shown(cases);
        number_rows(cases);
        status = find_axes(cases, error);
    }
    if (status)
        nb_page_cases_free(cases);
    return status;
}

void nb_page_cases_free(struct nb_page_cases *cases)
{
    for (int a = 0; a < cases->axis_count; ++a)
        nb_axis_free(&cases->axis[a]);
    nb_axis_free(&cases->problem);
    free(cases->item);
    *cases = (struct nb_page_cases){0};
}
