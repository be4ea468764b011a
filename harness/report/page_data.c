/* What a page shows, as one object of JSON for the page's script (report.js): numbers and names of records, not words.
 * A problem is a place in `problems`, a case one in `cases`; `of` of a case has for each axis the place of its value.
 * If there are many cases, only those of the first problems are there; sums are over all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/judge/ending.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/record.h"
#include "harness/report/curve.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"

static void add_texts(cJSON *object, const char *name, const char *const *text, int count)
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < count; ++i)
        cJSON_AddItemToArray(array, cJSON_CreateString(text[i]));
}

static int count_texts(const char *const *text)
{
    int count = 0;
    while (text && text[count])
        ++count;
    return count;
}

/* The lines of a text; null without it. */
static void add_lines(cJSON *object, const char *name, const char *text)
{
    if (!text) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    cJSON *array = cJSON_AddArrayToObject(object, name);
    while (*text) {
        const size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        cJSON_AddItemToArray(array, cJSON_CreateString(line ? line : ""));
        free(line);
        text += length + (text[length] == '\n');
    }
}

static void add_header(cJSON *data, const struct nb_page_cases *cases)
{
    const struct nb_page *page = cases->page;
    const char *date[2];
    int reached = 0;
    for (int i = 0; i < cases->count; ++i)
        reached += cases->item[i].iterations > 0;
    nb_page_dates(cases, &date[0], &date[1]);
    cJSON_AddStringToObject(data, "title", nb_page_title(page));
    add_texts(data, "lead", page->lead, count_texts(page->lead));
    add_lines(data, "summary", page->summary);
    NB_JSON_ADD(data, "tolerance", cases->tolerance, "count", cases->count, "reached", reached,
                "problem_count", cases->problem.count, "cut", (bool)nb_page_is_cut(cases), "rows", NB_PAGE_ROWS);
    add_texts(data, "dates", date, 2);
    add_texts(data, "problems", (const char *const *)cases->problem.value, cases->shown);
}

static void add_axes(cJSON *data, const struct nb_page_cases *cases)
{
    cJSON *axes = cJSON_AddArrayToObject(data, "axes");
    for (int a = 0; a < cases->axis_count; ++a) {
        cJSON *axis = nb_json_append(axes);
        cJSON_AddStringToObject(axis, "name", cases->axis[a].name);
        add_texts(axis, "values", (const char *const *)cases->axis[a].value, cases->axis[a].count);
    }
}

static void add_cell(cJSON *cells, const struct nb_page_cases *cases, const struct nb_matrix *matrix, int problem,
                     int value)
{
    static const char *const kinds[] = {"empty", "best", "same", "slower", "unlike", "untimed", "failed"};
    const struct nb_cell *cell = &matrix->cell[problem * matrix->axis->count + value];
    char text[64];
    if (cell->kind == NB_CELL_EMPTY)
        return;
    cJSON *added = nb_json_append(cells);
    nb_cell_text(cell, text, sizeof text);
    NB_JSON_ADD(added, "problem", problem, "value", value, "case", cases->item[cell->item - cases->item].row,
                "kind", kinds[cell->kind], "text", text);
    nb_json_numbers(added, "ratio", (const double[]){cell->ratio.value, cell->ratio.low, cell->ratio.high}, 3);
}

static enum nb_status add_matrix(cJSON *verdicts, const struct nb_page_cases *cases, const struct nb_axis *axis,
                                 struct nb_error *error)
{
    struct nb_matrix matrix;
    const enum nb_status status = nb_matrix_make(cases, axis, &matrix, error);
    if (status)
        return status;
    cJSON *added = nb_json_append(verdicts), *cells = cJSON_AddArrayToObject(added, "cells");
    cJSON *values = cJSON_AddArrayToObject(added, "values");
    for (int p = 0; p < cases->shown; ++p)
        for (int v = 0; v < axis->count; ++v)
            add_cell(cells, cases, &matrix, p, v);
    for (int v = 0; v < axis->count; ++v) {
        const struct nb_matrix_summary summary = nb_matrix_summary(&matrix, v);
        cJSON *value = nb_json_append(values);
        NB_JSON_ADD(value, "tried", summary.tried, "reached", summary.reached, "fastest", summary.fastest,
                    "slowdown", summary.slowdown);
    }
    cJSON_AddNumberToObject(added, "best", nb_matrix_best(&matrix));
    nb_matrix_free(&matrix);
    return NB_OK;
}

/* Without the pairs of problems that have no rows. */
static void finish_part(cJSON *part, const struct nb_page_cases *cases, const struct nb_comparison_part *made)
{
    cJSON *pairs = nb_json_member(part, "pairs"), *next;
    if (!pairs)
        return;
    cJSON_AddStringToObject(part, "kind", nb_comparison_kind(made));
    for (cJSON *pair = pairs->child; pair; pair = next) {
        next = pair->next;
        if (nb_index_find(&cases->problem.index, nb_json_string(pair, "problem")) >= cases->shown)
            cJSON_Delete(cJSON_DetachItemViaPointer(pairs, pair));
    }
}

/* One without pairs says why. */
static enum nb_status add_comparison(cJSON *comparisons, const struct nb_page_cases *cases, struct nb_page_match match,
                                     struct nb_error *error)
{
    struct nb_page_comparison made;
    struct nb_error why;
    const enum nb_status status = nb_page_compare(cases, match, &made, &why);
    cJSON *added = nb_json_append(comparisons);
    NB_JSON_ADD(added, "a", cases->axis[0].value[match.a], "b", cases->axis[0].value[match.b]);
    if (status == NB_BAD_INPUT)
        cJSON_AddStringToObject(added, "reason", why.text);
    if (!status) {
        cJSON *compared = nb_comparison_json(&made.asked, &made.result);
        finish_part(nb_json_member(compared, "steps"), cases, &made.result.steps);
        finish_part(nb_json_member(compared, "linear_systems"), cases, &made.result.systems);
        cJSON_AddItemToObject(added, "compared", compared);
    }
    nb_page_comparison_free(&made);
    return status && status != NB_BAD_INPUT ? nb_fail(error, status, "%s", why.text) : NB_OK;
}

static enum nb_status add_comparisons(cJSON *data, const struct nb_page_cases *cases, struct nb_error *error)
{
    struct nb_page_match match[NB_PAGE_METHODS];
    const int count = nb_page_matches(cases, match);
    enum nb_status status = NB_OK;
    cJSON *words = cJSON_AddObjectToObject(data, "words"), *pair_words = cJSON_AddObjectToObject(data, "pair_words");
    for (enum nb_verdict v = NB_VERDICT_BETTER; v <= NB_VERDICT_NOT_DECIDED; ++v)
        cJSON_AddStringToObject(words, nb_verdict_name(v), nb_verdict_text(v));
    for (enum nb_pair_verdict v = NB_PAIR_BETTER; v <= NB_PAIR_NEITHER; ++v)
        cJSON_AddStringToObject(pair_words, nb_pair_verdict_name(v), nb_pair_verdict_text(v));
    cJSON_AddNumberToObject(data, "most_comparisons", NB_PAGE_METHODS);
    cJSON *comparisons = cJSON_AddArrayToObject(data, "comparisons");
    for (int i = 0; i < count && !status; ++i)
        status = add_comparison(comparisons, cases, match[i], error);
    return status;
}

static void add_endings(cJSON *data, const struct nb_page_cases *cases)
{
    cJSON *endings = cJSON_AddObjectToObject(data, "endings");
    for (enum nb_ending e = 0; e <= NB_ENDING_INFEASIBLE; ++e) {
        int reached;
        const int count = nb_page_count_ending(cases, nb_ending_name(e), &reached);
        if (count)
            nb_json_numbers(endings, nb_ending_name(e), (const double[]){count, reached}, 2);
    }
}

/* How far the repetitions lie apart, over their median; NaN below two. */
static double spread(const struct nb_outcome *outcome)
{
    double seconds[NB_OUTCOME_REPETITIONS], least = INFINITY, most = 0;
    const int count = nb_outcome_times(outcome, seconds);
    for (int i = 0; i < count; ++i) {
        least = fmin(least, seconds[i]);
        most = fmax(most, seconds[i]);
    }
    return count > 1 ? (most - least) / nb_median(seconds, count) : NAN;
}

static void add_case(cJSON *array, const struct nb_page_cases *cases, int i)
{
    const struct nb_page_case *item = &cases->item[i];
    struct nb_outcome outcome;
    nb_outcome_read(item->record, nb_outcome_tolerance(item->record, cases->tolerance), &outcome);
    const struct nb_effort effort = nb_outcome_effort(item->record, &outcome);
    cJSON *added = nb_json_append(array), *of = cJSON_AddArrayToObject(added, "of");
    cJSON_AddNumberToObject(added, "problem", cases->problem.of[i]);
    for (int a = 0; a < cases->axis_count; ++a)
        cJSON_AddItemToArray(of, cJSON_CreateNumber(cases->axis[a].of[i]));
    NB_JSON_ADD(added, "ending", item->ending, "error", item->error, "time", item->time, "spread", spread(&outcome),
                "setup", nb_json_path_number(item->record, "times", "setup"),
                "iterations", item->iterations ? item->iterations : NAN, "linear_iterations", effort.linear_iterations,
                "whole", nb_json_path_number(item->record, "times", "median"));
    NB_JSON_ADD(added, "detail", nb_json_string(item->record, "detail"));
}

/* The one value that all cases have which read the setting; "" where there are several or none. */
static void common_value(const struct nb_page_cases *cases, const char *name, char *common)
{
    *common = '\0';
    for (int i = 0; i < cases->count; ++i) {
        char text[NB_PAGE_VALUE];
        const cJSON *record = cases->item[i].record, *item = nb_json_path(record, "settings", name);
        if (!item || cJSON_IsNull(item) || !nb_record_reads(record, name))
            continue;
        nb_record_text(record, name, text, sizeof text);
        if (*common && strcmp(common, text)) {
            *common = '\0';
            return;
        }
        snprintf(common, NB_PAGE_VALUE, "%s", text);
    }
}

static void add_cases(cJSON *data, const struct nb_page_cases *cases)
{
    const struct nb_case_setting *row;
    cJSON *common = cJSON_AddObjectToObject(data, "common"), *array = cJSON_AddArrayToObject(data, "cases");
    for (int i = 0; (row = nb_case_column(i)); ++i) {
        char text[NB_PAGE_VALUE];
        common_value(cases, row->name, text);
        if (*text && strncmp(row->name, "problem", 7))
            cJSON_AddStringToObject(common, row->name, text);
    }
    for (int i = 0; i < cases->count; ++i)
        if (cases->item[i].row >= 0)
            add_case(array, cases, i);
}

/* The problems with what makes them hard, and the hashes by which they are known. A file with several stored systems,
 * or as it is and linearised, is one. */

/* By name and hash. */
static void content_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    char hash[NB_PAGE_VALUE];
    (void)name;
    nb_page_problem_name(cases->item[i].record, text);
    nb_record_text(cases->item[i].record, "problem_hash", hash, sizeof hash);
    strncat(text, "\n", NB_PAGE_TEXT - strlen(text) - 1);
    strncat(text, hash, NB_PAGE_TEXT - strlen(text) - 1);
}

/* The first of the problem's cases that has the number; NaN where none has. */
static double number_of(const struct nb_page_cases *cases, const struct nb_axis *contents, int problem,
                        const char *outer, const char *inner)
{
    double number = NAN;
    for (int i = contents->first[problem]; i >= 0 && isnan(number); i = contents->next[i])
        number = nb_json_path_number(cases->item[i].record, outer, inner);
    return number;
}

static void add_content(cJSON *array, const struct nb_page_cases *cases, const struct nb_axis *contents, int problem)
{
    static const char *const numbers[][2] = {
        {"sizes", "dofs"},
        {"sizes", "contacts"},
        {"sizes", "bilaterals"},
        {"sizes", "rows"},
        {"features", "redundancy"},
        {"features", "rank_deficiency"},
        {"features", "mass_ratio"},
    };
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    const cJSON *record = cases->item[contents->first[problem]].record;
    char text[NB_PAGE_TEXT];
    double value[NUMBERS];
    cJSON *added = nb_json_append(array);
    nb_page_problem_name(record, text);
    cJSON_AddStringToObject(added, "name", text);
    for (int n = 0; n < NUMBERS; ++n)
        value[n] = number_of(cases, contents, problem, numbers[n][0], numbers[n][1]);
    nb_json_numbers(added, "numbers", value, NUMBERS);
    cJSON_AddStringToObject(added, "file", nb_record_text(record, "problem_file", text, sizeof text));
    cJSON_AddStringToObject(added, "hash", nb_record_text(record, "problem_hash", text, sizeof text));
}

static enum nb_status add_contents(cJSON *data, const struct nb_page_cases *cases, struct nb_error *error)
{
    struct nb_axis contents = {.name = "problem"};
    cJSON *array = cJSON_AddArrayToObject(data, "contents");
    const enum nb_status status = nb_axis_fill(&contents, cases->count, content_of, cases, error);
    for (int p = 0; p < contents.count && !status; ++p)
        if (cases->problem.of[contents.first[p]] < cases->shown)
            add_content(array, cases, &contents, p);
    nb_axis_free(&contents);
    return status;
}

/* Where the numbers come from: the machines and builds that the records name, each kind with its number of cases. */

static const struct kinds {
    const char *name;
    const char *fact[10]; /* by which kinds are told apart */
} kinds[] = {
    {"machines", {"host", "cpu", "host_threads", "quota", "simd", "governor", "memory", "gpu", "kernel"}},
    {"builds", {"version", "commit", "fingerprint", "compiler", "flags", "blas", "hdf5", "cuda"}},
};

static const cJSON *provenance(const struct nb_page_case *item)
{
    return nb_json_member(item->record, "provenance");
}

/* What the case's record says of these facts. */
static cJSON *facts_of(const struct nb_page_cases *cases, int i, const struct kinds *of)
{
    cJSON *facts = cJSON_CreateObject();
    for (const char *const *name = of->fact; *name; ++name) {
        const cJSON *fact = nb_json_member(provenance(&cases->item[i]), *name);
        if (cJSON_IsString(fact) || cJSON_IsNumber(fact))
            cJSON_AddItemToObject(facts, *name, cJSON_Duplicate(fact, false));
    }
    return facts;
}

static void facts_text(const void *context, int i, const char *name, char *text)
{
    cJSON *facts = facts_of(context, i, !strcmp(name, kinds[0].name) ? &kinds[0] : &kinds[1]);
    char *printed = cJSON_PrintUnformatted(facts);
    snprintf(text, NB_PAGE_TEXT, "%s", printed ? printed : "");
    cJSON_free(printed);
    cJSON_Delete(facts);
}

static enum nb_status add_kinds(cJSON *data, const struct nb_page_cases *cases, const struct kinds *of,
                                struct nb_error *error)
{
    struct nb_axis found = {.name = of->name};
    cJSON *array = cJSON_AddArrayToObject(data, of->name);
    const enum nb_status status = nb_axis_fill(&found, cases->count, facts_text, cases, error);
    for (int k = 0; k < found.count && !status; ++k) {
        int count = 0;
        for (int i = found.first[k]; i >= 0; i = found.next[i])
            ++count;
        cJSON *kind = nb_json_append(array);
        NB_JSON_ADD(kind, "cases", count, "facts", facts_of(cases, found.first[k], of));
    }
    nb_axis_free(&found);
    return status;
}

/* The least and the largest load of the machine while cases were recorded. */
static void add_load(cJSON *data, const struct nb_page_cases *cases)
{
    double load[2] = {NAN, NAN};
    for (int i = 0; i < cases->count; ++i) {
        const double packed = nb_json_get(cases->item[i].record, "load");
        const double at = isnan(packed) ? nb_json_get(provenance(&cases->item[i]), "load") : packed;
        if (at >= 0) {
            load[0] = fmin(load[0], at);
            load[1] = fmax(load[1], at);
        }
    }
    nb_json_numbers(data, "load", load, 2);
}

void nb_page_dates(const struct nb_page_cases *cases, const char **first, const char **last)
{
    *first = *last = "";
    for (int i = 0; i < cases->count; ++i) {
        const char *date = nb_json_string(provenance(&cases->item[i]), "date");
        if (*date && (!**first || strcmp(date, *first) < 0))
            *first = date;
        if (strcmp(date, *last) > 0)
            *last = date;
    }
}

static void add_origin(cJSON *data, const struct nb_page_cases *cases)
{
    const struct nb_page *page = cases->page;
    const char *const *command = (const char *const *)page->command;
    char line[NB_CONTROL_LINES][NB_CONTROL_TEXT];
    cJSON *control = cJSON_AddArrayToObject(data, "control");
    const int lines = nb_control_lines(&cases->control, line);
    for (int i = 0; i < lines; ++i)
        cJSON_AddItemToArray(control, cJSON_CreateString(line[i]));
    add_texts(data, "files", page->files, page->file_count);
    add_texts(data, "command", command, count_texts(command));
    cJSON_AddStringToObject(data, "generator", nb_provenance_generator());
}

/* Each reason of cases that failed to run, once. */
static void add_reasons(cJSON *data, const struct nb_page_cases *cases)
{
    struct nb_reasons reasons = nb_page_reasons(cases);
    int rest;
    cJSON *array = cJSON_AddArrayToObject(data, "reasons");
    const int shown = nb_reasons_sort(&reasons, &rest);
    for (int i = 0; i < shown; ++i) {
        cJSON *reason = nb_json_append(array);
        NB_JSON_ADD(reason, "cases", reasons.reason[i].cases, "text", reasons.reason[i].text);
    }
    cJSON_AddNumberToObject(data, "other_reasons", rest);
    nb_reasons_free(&reasons);
}

enum nb_status nb_page_data(const struct nb_page_cases *cases, cJSON **data, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    *data = cJSON_CreateObject();
    add_header(*data, cases);
    add_axes(*data, cases);
    cJSON *verdicts = cJSON_AddArrayToObject(*data, "verdicts");
    for (int a = 0; a < cases->axis_count && !status; ++a)
        status = add_matrix(verdicts, cases, &cases->axis[a], error);
    status = status ? status : add_comparisons(*data, cases, error);
    add_endings(*data, cases);
    add_reasons(*data, cases);
    if (cases->page->curve)
        cJSON_AddItemToObject(*data, "curve", nb_curve_json(cases->page->curve));
    add_cases(*data, cases);
    status = status ? status : add_contents(*data, cases, error);
    add_load(*data, cases);
    for (int k = 0; k < 2 && !status; ++k)
        status = add_kinds(*data, cases, &kinds[k], error);
    add_origin(*data, cases);
    return status;
}
