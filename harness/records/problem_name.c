/* Collects the names of problems with the hashes of their contents, and labels by name and hash those whose names
 * more than one content has. */
#include "harness/records/problem_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

enum { SHOWN = 6 }; /* digits of the hash */

/* Every name with every hash that it was met with, and how many contents each name has. */
struct names {
    struct nb_index contents, names;
    int count, room;
    int *hashes; /* [count] by the names' numbers */
};

/* Takes note of the problem of a record's case. */
static enum nb_status add_name(struct names *names, const cJSON *record, struct nb_error *error)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *name = nb_json_string(settings, "problem");
    char content[NB_PROBLEM_NAME + NB_PROBLEM_HASH + 1];
    if (!nb_record_is_case(record))
        return NB_OK;
    snprintf(content, sizeof content, "%.*s\n%s", NB_PROBLEM_NAME - 1, name, nb_json_string(settings, "problem_hash"));
    if (nb_index_find(&names->contents, content) >= 0)
        return NB_OK;
    int *grown = nb_grow(names->hashes, sizeof *grown, names->count, &names->room);
    names->hashes = grown ? grown : names->hashes;
    const int number = grown && nb_index_add(&names->contents, content, 0) == 0
                           ? nb_index_add(&names->names, name, names->count) : -1;
    if (number < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d problems", names->count + 1);
    if (number == names->count)
        names->hashes[names->count++] = 0;
    ++names->hashes[number];
    return NB_OK;
}

/* The name, with the hash where the name alone is not enough. */
static enum nb_status add_label(const struct names *names, cJSON *record,
                                struct nb_error *error)
{
    char label[NB_PROBLEM_NAME + SHOWN + 2];
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *name = nb_json_string(settings, "problem"), *hash = nb_json_string(settings, "problem_hash");
    snprintf(label, sizeof label, "%s#%.*s", name, SHOWN, hash);
    if (names->hashes[nb_index_find(&names->names, name)] <= 1 || !*hash ||
        cJSON_GetObjectItemCaseSensitive(record, "problem_label") ||
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
    nb_index_free(&names.contents);
    nb_index_free(&names.names);
    free(names.hashes);
    return status;
}
