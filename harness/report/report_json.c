/* The tables of a report as JSON; their members are described in docs/reference/output.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/judge/metrics.h"
#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/records/sheet.h"
#include "harness/report/report.h"
#include "harness/report/report_private.h"
#include "problems/base/numbers.h"

/* One row a case, every column by its path in the record: those of settings and of errors follow from their tables
 * (harness/case/case_settings.h, harness/judge/metrics.h). */

static const char *const measured[] = {
    "ending",
    "detail",
    "times.run",
    "sizes.dofs",
    "sizes.contacts",
    "sizes.bilaterals",
    "sizes.rows",
    "counts.newton",
    "counts.linear",
    "counts.operator",
    "counts.precond",
    "times.load",
    "times.setup",
    "times.median",
    "times.assembly",
    "times.preparation",
    "times.linear",
    "times.application",
    "times.solves_per_repetition",
},
                         *const concluded[] = {
                             "best.iteration",
                             "best.step_error",
                             "floor.residual",
                             "floor.step",
                             "floor.component_all",
                             "floor.component_constraint",
                             "floor.forward",
                             "floor.component_residual",
                             "floor.component_forward",
                             "reference.method",
                             "reference.condition",
                             "provenance.version",
                             "provenance.commit",
                             "provenance.fingerprint",
                             "provenance.cpu",
                             "provenance.governor",
                             "provenance.host",
                             "provenance.date",
};

enum { MEASURED = sizeof measured / sizeof *measured, CONCLUDED = sizeof concluded / sizeof *concluded };

struct table {
    FILE *stream;
    bool begun;
    int count;
    char path[NB_SHEET_COLUMNS][64];
    struct nb_sheet_column column[NB_SHEET_COLUMNS];
};

static void add_column(struct table *table, const char *outer, const char *inner)
{
    char *path = table->path[table->count];
    if (table->count == NB_SHEET_COLUMNS)
        return;
    snprintf(path, sizeof *table->path, "%s%s", outer, inner);
    table->column[table->count++] = (struct nb_sheet_column){.title = path, .path = path};
}

static void list_columns(struct table *table)
{
    const struct nb_case_setting *row;
    add_column(table, "", "key");
    for (int i = 0; (row = nb_case_column(i)); ++i)
        add_column(table, "settings.", row->name);
    for (int i = 0; i < MEASURED; ++i)
        add_column(table, "", measured[i]);
    for (int m = 0; m < NB_METRICS; ++m)
        if (nb_metrics[m].column)
            add_column(table, "errors.", nb_metrics[m].name);
    for (int i = 0; i < CONCLUDED; ++i)
        add_column(table, "", concluded[i]);
}

/* Only cases have rows. The head is printed before the first record. */
static enum nb_status print_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct table *table = context;
    const struct nb_sheet sheet = nb_sheet_of("", table->column, table->count);
    FILE *stream = table->stream;
    (void)error;
    if (!table->begun)
        nb_sheet_csv(&sheet, NULL, stream);
    if (!table->begun)
        fputs(",times.solve\n", stream);
    table->begun = true;
    if (!nb_record_is_case(record))
        return NB_OK;
    nb_sheet_csv(&sheet, record, stream);
    /* Every repetition, in one cell. */
    fputs(",\"", stream);
    const cJSON *time, *times = nb_json_path(record, "times", "solve");
    cJSON_ArrayForEach(time, times)
        fprintf(stream, "%s%.9g", time == times->child ? "" : " ", time->valuedouble);
    fputs("\"\n", stream);
    return NB_OK;
}

static bool wanted(void *none, const char *outer, const char *inner)
{
    (void)none;
    (void)inner;
    return strcmp(outer, "trace") && strcmp(outer, "features") && strcmp(outer, "strategies");
}

enum nb_status nb_report_csv(const char *const *paths, int count, FILE *stream, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct table table = {.stream = stream};
    list_columns(&table);
    return nb_records_each(paths, count, wanted, print_record, &table, error);
}

static void add_row(const struct nb_rows *rows, cJSON *object, const char *name, const struct nb_row *row)
{
    if (!row) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    const bool own = row->self_contained;
    cJSON *added = cJSON_AddObjectToObject(object, name);
    cJSON_AddStringToObject(added, "key", nb_json_string(row->record, "key"));
    nb_json_text(added, "solver", row->method);
    nb_json_text(added, "ncp", own ? "" : row->ncp);
    nb_json_text(added, "scaling", own ? "" : row->scaling);
    nb_json_text(added, "newton_form", own ? "" : row->newton_form);
    nb_json_text(added, "operator", own ? "" : row->operator_form);
    nb_json_text(added, "linear", row->linear);
    nb_json_text(added, "precond", row->precond);
    NB_JSON_ADD(added, "newton_iters", row->newton_iters, "linear_iters", own ? NAN : row->linear_iters,
                "linearized", (bool)row->linearized);
    nb_row_add_others(rows, row, added);
    NB_JSON_ADD(added, "ending", row->ending, "error", row->error, "normal_error", row->normal_error,
                "iterations", row->iterations ? row->iterations : NAN, "time", row->time);
}

static void add_best(const struct nb_rows *rows, cJSON *array)
{
    for (int i = 0; i < rows->count; ++i) {
        if (rows->row[i].system || !nb_axis_is_first(&rows->set[NB_SAME_GROUP], i))
            continue;
        const struct nb_best best = nb_rows_best(rows, i);
        cJSON *added = nb_json_append(array);
        NB_JSON_ADD(added, "problem", rows->row[i].problem, "precision", rows->row[i].precision);
        add_row(rows, added, "most_accurate", best.accurate);
        add_row(rows, added, "fastest", best.fastest);
        add_row(rows, added, "next", best.next);
        nb_interval_add(added, "next_over_fastest", &best.lead);
        nb_json_text(added, "reason", best.not_interleaved ? best.not_interleaved : "");
        add_row(rows, added, "nearest", best.nearest);
    }
}

cJSON *nb_report_list_endings(const struct nb_rows *rows)
{
    int count[NB_ENDINGS];
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < rows->count; ++i) {
        if (!nb_axis_is_first(&rows->set[NB_SAME_PROBLEM], i))
            continue;
        cJSON *added = nb_json_append(array);
        cJSON_AddStringToObject(added, "problem", rows->row[i].problem);
        nb_rows_endings(rows, i, count);
        for (int e = 0; e < NB_ENDINGS; ++e)
            cJSON_AddNumberToObject(added, nb_ending_name((enum nb_ending)e), count[e]);
    }
    return array;
}

static void add_medians(const struct nb_rows *rows, int first, cJSON *array)
{
    const struct nb_row *row = &rows->row[first];
    const struct nb_row_medians medians = nb_rows_medians(rows, first);
    cJSON *added = nb_json_append(array);
    NB_JSON_ADD(added, "problem", row->problem, "mode", row->system ? "linear_system" : "step",
                "precision", row->precision);
    nb_json_text(added, "solver", row->method);
    nb_json_text(added, "linear", row->linear);
    nb_json_text(added, "precond", row->precond);
    NB_JSON_ADD(added, "cases", medians.cases, "reached", medians.reaching, "error", medians.error,
                "time", medians.time);
}

cJSON *nb_report_list_medians(const struct nb_rows *rows)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < rows->count; ++i)
        if (nb_axis_is_first(&rows->set[NB_SAME_SOLVER], i))
            add_medians(rows, i, array);
    return array;
}

void nb_report_add_tables(const struct nb_rows *rows, cJSON *object)
{
    add_best(rows, cJSON_AddArrayToObject(object, "best"));
    NB_JSON_ADD(object, "endings", nb_report_list_endings(rows), "medians", nb_report_list_medians(rows));
}
