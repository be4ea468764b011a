/* Collects the names of problems with the hashes of their contents, and labels by name and hash those whose names
 * more than one content has, and copies by the name of the first. */
#include "harness/records/problem_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

enum { SHOWN = 6 }; /* digits of the hash */

struct name {
    const char *text;
    int contents; /* that have it */
};

/* Every name with every hash that it was met with, and the first name of each hash. */
struct names {
    struct nb_index contents, names, hashes;
    int count, room;
    struct name *name; /* [count] by number */
};

/* The number of a name, which is added where it is new; -1: no memory. */
static int find_name(struct names *names, const char *text)
{
    const int number =
        nb_index_entry(&names->names, text, &names->name, sizeof *names->name, &names->count, &names->room);
    if (number >= 0 && !names->name[number].text)
        names->name[number].text = text;
    return number;
}

/* Takes note of the problem of a record's case. */
static enum nb_status add_name(struct names *names, const cJSON *record, struct nb_error *error)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *name = nb_json_string(settings, "problem"), *hash = nb_json_string(settings, "problem_hash");
    char content[NB_PROBLEM_NAME + NB_PROBLEM_HASH + 1];
    if (!nb_record_is_case(record))
        return NB_OK;
    snprintf(content, sizeof content, "%.*s\n%s", NB_PROBLEM_NAME - 1, name, hash);
    if (nb_index_find(&names->contents, content) >= 0)
        return NB_OK;
    const int number = nb_index_add(&names->contents, content, 0) == 0 ? find_name(names, name) : -1;
    if (number < 0 || (*hash && nb_index_add(&names->hashes, hash, number) < 0))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d problems", names->count + 1);
    ++names->name[number].contents;
    return NB_OK;
}

/* The first name of its content, with the hash where other contents have that name; none where it is its own alone. */
static enum nb_status add_label(const struct names *names, cJSON *record, struct nb_error *error)
{
    char label[NB_PROBLEM_NAME + SHOWN + 2];
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *own = nb_json_string(settings, "problem"), *hash = nb_json_string(settings, "problem_hash");
    if (!*hash || cJSON_GetObjectItemCaseSensitive(record, "problem_label"))
        return NB_OK;
    const struct name *name = &names->name[nb_index_find(&names->hashes, hash)];
    const bool alone = name->contents <= 1;
    if (alone && !strcmp(name->text, own))
        return NB_OK;
    snprintf(label, sizeof label, alone ? "%s" : "%s#%.*s", name->text, SHOWN, hash);
    if (cJSON_AddStringToObject(record, "problem_label", label))
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
    nb_index_free(&names.hashes);
    free(names.name);
    return status;
}
