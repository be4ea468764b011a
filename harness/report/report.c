/* The report of a results file: reads the records (of each key the last counts), tells problems of one name apart,
 * prints the simulations and flattens the cases into rows, of which report_tables.c prints their tables. */
#include "harness/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"
#include "harness/records/sheet.h"
#include "harness/records/compact.h"
#include "harness/report/report_private.h"
#include "problems/base/emphasis.h"
#include "problems/base/numbers.h"
#include "solvers/registry.h"

/* What the tables of a report find: of each problem and precision the most accurate and the fastest configuration and
 * the next fastest, and medians by solver. Failures never take part in a minimum or a median. */

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

/* Sets which rows belong together, and which settings vary among these. */
static enum nb_status rows_link(struct nb_rows *rows, struct nb_error *error)
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

/* The row of the group that begins with i with the smallest value, of those that reach the tolerance, all others being
 * failures, or of all; but that one. NULL: none. */
static const struct nb_row *least(const struct nb_rows *rows, int i, double (*value)(const struct nb_row *), bool all,
                                  const struct nb_row *but)
{
    const struct nb_row *best = NULL;
    for (; i >= 0; i = rows->set[NB_SAME_GROUP].next[i]) {
        const struct nb_row *row = &rows->row[i];
        if (row != but && (all || row->iterations) && !isnan(value(row)) && (!best || value(row) < value(best)))
            best = row;
    }
    return best;
}

struct nb_best nb_rows_best(const struct nb_rows *rows, int i)
{
    double first[NB_OUTCOME_REPETITIONS], next[NB_OUTCOME_REPETITIONS];
    struct nb_best best = {.accurate = least(rows, i, error_of, false, NULL),
                           .fastest = least(rows, i, time_of, false, NULL),
                           .lead = {NAN, NAN, NAN}};
    best.nearest = best.accurate ? NULL : least(rows, i, error_of, true, NULL);
    best.next = best.fastest ? least(rows, i, time_of, false, best.fastest) : NULL;
    if (!best.next)
        return best;
    best.lead.value = best.next->time / best.fastest->time;
    best.not_interleaved = nb_outcome_not_interleaved(best.fastest->record, best.next->record);
    if (best.not_interleaved)
        return best;
    const int count = nb_outcome_seconds(best.fastest->record, rows->tolerance, first);
    const int others = nb_outcome_seconds(best.next->record, rows->tolerance, next);
    best.lead = nb_interval_ratio(next, others, first, count);
    nb_interval_widen(&best.lead, nb_control_spread(&rows->control));
    return best;
}

struct nb_row_medians nb_rows_medians(const struct nb_rows *rows, int first)
{
    int timed = 0;
    double *errors = rows->values, *times = errors + rows->count;
    struct nb_row_medians medians = {.error = NAN, .time = NAN};
    for (int i = first; i >= 0; i = rows->set[NB_SAME_SOLVER].next[i]) {
        ++medians.cases;
        if (rows->row[i].iterations)
            errors[medians.reaching++] = rows->row[i].error;
        if (!isnan(rows->row[i].time))
            times[timed++] = rows->row[i].time;
    }
    if (medians.reaching)
        medians.error = nb_median_sorting(errors, medians.reaching);
    if (timed)
        medians.time = nb_median_sorting(times, timed);
    return medians;
}

void nb_rows_endings(const struct nb_rows *rows, int first, int *count)
{
    memset(count, 0, NB_ENDINGS * sizeof *count);
    for (int i = first; i >= 0; i = rows->set[NB_SAME_PROBLEM].next[i])
        for (int e = 0; e < NB_ENDINGS; ++e)
            count[e] += !strcmp(rows->row[i].ending, nb_ending_name((enum nb_ending)e));
}

/* 0 where the number does not exist. */
static int count_of(const cJSON *settings, const char *name)
{
    const double value = nb_json_get(settings, name);
    return isfinite(value) && fabs(value) < 1e9 ? (int)value : 0;
}

static void flatten(const cJSON *record, double tolerance, struct nb_row *row)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const char *label = nb_json_string(record, "problem_label");
    *row = (struct nb_row){
        .record = record,
        .problem = *label ? label : nb_json_string(settings, "problem"),
        .method = nb_json_string(settings, "solver"),
        .linear = nb_record_reads(record, "linear") ? nb_json_string(settings, "linear") : "",
        .precond = nb_record_reads(record, "precond") ? nb_json_string(settings, "precond") : "",
        .ncp = nb_json_string(settings, "ncp"),
        .scaling = nb_json_string(settings, "scaling"),
        .newton_form = nb_json_string(settings, "newton_form"),
        .operator_form = nb_json_string(settings, "operator"),
        .precision = nb_json_string(settings, "precision"),
        .ending = nb_json_string(record, "ending"),
        .system = !strcmp(nb_json_string(settings, "mode"), "linear_system"),
        .linearized = cJSON_IsTrue(nb_json_member(settings, "linearized")),
        .newton_iters = count_of(settings, "newton_iters"),
        .linear_iters = count_of(settings, "linear_iters"),
        .error = nb_outcome_accuracy(record),
        .normal_error = nb_json_path_number(record, "errors", "normal_error"),
    };
    struct nb_outcome outcome;
    nb_outcome_read(record, nb_outcome_tolerance(record, tolerance), &outcome);
    row->iterations = outcome.iterations;
    row->time = nb_outcome_time(&outcome);
    row->time = isfinite(row->time) ? row->time : NAN;
    row->self_contained = nb_registry_self_contained(row->method);
}

/* How far the energy rose above that after the first step; NaN if the record has no energies. */
static double energy_gain(const cJSON *record)
{
    const cJSON *energies = nb_json_path(record, "trace", "mechanical_energy"), *item = NULL;
    double gain = NAN;
    cJSON_ArrayForEach(item, energies)
        gain = fmax(gain, item->valuedouble - energies->child->valuedouble);
    return gain;
}

/* The linear solver, or a method that has its own. */
static const char *solved_by(const cJSON *settings)
{
    const char *solver = nb_json_string(settings, "solver");
    return nb_registry_self_contained(solver) ? solver : nb_json_string(settings, "linear");
}

static bool is_simulation(const cJSON *record)
{
    return !strcmp(nb_json_string(record, "kind"), "simulation") &&
           cJSON_GetArraySize(nb_json_path(record, "trace", "observable")) > 0;
}

static double number_at(const cJSON *array, int index)
{
    const cJSON *item = cJSON_GetArrayItem(array, index);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* What the simulation came to: the observable at the start and at the end, the energy [J] gained in between. */
static void add_simulation(const cJSON *record, cJSON *simulations)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const cJSON *values = nb_json_path(record, "trace", "observable"), *times = nb_json_path(record, "trace", "time");
    const int count = cJSON_GetArraySize(values);
    if (!is_simulation(record))
        return;
    cJSON *added = nb_json_append(simulations);
    NB_JSON_ADD(added, "scene", nb_json_string(record, "scene"), "solver", solved_by(settings),
                "newton_iters", count_of(settings, "newton_iters"), "linear_iters", count_of(settings, "linear_iters"),
                "time", count == cJSON_GetArraySize(times) ? number_at(times, count - 1) : NAN,
                "observable", nb_json_string(record, "observable"),
                "observable_unit", nb_json_string(record, "observable_unit"), "first", number_at(values, 0));
    NB_JSON_ADD(added, "last", number_at(values, count - 1), "energy_gain", energy_gain(record));
}

static cJSON *list_simulations(const cJSON *records)
{
    cJSON *simulations = cJSON_CreateArray();
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
        add_simulation(record, simulations);
    return simulations;
}

static void write_budget(const cJSON *row, char *text)
{
    snprintf(text, NB_SHEET_CELL, "%.0fx%.0f", nb_json_get(row, "newton_iters"), nb_json_get(row, "linear_iters"));
}

static void write_observable(const cJSON *row, char *text)
{
    snprintf(text, NB_SHEET_CELL, " %.40s [%.12s]", nb_json_string(row, "observable"),
             nb_json_string(row, "observable_unit"));
}

static void write_change(const cJSON *row, char *text)
{
    snprintf(text, NB_SHEET_CELL, "%.3e", nb_json_get(row, "last") - nb_json_get(row, "first"));
}

static void print_simulations(const cJSON *simulations, FILE *stream)
{
    static const struct nb_sheet_column columns[] = {
        {"scene", "scene", .width = -14},
        {"solver", "solver", .width = -15},
        {"budget", .width = -9, .write = write_budget},
        {"time [s]", "time", .width = 8, .format = "%.2f"},
        {" observable", .width = -25, .write = write_observable},
        {"first", "first", .width = 14, .format = "%.8g"},
        {"last", "last", .width = 14, .format = "%.8g"},
        {"change", .width = 12, .write = write_change},
        {"gain [J]", "energy_gain", .width = 12, .format = "%.3e"},
    };
    struct nb_sheet sheet = NB_SHEET("  ", columns);
    nb_print_emphasised(stream, NB_HEADING, "simulations");
    fputc('\n', stream);
    nb_sheet_texts(&sheet, simulations, stream);
}

/* What a report is made of. */
struct input {
    cJSON *records;
    struct nb_rows rows;
    int simulations;
};

/* where: the file, for a message. */
static enum nb_status check(const struct input *input, const char *where, struct nb_error *error)
{
    if (!input->rows.count && !input->simulations)
        return nb_fail(error, NB_BAD_INPUT, "%s: no records of cases or simulations", where);
    if (input->rows.count && !(input->rows.tolerance > 0))
        return nb_fail(error, NB_BAD_INPUT, "--tol is missing, and the cases have no tolerance in common: the error to "
                       "which all are compared, as in --tol 1e-6 (step error of a step, relative residual of a linear "
                       "system; --csv takes none)");
    return NB_OK;
}

static enum nb_status flatten_all(struct input *input, double tolerance, const char *where, struct nb_error *error)
{
    const cJSON *record = NULL;
    struct nb_rows *rows = &input->rows;
    rows->tolerance = tolerance > 0 ? tolerance : nb_outcome_common_tolerance(input->records);
    rows->row = calloc((size_t)cJSON_GetArraySize(input->records) + 1, sizeof *rows->row);
    rows->values = calloc(2 * (size_t)cJSON_GetArraySize(input->records) + 1, sizeof *rows->values);
    if (!rows->row || !rows->values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records");
    cJSON_ArrayForEach(record, input->records) {
        input->simulations += is_simulation(record);
        if (nb_record_is_case(record))
            flatten(record, rows->tolerance, &rows->row[rows->count++]);
    }
    nb_control_read(&rows->control, input->records);
    const enum nb_status status = rows_link(rows, error);
    return status ? status : check(input, where, error);
}

static enum nb_status read_input(const char *const *paths, int count, double tolerance, struct input *input,
                                 struct nb_error *error)
{
    *input = (struct input){0};
    enum nb_status status = nb_records_read_outcomes(paths, count, &input->records, error);
    status = status ? status : nb_problems_tell_apart(input->records, error);
    return status ? status : flatten_all(input, tolerance, count > 1 ? "the files" : paths[0], error);
}

static void free_input(struct input *input)
{
    for (int set = 0; set < NB_ROW_SETS; ++set)
        nb_axis_free(&input->rows.set[set]);
    free(input->rows.varying);
    free(input->rows.row);
    free(input->rows.values);
    cJSON_Delete(input->records);
}

static enum nb_status print_tables(const struct input *input, FILE *stream, struct nb_error *error)
{
    if (input->simulations) {
        cJSON *simulations = list_simulations(input->records);
        print_simulations(simulations, stream);
        cJSON_Delete(simulations);
    }
    if (!input->rows.count)
        return NB_OK;
    if (input->simulations)
        fputc('\n', stream);
    nb_report_best(&input->rows, stream);
    nb_report_endings(&input->rows, stream);
    nb_report_medians(&input->rows, stream);
    return nb_report_linear(&input->rows, stream, error);
}

static enum nb_status print_json(const struct input *input, FILE *stream, struct nb_error *error)
{
    cJSON *object = cJSON_CreateObject();
    NB_JSON_ADD(object, "command", "report", "tolerance", input->rows.tolerance > 0 ? input->rows.tolerance : NAN,
                "simulations", list_simulations(input->records));
    nb_report_add_tables(&input->rows, object);
    const enum nb_status status = nb_report_add_linear(&input->rows, object, error);
    if (!status)
        return nb_json_put(object, stream, error);
    cJSON_Delete(object);
    return status;
}

enum nb_status nb_report_tables(const char *const *paths, int count, double tolerance, bool json, FILE *stream,
                                struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct input input;
    enum nb_status status = read_input(paths, count, tolerance, &input, error);
    status = status ? status : (json ? print_json : print_tables)(&input, stream, error);
    free_input(&input);
    return status;
}
