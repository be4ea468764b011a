#include "harness/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/ending.h"
#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/record_reads.h"
#include "harness/records/store.h"
#include "harness/report/report_private.h"
#include "solvers/registry.h"

bool nb_row_usable(const struct nb_row *row)
{
    return !strcmp(row->ending, nb_ending_name(NB_ENDING_CONVERGED)) ||
           !strcmp(row->ending, nb_ending_name(NB_ENDING_ACCURACY_FLOOR));
}

struct reading {
    struct nb_rows rows;
    struct nb_linear_rows *systems;
    struct nb_problem_names names;
    FILE *stream;
    int simulations;
};

static double number_of(const cJSON *json, const char *outer, const char *inner)
{
    const cJSON *item = nb_json_path(json, outer, inner);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static void word_of(const cJSON *settings, const char *name, char *word, size_t size)
{
    snprintf(word, size, "%s", nb_json_string(settings, name));
}

/* 0 where the number does not exist. */
static int count_of(const cJSON *settings, const char *name)
{
    const double value = nb_json_get(settings, name);
    return isfinite(value) && fabs(value) < 1e9 ? (int)value : 0;
}

static void flatten(const cJSON *record, struct nb_row *row)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    memset(row, 0, sizeof *row);
    word_of(record, "key", row->key, sizeof row->key);
    word_of(record, "ending", row->ending, sizeof row->ending);
    word_of(settings, "problem", row->problem, sizeof row->problem);
    word_of(settings, "ncp", row->ncp, NB_WORD);
    word_of(settings, "scaling", row->scaling, NB_WORD);
    word_of(settings, "newton_form", row->newton_form, NB_WORD);
    word_of(settings, "problem_hash", row->hash, sizeof row->hash);
    word_of(settings, "solver", row->method, sizeof row->method);
    row->self_contained = nb_registry_self_contained(row->method);
    if (nb_record_reads(record, "linear"))
        word_of(settings, "linear", row->linear, sizeof row->linear);
    if (nb_record_reads(record, "precond"))
        word_of(settings, "precond", row->precond, sizeof row->precond);
    word_of(settings, "operator", row->operator_form, NB_WORD);
    word_of(settings, "precision", row->precision, NB_WORD);
    row->system = !strcmp(nb_json_string(settings, "mode"), "linear_system");
    row->linearized = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(settings, "linearized"));
    row->newton_iters = count_of(settings, "newton_iters");
    row->linear_iters = count_of(settings, "linear_iters");
    row->threads = count_of(settings, "threads");
    row->linear_count = number_of(record, "counts", "linear");
    row->natural_map = number_of(record, "errors", "natural_map");
    row->normal_error = number_of(record, "errors", "normal_error");
    row->residual = number_of(record, "errors", "residual");
    row->floor = number_of(record, "floor", "component_constraint");
    row->time = number_of(record, "times", "median");
}

/* A later record of the same key replaces the earlier one. */
static enum nb_status keep_row(struct nb_rows *rows, const cJSON *record, struct nb_error *error)
{
    struct nb_row row;
    flatten(record, &row);
    for (int i = 0; i < rows->count; ++i)
        if (!strcmp(rows->row[i].key, row.key)) {
            rows->row[i] = row;
            return NB_OK;
        }
    struct nb_row *grown = nb_grow(rows->row, sizeof *grown, rows->count, &rows->room);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d records", rows->count + 1);
    rows->row = grown;
    rows->row[rows->count++] = row;
    return NB_OK;
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

/* The observable at the start and at the end, and the energy gained in between. */
static void print_simulation(struct reading *reading, const cJSON *record)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const cJSON *values = nb_json_path(record, "trace", "observable");
    const cJSON *times = nb_json_path(record, "trace", "time");
    const int count = cJSON_GetArraySize(values);
    if (count < 1)
        return;
    if (!reading->simulations++)
        fprintf(reading->stream, "simulations\n  %-14s %-15s %-9s %8s  %-24s %14s %14s %12s %12s\n",
                "scene", "solver", "budget", "time [s]", "observable", "first", "last", "change",
                "gain [J]");
    const double first = cJSON_GetArrayItem(values, 0)->valuedouble;
    const double last = cJSON_GetArrayItem(values, count - 1)->valuedouble;
    char budget[32], observable[64];
    snprintf(budget, sizeof budget, "%dx%d", count_of(settings, "newton_iters"),
             count_of(settings, "linear_iters"));
    snprintf(observable, sizeof observable, "%.40s [%.12s]", nb_json_string(record, "observable"),
             nb_json_string(record, "observable_unit"));
    fprintf(reading->stream, "  %-14s %-15s %-9s %8.2f  %-24s %14.8g %14.8g %12.3e %12.3e\n",
            nb_json_string(record, "scene"), solved_by(settings), budget,
            count == cJSON_GetArraySize(times)
                ? cJSON_GetArrayItem(times, count - 1)->valuedouble : NAN,
            observable, first, last, last - first, energy_gain(record));
}

static enum nb_status read_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct reading *reading = context;
    const char *kind = nb_json_string(record, "kind");
    if (!strcmp(kind, "case")) {
        enum nb_status status = nb_problem_names_add(&reading->names, record, error);
        if (!status)
            status = nb_linear_rows_add(&reading->systems, record, error);
        return status ? status : keep_row(&reading->rows, record, error);
    }
    if (!strcmp(kind, "simulation"))
        print_simulation(reading, record);
    return NB_OK;
}

/* Different problems of the same name are told apart. */
static void name_problems(struct reading *reading)
{
    for (int i = 0; i < reading->rows.count; ++i) {
        struct nb_row *row = &reading->rows.row[i];
        char name[NB_PROBLEM_NAME];
        snprintf(name, sizeof name, "%.*s", NB_PROBLEM_NAME - 1, row->problem);
        nb_problem_label(&reading->names, name, row->hash, row->problem, sizeof row->problem);
    }
    nb_linear_rows_name(reading->systems, &reading->names);
}

enum nb_status nb_report_tables(const char *path, FILE *stream, struct nb_error *error)
{
    struct reading reading = {.stream = stream};
    enum nb_status status = nb_store_read(path, read_record, &reading, error);
    if (!status && !reading.rows.count && !reading.simulations)
        status = nb_fail(error, NB_BAD_INPUT, "%s: no records of cases or simulations", path);
    if (!status && reading.simulations && reading.rows.count)
        fprintf(stream, "\n");
    if (!status && reading.rows.count) {
        name_problems(&reading);
        nb_report_best(&reading.rows, stream);
        nb_report_endings(&reading.rows, stream);
        status = nb_report_medians(&reading.rows, stream, error);
        if (!status) {
            nb_report_ratios(&reading.rows, stream);
            nb_report_linear(reading.systems, stream);
        }
    }
    free(reading.rows.row);
    nb_linear_rows_free(reading.systems);
    nb_problem_names_free(&reading.names);
    return status;
}
