/* Rows are JSON objects. A table of columns says where in a row a value stands, in which format, and how wide it is in
 * the text; JSON is the row itself. */
#include "harness/collection/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/collection/facts.h"
#include "harness/records/csv.h"
#include "harness/records/json.h"

/* The value at outer.inner, of an array its entry `at`; outer NULL: of the row itself. width 0: not in the text, else
 * of its column there, to the left where it is negative. */
struct column {
    const char *header, *outer, *inner;
    int at, width;
};

static const struct column columns[] = {
    {"name", NULL, "name", 0, -24},
    {"form", NULL, "form", 0, -13},
    {"dofs", "sizes", "dofs", 0, 7},
    {"contacts", "sizes", "contacts", 0, 8},
    {"bilaterals", "sizes", "bilaterals", 0, 10},
    {"multipliers", "sizes", "multipliers", 0, 11},
    {"islands", "islands", "count", 0, 7},
    {"rank", "features", "rank", 0, 6},
    {"rank_deficiency", "features", "rank_deficiency", 0, 15},
    {"mass_ratio", "features", "mass_ratio", 0, 10},
    {"friction_min", NULL, "friction", 0, 12},
    {"friction_max", NULL, "friction", 1, 12},
    {"elasticity", "classes", "elasticity", 0, 0},
    {"contact_density", "classes", "contact_density", 0, 0},
    {"rank_class", "classes", "rank_deficiency", 0, 0},
    {"mass_class", "classes", "mass_ratio", 0, 0},
    {"problem_hash", NULL, "problem_hash", 0, 0},
    {"best_error", "best", "error", 0, 10},
    {"best_method", "best", "method", 0, -24},
    {"file", NULL, "file", 0, -1},
    {"error", NULL, "error", 0, 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const cJSON *value_of(const cJSON *row, const struct column *column)
{
    const cJSON *value = column->outer ? nb_json_path(row, column->outer, column->inner)
                                       : cJSON_GetObjectItemCaseSensitive(row, column->inner);
    return cJSON_IsArray(value) ? cJSON_GetArrayItem(value, column->at) : value;
}

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
    if (format == NB_COLLECTION_JSON)
        fprintf(stream, "{\"command\":\"index\",\"problems\":[");
    for (int i = 0; i < COLUMNS; ++i)
        if (format == NB_COLLECTION_CSV)
            fprintf(stream, "%s%s", i ? "," : "", columns[i].header);
        else if (format == NB_COLLECTION_TEXT && columns[i].width)
            fprintf(stream, "%s%*s", i ? " " : "", columns[i].width, columns[i].header);
    if (format != NB_COLLECTION_JSON)
        fprintf(stream, "\n");
}

static void print_text(const cJSON *row, FILE *stream)
{
    const char *error = nb_json_string(row, "error");
    if (*error) {
        fprintf(stream, "%s\n", error);
        return;
    }
    for (int i = 0; i < COLUMNS; ++i) {
        const cJSON *value = value_of(row, &columns[i]);
        char text[160] = "-";
        if (cJSON_IsNumber(value))
            snprintf(text, sizeof text, "%.6g", value->valuedouble);
        else if (cJSON_IsString(value))
            snprintf(text, sizeof text, "%s", value->valuestring);
        if (columns[i].width)
            fprintf(stream, "%s%*s", i ? " " : "", columns[i].width, text);
    }
    fprintf(stream, "\n");
}

void nb_collection_print(cJSON *row, int number, enum nb_collection_format format, FILE *stream)
{
    if (format == NB_COLLECTION_TEXT) {
        print_text(row, stream);
    } else if (format == NB_COLLECTION_CSV) {
        for (int i = 0; i < COLUMNS; ++i) {
            fputs(i ? "," : "", stream);
            nb_csv_item(value_of(row, &columns[i]), stream);
        }
        fputc('\n', stream);
    } else {
        char *text = nb_json_print(row);
        fprintf(stream, "%s%s", number ? "," : "", text ? text : "null");
        cJSON_free(text);
    }
}

void nb_collection_end(enum nb_collection_format format, int failed, FILE *stream)
{
    if (format == NB_COLLECTION_JSON)
        fprintf(stream, "],\"failed\":%d}\n", failed);
}
