/* The cases of a page: each with its outcome at the page's tolerance, steps before linear systems, and the settings in
 * which they differ. A setting counts where a case's method reads it (harness/records/record.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"
#include "harness/report/page_private.h"

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

/* A limit of iterations that each solver has for itself is no setting in question (harness/report/compare_limits.c). */
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

/* Where nothing varies the strategies are shown that all cases share. */
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
        nb_outcome_read(item->record, nb_outcome_tolerance(item->record, cases->tolerance), &item->outcome);
        item->time = nb_outcome_time(&item->outcome);
        item->error = nb_outcome_accuracy(item->record);
        item->ending = nb_json_string(item->record, "ending");
        if (!*item->ending)
            item->ending = "unknown";
    }
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
    if (!status)
        status = nb_control_read(&cases->control, page->records, error);
    if (!status) {
        collect(cases, false);
        collect(cases, true);
        if (!cases->count)
            status = nb_fail(error, NB_BAD_INPUT, "no records of cases");
    }
    if (!status)
        status = find_tolerance(cases, error);
    if (!status) {
        read_outcomes(cases);
        status = nb_axis_fill(&cases->problem, cases->count, problem_of, cases, error);
    }
    if (!status) {
        cases->shown = count_shown(cases);
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
