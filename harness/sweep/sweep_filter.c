/* Leaves the cases that --where means, and finds those that have a time together. A filter sees of a case its
 * settings, by the names that they have in records, but those that its method does not read, and its group; a name
 * or a value that no case has is answered with what there is. */
#include <cJSON.h>
#include <stdio.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/record.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/suggest.h"

static cJSON *as_record(const struct nb_case *setting)
{
    const struct nb_case_setting *row;
    cJSON *record = cJSON_CreateObject();
    cJSON *settings = record ? nb_case_settings(setting) : NULL;
    if (!settings || !cJSON_AddItemToObject(record, "settings", settings) ||
        !cJSON_AddStringToObject(record, "group", setting->group)) {
        cJSON_Delete(record);
        return NULL;
    }
    for (int i = 0; (row = nb_case_column(i)); ++i)
        if (!nb_case_setting_is_read(row, setting))
            cJSON_DeleteItemFromObjectCaseSensitive(settings, row->name);
    return record;
}

/* Of every case in turn: whether it stays, and the values that it has of the filter's name. */
static enum nb_status apply(const struct nb_filter *filter, struct nb_case *cases, int *count, struct nb_words *met,
                            struct nb_error *error)
{
    int kept = 0;
    for (int i = 0; i < *count; ++i) {
        char text[NB_WORD_SIZE];
        cJSON *record = as_record(&cases[i]);
        if (!record)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to filter %d cases", *count);
        nb_record_text(record, filter->name, text, sizeof text);
        if (*text)
            nb_words_add(met, text);
        if (nb_filter_passes(filter, record))
            cases[kept++] = cases[i];
        cJSON_Delete(record);
    }
    *count = kept;
    return NB_OK;
}

static enum nb_status unknown_name(const char *name, struct nb_error *error)
{
    static const char *const others[] = {"group", "method", "linear_method", "arithmetic"};
    const char *known[NB_CASE_SETTINGS_MOST + 4];
    char hint[400];
    const struct nb_case_setting *row;
    size_t count = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        known[count++] = others[i];
    for (int i = 0; (row = nb_case_column(i)); ++i)
        known[count++] = row->name;
    nb_suggest_name(name, known, count, hint, sizeof hint);
    return nb_fail(error, NB_BAD_INPUT, "--where: no case has a setting \"%s\"; %s", name, hint);
}

enum nb_status nb_plan_limit(const struct nb_sweep_request *request, struct nb_plan *plan, struct nb_error *error)
{
    for (int i = plan->floors; request->limited && i < plan->count; ++i) {
        cJSON *record = as_record(&plan->task[i].setting);
        if (!record)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to filter %d cases", plan->count);
        plan->task[i].limited = nb_filter_passes(request->limited, record);
        cJSON_Delete(record);
    }
    return NB_OK;
}

enum nb_status nb_plan_filter(const struct nb_sweep_request *request, struct nb_case *cases, int *count,
                              struct nb_error *error)
{
    for (int i = 0; i < request->filter_count; ++i) {
        const struct nb_filter *filter = &request->filter[i];
        struct nb_words met = {0};
        const int before = *count;
        char wanted[150], values[200];
        const enum nb_status status = apply(filter, cases, count, &met, error);
        if (status)
            return status;
        if (!met.count)
            return unknown_name(filter->name, error);
        if (*count)
            continue;
        nb_words_join(&filter->values, wanted, sizeof wanted);
        nb_words_join(&met, values, sizeof values);
        return nb_fail(error, NB_BAD_INPUT, "--where: no case has %s%s%s; the %d that pass the filters before it have "
                       "%s", filter->name, filter->equal ? "=" : "!=", wanted, before, values);
    }
    return NB_OK;
}
