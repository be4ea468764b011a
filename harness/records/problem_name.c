/* Collects the names of problems with the hashes of their contents, and labels by name and hash those whose names
 * more than one content has. */
#include "harness/records/problem_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

enum { SHOWN = 6 }; /* digits of the hash */

struct content {
    char name[NB_PROBLEM_NAME], hash[NB_PROBLEM_HASH];
};

/* Every name with every hash that it was met with. */
struct names {
    struct content *content;
    int count, room;
};

/* Takes note of the problem of a record's case. */
static enum nb_status add_name(struct names *names, const cJSON *record, struct nb_error *error)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    struct content content;
    if (!nb_record_is_case(record))
        return NB_OK;
    snprintf(content.name, sizeof content.name, "%s", nb_json_string(settings, "problem"));
    snprintf(content.hash, sizeof content.hash, "%s", nb_json_string(settings, "problem_hash"));
    for (int i = names->count - 1; i >= 0; --i)
        if (!strcmp(names->content[i].hash, content.hash) &&
            !strcmp(names->content[i].name, content.name))
            return NB_OK;
    struct content *grown =
        nb_grow(names->content, sizeof *grown, names->count, &names->room);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d problems", names->count + 1);
    names->content = grown;
    names->content[names->count++] = content;
    return NB_OK;
}

/* The name, with the hash where the name alone is not enough. */
static enum nb_status add_label(const struct names *names, cJSON *record,
                                struct nb_error *error)
{
    char label[NB_PROBLEM_NAME + SHOWN + 2];
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *name = nb_json_string(settings, "problem"), *hash = nb_json_string(settings, "problem_hash");
    int contents = 0;
    for (int i = 0; i < names->count; ++i)
        contents += !strcmp(names->content[i].name, name);
    snprintf(label, sizeof label, "%s#%.*s", name, SHOWN, hash);
    if (contents <= 1 || !*hash || cJSON_GetObjectItemCaseSensitive(record, "problem_label") ||
        cJSON_AddStringToObject(record, "problem_label", label))
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the names of problems");
}

enum nb_status nb_problems_tell_apart(cJSON *records, struct nb_error *error)
{
    struct names names = {0};
    enum nb_status status = NB_OK;
    cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
        if (!status)
            status = add_name(&names, record, error);
    cJSON_ArrayForEach(record, records)
        if (!status && nb_record_is_case(record))
            status = add_label(&names, record, error);
    free(names.content);
    return status;
}
