/* One row a case, every column by its path in the record. */
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/records/store.h"
#include "harness/report/report.h"

/* outer NULL: a member of the record itself. */
static const struct {
    const char *outer, *inner;
} columns[] = {
    {NULL, "key"},
    {"settings", "problem"}, {"settings", "problem_file"}, {"settings", "problem_hash"},
    {"settings", "mode"}, {"settings", "system"}, {"settings", "solver"}, {"settings", "ncp"},
    {"settings", "scaling"}, {"settings", "newton_form"}, {"settings", "linear"},
    {"settings", "precond"}, {"settings", "operator"}, {"settings", "precision"},
    {"settings", "newton_iters"}, {"settings", "linear_iters"}, {"settings", "damping"},
    {"settings", "shift"}, {"settings", "threads"}, {"settings", "linearized"},
    {"settings", "tol"}, {"settings", "repetitions"}, {"settings", "time_limit"},
    {"settings", "memory_limit"},
    {NULL, "ending"}, {NULL, "detail"},
    {"sizes", "dofs"}, {"sizes", "contacts"}, {"sizes", "bilaterals"}, {"sizes", "rows"},
    {"counts", "newton"}, {"counts", "linear"}, {"counts", "operator"}, {"counts", "precond"},
    {"times", "load"}, {"times", "setup"}, {"times", "median"}, {"times", "assembly"},
    {"times", "preparation"},
    {"times", "linear"}, {"times", "solves_per_repetition"},
    {"errors", "penetration"}, {"errors", "normal_error"}, {"errors", "friction_error"},
    {"errors", "misalignment"}, {"errors", "bilateral_error"}, {"errors", "strain_error"},
    {"errors", "momentum_error"}, {"errors", "constraint_error"}, {"errors", "natural_map"},
    {"errors", "natural_map_absolute"},
    {"errors", "natural_map_linearized"}, {"errors", "force_norm"}, {"errors", "kinetic_energy"},
    {"errors", "normal_force"}, {"errors", "open"}, {"errors", "stick"}, {"errors", "slip"},
    {"errors", "residual"}, {"errors", "energy_error"}, {"errors", "residual_max"},
    {"errors", "forward_error"},
    {"best", "iteration"}, {"best", "natural_map"},
    {"floor", "residual"}, {"floor", "step"}, {"floor", "component_all"},
    {"floor", "component_constraint"}, {"floor", "forward"}, {"floor", "component_residual"},
    {"floor", "component_forward"}, {"reference", "method"}, {"reference", "condition"},
    {"provenance", "version"}, {"provenance", "commit"},
    {"provenance", "fingerprint"}, {"provenance", "cpu"}, {"provenance", "date"},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_text(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; ++text) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void print_cell(FILE *stream, const cJSON *item)
{
    if (cJSON_IsString(item))
        print_text(stream, item->valuestring);
    else if (cJSON_IsNumber(item))
        fprintf(stream, "%.17g", item->valuedouble);
    else if (cJSON_IsBool(item))
        fputs(cJSON_IsTrue(item) ? "true" : "false", stream);
}

static enum nb_status print_record(void *context, const cJSON *record, struct nb_error *error)
{
    FILE *stream = context;
    (void)error;
    if (!nb_record_is_case(record))
        return NB_OK;
    for (int c = 0; c < COLUMNS; ++c) {
        if (c)
            fputc(',', stream);
        print_cell(stream, columns[c].outer
                               ? nb_json_path(record, columns[c].outer, columns[c].inner)
                               : cJSON_GetObjectItemCaseSensitive(record, columns[c].inner));
    }
    /* Every repetition, in one cell. */
    fputs(",\"", stream);
    const cJSON *time, *times = nb_json_path(record, "times", "solve");
    cJSON_ArrayForEach(time, times)
        fprintf(stream, "%s%.9g", time == times->child ? "" : " ", time->valuedouble);
    fputs("\"\n", stream);
    return NB_OK;
}

enum nb_status nb_report_csv(const char *path, FILE *stream, struct nb_error *error)
{
    for (int c = 0; c < COLUMNS; ++c)
        fprintf(stream, "%s%s%s%s", c ? "," : "", columns[c].outer ? columns[c].outer : "",
                columns[c].outer ? "." : "", columns[c].inner);
    fputs(",times.solve\n", stream);
    return nb_store_read(path, print_record, stream, error);
}
