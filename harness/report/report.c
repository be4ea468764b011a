/* The report of a results file: reads the records (of each key the last counts), tells problems of one name apart,
 * prints the simulations and flattens the cases into rows, of which report_tables.c and report_linear.c print
 * their tables. */
#include "harness/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"
#include "harness/report/report_private.h"
#include "problems/base/emphasis.h"
#include "problems/base/numbers.h"
#include "solvers/registry.h"

bool nb_row_reaches(const struct nb_row *row)
{
    return row->outcome.iterations > 0;
}

/* 0 where the number does not exist. */
static int count_of(const cJSON *settings, const char *name)
{
    const double value = nb_json_get(settings, name);
    return isfinite(value) && fabs(value) < 1e9 ? (int)value : 0;
}

static void flatten(const cJSON *record, double tolerance, struct nb_row *row)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
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
        .linearized = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(settings, "linearized")),
        .newton_iters = count_of(settings, "newton_iters"),
        .linear_iters = count_of(settings, "linear_iters"),
        .error = nb_outcome_accuracy(record),
        .normal_error = nb_json_path_number(record, "errors", "normal_error"),
    };
    nb_outcome_read(record, nb_outcome_tolerance(record, tolerance), &row->outcome);
    row->time = nb_outcome_time(&row->outcome);
    row->time = isfinite(row->time) ? row->time : NAN;
    row->self_contained = nb_registry_self_contained(row->method);
}

/* Where the energy stood highest above that after the first step; NaN where the record has none. */
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

/* What a simulation came to; false where the record is of none. */
struct simulation {
    const char *scene, *solver, *observable, *unit;
    int newton_iters, linear_iters;
    double time, first, last, gain; /* s, the observable's at the start and at the end, J gained in between */
};

static double number_at(const cJSON *array, int index)
{
    const cJSON *item = cJSON_GetArrayItem(array, index);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static bool read_simulation(const cJSON *record, struct simulation *simulation)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const cJSON *values = nb_json_path(record, "trace", "observable");
    const cJSON *times = nb_json_path(record, "trace", "time");
    const int count = cJSON_GetArraySize(values), last = count - 1;
    if (strcmp(nb_json_string(record, "kind"), "simulation") || count < 1)
        return false;
    *simulation = (struct simulation){
        .scene = nb_json_string(record, "scene"), .solver = solved_by(settings),
        .observable = nb_json_string(record, "observable"), .unit = nb_json_string(record, "observable_unit"),
        .newton_iters = count_of(settings, "newton_iters"), .linear_iters = count_of(settings, "linear_iters"),
        .time = count == cJSON_GetArraySize(times) ? number_at(times, last) : NAN,
        .first = number_at(values, 0), .last = number_at(values, last), .gain = energy_gain(record)};
    return true;
}

/* *printed counts. */
static void print_simulation(const cJSON *record, int *printed, FILE *stream)
{
    struct simulation s;
    char budget[32], observable[64];
    if (!read_simulation(record, &s))
        return;
    if (!(*printed)++) {
        nb_print_emphasised(stream, NB_HEADING, "simulations");
        fprintf(stream, "\n  %-14s %-15s %-9s %8s  %-24s %14s %14s %12s %12s\n",
                "scene", "solver", "budget", "time [s]", "observable", "first", "last", "change",
                "gain [J]");
    }
    snprintf(budget, sizeof budget, "%dx%d", s.newton_iters, s.linear_iters);
    snprintf(observable, sizeof observable, "%.40s [%.12s]", s.observable, s.unit);
    fprintf(stream, "  %-14s %-15s %-9s %8.2f  %-24s %14.8g %14.8g %12.3e %12.3e\n", s.scene, s.solver, budget, s.time,
            observable, s.first, s.last, s.last - s.first, s.gain);
}

static void add_simulation(const cJSON *record, cJSON *simulations)
{
    struct simulation s;
    if (!read_simulation(record, &s))
        return;
    cJSON *added = cJSON_CreateObject();
    cJSON_AddItemToArray(simulations, added);
    cJSON_AddStringToObject(added, "scene", s.scene);
    cJSON_AddStringToObject(added, "solver", s.solver);
    cJSON_AddNumberToObject(added, "newton_iters", s.newton_iters);
    cJSON_AddNumberToObject(added, "linear_iters", s.linear_iters);
    nb_json_number(added, "time", s.time);
    cJSON_AddStringToObject(added, "observable", s.observable);
    cJSON_AddStringToObject(added, "observable_unit", s.unit);
    nb_json_number(added, "first", s.first);
    nb_json_number(added, "last", s.last);
    nb_json_number(added, "energy_gain", s.gain);
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
    if (!rows->row)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records");
    cJSON_ArrayForEach(record, input->records) {
        struct simulation simulation;
        input->simulations += read_simulation(record, &simulation);
        if (nb_record_is_case(record))
            flatten(record, rows->tolerance, &rows->row[rows->count++]);
    }
    enum nb_status status = nb_control_read(&rows->control, input->records, error);
    if (!status)
        status = nb_rows_link(rows, error);
    return status ? status : check(input, where, error);
}

static enum nb_status read_input(const char *const *paths, int count, double tolerance, struct input *input,
                                 struct nb_error *error)
{
    *input = (struct input){0};
    enum nb_status status = nb_records_read_outcomes(paths, count, &input->records, error);
    if (!status)
        status = nb_problems_tell_apart(input->records, error);
    return status ? status : flatten_all(input, tolerance, count > 1 ? "the files" : paths[0], error);
}

static void free_input(struct input *input)
{
    for (int set = 0; set < NB_ROW_SETS; ++set)
        nb_axis_free(&input->rows.set[set]);
    free(input->rows.varying);
    free(input->rows.row);
    cJSON_Delete(input->records);
}

static enum nb_status print_tables(const struct input *input, FILE *stream, struct nb_error *error)
{
    const cJSON *record = NULL;
    int simulations = 0;
    cJSON_ArrayForEach(record, input->records)
        print_simulation(record, &simulations, stream);
    if (!input->rows.count)
        return NB_OK;
    if (simulations)
        fprintf(stream, "\n");
    enum nb_status status = nb_report_best(&input->rows, stream, error);
    nb_report_endings(&input->rows, stream);
    if (!status)
        status = nb_report_medians(&input->rows, stream, error);
    return status ? status : nb_report_linear(&input->rows, stream, error);
}

enum nb_status nb_report_tables(const char *const *paths, int count, double tolerance, FILE *stream,
                                struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct input input;
    enum nb_status status = read_input(paths, count, tolerance, &input, error);
    if (!status)
        status = print_tables(&input, stream, error);
    free_input(&input);
    return status;
}

enum nb_status nb_report_json(const char *const *paths, int count, double tolerance, FILE *stream,
                              struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const cJSON *record = NULL;
    struct input input;
    cJSON *object = NULL;
    enum nb_status status = read_input(paths, count, tolerance, &input, error);
    if (!status) {
        object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "command", "report");
        nb_json_number(object, "tolerance", input.rows.tolerance > 0 ? input.rows.tolerance : NAN);
        cJSON *simulations = cJSON_AddArrayToObject(object, "simulations");
        cJSON_ArrayForEach(record, input.records)
            add_simulation(record, simulations);
        status = nb_report_add_tables(&input.rows, object, error);
    }
    if (!status)
        status = nb_report_add_linear(&input.rows, object, error);
    if (!status)
        status = nb_json_put(object, stream, error);
    else
        cJSON_Delete(object);
    free_input(&input);
    return status;
}
