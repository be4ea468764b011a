/* One row a case, every column by its path in the record: those of settings and of errors follow from their tables
 * (harness/case/case_settings.h, harness/judge/metrics.h). */
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/judge/metrics.h"
#include "harness/records/sheet.h"
#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/report/report.h"
#include "problems/base/numbers.h"

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
