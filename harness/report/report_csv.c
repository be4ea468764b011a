/* One row a case, every column by its path in the record: those of settings and of errors follow from their tables
 * (harness/case/case_settings.h, harness/judge/metrics.h). */
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/judge/metrics.h"
#include "harness/records/csv.h"
#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/report/report.h"
#include "problems/base/numbers.h"

/* outer NULL: a member of the record itself. */
struct column {
    const char *outer, *inner;
};

static const struct column measured[] = {
    {NULL, "ending"}, {NULL, "detail"},
    {"times", "run"}, {"sizes", "dofs"}, {"sizes", "contacts"}, {"sizes", "bilaterals"}, {"sizes", "rows"},
    {"counts", "newton"}, {"counts", "linear"}, {"counts", "operator"}, {"counts", "precond"},
    {"times", "load"}, {"times", "setup"}, {"times", "median"}, {"times", "assembly"},
    {"times", "preparation"},
    {"times", "linear"}, {"times", "application"}, {"times", "solves_per_repetition"},
}, concluded[] = {
    {"best", "iteration"}, {"best", "step_error"},
    {"floor", "residual"}, {"floor", "step"}, {"floor", "component_all"},
    {"floor", "component_constraint"}, {"floor", "forward"}, {"floor", "component_residual"},
    {"floor", "component_forward"}, {"reference", "method"}, {"reference", "condition"},
    {"provenance", "version"}, {"provenance", "commit"},
    {"provenance", "fingerprint"}, {"provenance", "cpu"}, {"provenance", "governor"}, {"provenance", "host"},
    {"provenance", "date"},
};

enum { MEASURED = sizeof measured / sizeof *measured, CONCLUDED = sizeof concluded / sizeof *concluded };

struct table {
    FILE *stream;
    int count;
    struct column column[1 + NB_CASE_SETTINGS_MOST + MEASURED + NB_METRICS + CONCLUDED];
};

static void list_columns(struct table *table)
{
    const struct nb_case_setting *row;
    struct column *next = table->column;
    *next++ = (struct column){NULL, "key"};
    for (int i = 0; (row = nb_case_column(i)); ++i)
        *next++ = (struct column){"settings", row->name};
    memcpy(next, measured, sizeof measured);
    next += MEASURED;
    for (int m = 0; m < NB_METRICS; ++m)
        if (nb_metrics[m].column)
            *next++ = (struct column){"errors", nb_metrics[m].name};
    memcpy(next, concluded, sizeof concluded);
    next += CONCLUDED;
    table->count = (int)(next - table->column);
}

static void print_record(const struct table *table, const cJSON *record)
{
    FILE *stream = table->stream;
    for (int c = 0; c < table->count; ++c) {
        const struct column *column = &table->column[c];
        if (c)
            fputc(',', stream);
        nb_csv_item(column->outer ? nb_json_path(record, column->outer, column->inner)
                                  : cJSON_GetObjectItemCaseSensitive(record, column->inner), stream);
    }
    /* Every repetition, in one cell. */
    fputs(",\"", stream);
    const cJSON *time, *times = nb_json_path(record, "times", "solve");
    cJSON_ArrayForEach(time, times)
        fprintf(stream, "%s%.9g", time == times->child ? "" : " ", time->valuedouble);
    fputs("\"\n", stream);
}

enum nb_status nb_report_csv(const char *const *paths, int count, FILE *stream, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    cJSON *records = NULL, *record = NULL;
    const enum nb_status status = nb_records_read_files(paths, count, &records, error);
    if (status)
        return status;
    struct table table = {.stream = stream};
    list_columns(&table);
    for (int c = 0; c < table.count; ++c)
        fprintf(stream, "%s%s%s%s", c ? "," : "", table.column[c].outer ? table.column[c].outer : "",
                table.column[c].outer ? "." : "", table.column[c].inner);
    fputs(",times.solve\n", stream);
    cJSON_ArrayForEach(record, records)
        if (nb_record_is_case(record))
            print_record(&table, record);
    cJSON_Delete(records);
    return NB_OK;
}
