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
    bool begun;
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

static void print_head(const struct table *table)
{
    for (int c = 0; c < table->count; ++c)
        fprintf(table->stream, "%s%s%s%s", c ? "," : "", table->column[c].outer ? table->column[c].outer : "",
                table->column[c].outer ? "." : "", table->column[c].inner);
    fputs(",times.solve\n", table->stream);
}

/* A record that is none of a case has no row. The head stands before the first of all records. */
static enum nb_status print_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct table *table = context;
    FILE *stream = table->stream;
    (void)error;
    if (!table->begun)
        print_head(table);
    table->begun = true;
    if (!nb_record_is_case(record))
        return NB_OK;
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
