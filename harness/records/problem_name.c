#include "harness/records/problem_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

enum { SHOWN = 6 }; /* digits of the hash */

struct nb_problem_content {
    char name[NB_PROBLEM_NAME], hash[NB_PROBLEM_HASH];
};

enum nb_status nb_problem_names_add(struct nb_problem_names *names, const cJSON *record,
                                    struct nb_error *error)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    struct nb_problem_content content;
    if (!nb_record_is_case(record))
        return NB_OK;
    snprintf(content.name, sizeof content.name, "%s", nb_json_string(settings, "problem"));
    snprintf(content.hash, sizeof content.hash, "%s", nb_json_string(settings, "problem_hash"));
    for (int i = names->count - 1; i >= 0; --i)
        if (!strcmp(names->content[i].hash, content.hash) &&
            !strcmp(names->content[i].name, content.name))
            return NB_OK;
    struct nb_problem_content *grown =
        nb_grow(names->content, sizeof *grown, names->count, &names->room);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d problems", names->count + 1);
    names->content = grown;
    names->content[names->count++] = content;
    return NB_OK;
}

void nb_problem_names_free(struct nb_problem_names *names)
{
    free(names->content);
    memset(names, 0, sizeof *names);
}

void nb_problem_label(const struct nb_problem_names *names, const char *name, const char *hash,
                      char *text, size_t size)
{
    int contents = 0;
    for (int i = 0; i < names->count; ++i)
        contents += !strcmp(names->content[i].name, name);
    if (contents > 1 && *hash)
        snprintf(text, size, "%s#%.*s", name, SHOWN, hash);
    else
        snprintf(text, size, "%s", name);
}

static enum nb_status add_label(const struct nb_problem_names *names, cJSON *record,
                                struct nb_error *error)
{
    char label[NB_PROBLEM_NAME + SHOWN + 2];
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *name = nb_json_string(settings, "problem");
    nb_problem_label(names, name, nb_json_string(settings, "problem_hash"), label, sizeof label);
    if (!strcmp(label, name) || cJSON_AddStringToObject(record, "problem_label", label))
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the names of problems");
}

enum nb_status nb_problems_tell_apart(cJSON *records, struct nb_error *error)
{
    struct nb_problem_names names = {0};
    enum nb_status status = NB_OK;
    cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
        if (!status)
            status = nb_problem_names_add(&names, record, error);
    cJSON_ArrayForEach(record, records)
        if (!status && nb_record_is_case(record))
            status = add_label(&names, record, error);
    nb_problem_names_free(&names);
    return status;
}
