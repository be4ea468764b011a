/* Rows are JSON objects, of which a sheet (harness/records/sheet.h) prints the columns. */
#include "harness/collection/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/collection/facts.h"
#include "harness/records/json.h"
#include "harness/records/sheet.h"

static const struct nb_sheet_column columns[] = {
    {"name", "name", .width = -24},
    {"form", "form", .width = -13},
    {"dofs", "sizes.dofs", .width = 7},
    {"contacts", "sizes.contacts", .width = 8},
    {"bilaterals", "sizes.bilaterals", .width = 10},
    {"multipliers", "sizes.multipliers", .width = 11},
    {"islands", "islands.count", .width = 7},
    {"rank", "features.rank", .width = 6},
    {"rank_deficiency", "features.rank_deficiency", .width = 15},
    {"mass_ratio", "features.mass_ratio", .width = 10},
    {"friction_min", "friction.0", .width = 12},
    {"friction_max", "friction.1", .width = 12},
    {"elasticity", "classes.elasticity", .width = 0},
    {"contact_density", "classes.contact_density", .width = 0},
    {"rank_class", "classes.rank_deficiency", .width = 0},
    {"mass_class", "classes.mass_ratio", .width = 0},
    {"problem_hash", "problem_hash", .width = 0},
    {"best_error", "best.error", .width = 10},
    {"best_method", "best.method", .width = -24},
    {"file", "file", .width = -1},
    {"error", "error", .width = 0},
};

/* The smaller error, of the file's own solution or of the records, or null. */
static void add_best(cJSON *row, const struct nb_best_list *list)
{
    const bool system = !strcmp(nb_json_string(row, "form"), "linear_system");
    const struct nb_best *known = nb_best_find(list, nb_json_string(row, "problem_hash"), system);
    const double stored = nb_json_path_number(row, "stored", "step_error");
    const bool own = isfinite(stored) && !(known && known->error < stored);
    if (!own && !known) {
        cJSON_AddNullToObject(row, "best");
        return;
    }
    cJSON *best = cJSON_AddObjectToObject(row, "best");
    cJSON_AddNumberToObject(best, "error", own ? stored : known->error);
    cJSON_AddStringToObject(best, "method", own ? "/solution of the file" : known->method);
}

cJSON *nb_collection_row(struct nb_reader_apart *reader, const char *path, const char *reason,
                         const struct nb_best_list *best)
{
    struct nb_error error;
    cJSON *row = NULL;
    if (reason)
        nb_fail(&error, NB_BAD_FILE, "%.300s: %s", path, reason);
    if (!reason && !nb_facts_read_apart(reader, path, &row, &error)) {
        cJSON_DeleteItemFromObjectCaseSensitive(row, "command");
        add_best(row, best);
        cJSON_AddNullToObject(row, "error");
    } else if ((row = cJSON_CreateObject())) {
        cJSON_AddStringToObject(row, "file", path);
        cJSON_AddStringToObject(row, "error", error.text);
    }
    nb_json_without_controls(row);
    return row;
}

void nb_collection_begin(enum nb_collection_format format, FILE *stream)
{
    const struct nb_sheet sheet = NB_SHEET("", columns);
    if (format == NB_COLLECTION_JSON)
        fprintf(stream, "{\"command\":\"index\",\"problems\":[");
    else
        (format == NB_COLLECTION_CSV ? nb_sheet_csv : nb_sheet_text)(&sheet, NULL, stream);
    if (format == NB_COLLECTION_CSV)
        fputc('\n', stream);
}

void nb_collection_print(cJSON *row, int number, enum nb_collection_format format, FILE *stream)
{
    const struct nb_sheet sheet = NB_SHEET("", columns);
    const char *error = nb_json_string(row, "error");
    if (format == NB_COLLECTION_CSV) {
        nb_sheet_csv(&sheet, row, stream);
        fputc('\n', stream);
    } else if (format == NB_COLLECTION_JSON) {
        char *text = nb_json_print(row);
        fprintf(stream, "%s%s", number ? "," : "", text ? text : "null");
        cJSON_free(text);
    } else if (*error) {
        fprintf(stream, "%s\n", error);
    } else {
        nb_sheet_text(&sheet, row, stream);
    }
}

void nb_collection_end(enum nb_collection_format format, int failed, FILE *stream)
{
    if (format == NB_COLLECTION_JSON)
        fprintf(stream, "],\"failed\":%d}\n", failed);
}
