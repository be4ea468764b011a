/* The tables of a report as JSON; their members are described in docs/reference/output.md. */
#include <math.h>
#include <stdlib.h>

#include "harness/records/json.h"
#include "harness/report/report_private.h"

static cJSON *append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

/* null where the method does not read it. */
static void add_text(cJSON *object, const char *name, const char *text)
{
    if (*text)
        cJSON_AddStringToObject(object, name, text);
    else
        cJSON_AddNullToObject(object, name);
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
    add_text(added, "solver", row->method);
    add_text(added, "ncp", own ? "" : row->ncp);
    add_text(added, "scaling", own ? "" : row->scaling);
    add_text(added, "newton_form", own ? "" : row->newton_form);
    add_text(added, "operator", own ? "" : row->operator_form);
    add_text(added, "linear", row->linear);
    add_text(added, "precond", row->precond);
    cJSON_AddNumberToObject(added, "newton_iters", row->newton_iters);
    nb_json_number(added, "linear_iters", own ? NAN : row->linear_iters);
    cJSON_AddBoolToObject(added, "linearized", row->linearized);
    nb_row_add_others(rows, row, added);
    cJSON_AddStringToObject(added, "ending", row->ending);
    nb_json_number(added, "error", row->error);
    nb_json_number(added, "normal_error", row->normal_error);
    nb_json_number(added, "iterations", row->outcome.iterations ? row->outcome.iterations : NAN);
    nb_json_number(added, "time", row->time);
}

static enum nb_status add_best(const struct nb_rows *rows, cJSON *array, struct nb_error *error)
{
    for (int i = 0; i < rows->count; ++i) {
        struct nb_best best;
        if (rows->row[i].system || !nb_axis_is_first(&rows->set[NB_SAME_GROUP], i))
            continue;
        const enum nb_status status = nb_rows_best(rows, i, &best, error);
        if (status)
            return status;
        cJSON *added = append_object(array);
        cJSON_AddStringToObject(added, "problem", rows->row[i].problem);
        cJSON_AddStringToObject(added, "precision", rows->row[i].precision);
        add_row(rows, added, "most_accurate", best.accurate);
        add_row(rows, added, "fastest", best.fastest);
        add_row(rows, added, "next", best.next);
        nb_interval_add(added, "next_over_fastest", &best.lead);
        add_text(added, "reason", best.not_interleaved ? best.not_interleaved : "");
        add_row(rows, added, "nearest", best.nearest);
    }
    return NB_OK;
}

cJSON *nb_report_list_endings(const struct nb_rows *rows)
{
    int count[NB_ENDINGS];
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < rows->count; ++i) {
        if (!nb_axis_is_first(&rows->set[NB_SAME_PROBLEM], i))
            continue;
        cJSON *added = append_object(array);
        cJSON_AddStringToObject(added, "problem", rows->row[i].problem);
        nb_rows_endings(rows, i, count);
        for (int e = 0; e < NB_ENDINGS; ++e)
            cJSON_AddNumberToObject(added, nb_ending_name((enum nb_ending)e), count[e]);
    }
    return array;
}

static void add_medians(const struct nb_rows *rows, int first, double *room, cJSON *array)
{
    const struct nb_row *row = &rows->row[first];
    struct nb_row_medians medians;
    nb_rows_medians(rows, first, room, &medians);
    cJSON *added = append_object(array);
    cJSON_AddStringToObject(added, "problem", row->problem);
    cJSON_AddStringToObject(added, "mode", row->system ? "linear_system" : "step");
    cJSON_AddStringToObject(added, "precision", row->precision);
    add_text(added, "solver", row->method);
    add_text(added, "linear", row->linear);
    add_text(added, "precond", row->precond);
    cJSON_AddNumberToObject(added, "cases", medians.cases);
    cJSON_AddNumberToObject(added, "reached", medians.reaching);
    nb_json_number(added, "error", medians.error);
    nb_json_number(added, "time", medians.time);
}

enum nb_status nb_report_list_medians(const struct nb_rows *rows, cJSON **array, struct nb_error *error)
{
    double *room = malloc(((size_t)rows->count + 1) * sizeof *room);
    *array = cJSON_CreateArray();
    for (int i = 0; room && i < rows->count; ++i)
        if (nb_axis_is_first(&rows->set[NB_SAME_SOLVER], i))
            add_medians(rows, i, room, *array);
    free(room);
    return room ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the medians of %d cases", rows->count);
}

enum nb_status nb_report_add_tables(const struct nb_rows *rows, cJSON *object, struct nb_error *error)
{
    cJSON *medians = NULL;
    enum nb_status status = add_best(rows, cJSON_AddArrayToObject(object, "best"), error);
    cJSON_AddItemToObject(object, "endings", nb_report_list_endings(rows));
    if (!status)
        status = nb_report_list_medians(rows, &medians, error);
    cJSON_AddItemToObject(object, "medians", medians);
    return status;
}
