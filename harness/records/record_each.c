/* Records one after the other, of each key the last: the first pass notes where that one stands. */
#include "harness/records/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/json.h"

struct each {
    struct nb_index keys;
    int *last;        /* [keys] the number of the last record of each */
    int count, room;  /* of keys */
    int number;       /* of the record that is read */
    nb_store_callback *callback;
    void *context;
};

static enum nb_status note(void *context, const cJSON *record, struct nb_error *error)
{
    struct each *each = context;
    char text[NB_RECORD_IDENTITY];
    const int number = each->number++;
    if (!nb_record_identity(record, text))
        return NB_OK;
    const int key = nb_index_entry(&each->keys, text, &each->last, sizeof *each->last, &each->count, &each->room);
    if (key < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the keys of the records");
    each->last[key] = number;
    return NB_OK;
}

/* Hands on the last record of each key, and all that have no key. */
static enum nb_status hand_on(void *context, const cJSON *record, struct nb_error *error)
{
    struct each *each = context;
    char text[NB_RECORD_IDENTITY];
    const int key = nb_record_identity(record, text) ? nb_index_find(&each->keys, text) : -1, number = each->number++;
    return key < 0 || each->last[key] == number ? each->callback(each->context, record, error) : NB_OK;
}

static bool names_record(void *none, const char *outer, const char *inner)
{
    (void)none;
    (void)inner;
    return !strcmp(outer, "kind") || !strcmp(outer, "key");
}

static enum nb_status pass(struct each *each, const char *const *paths, int count, nb_wanted *wanted,
                           nb_store_callback *callback, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    each->number = 0;
    for (int i = 0; i < count && !status; ++i) {
        struct nb_store_reading reading = {.wanted = wanted, .quiet = callback == note};
        const int before = each->number;
        status = nb_store_read_parts(paths[i], callback, each, &reading, error);
        if (!status && each->number == before)
            status = nb_fail(error, NB_BAD_INPUT, "%s: holds no record", paths[i]);
    }
    return status;
}

enum nb_status nb_records_each(const char *const *paths, int count, nb_wanted *wanted, nb_store_callback *callback,
                               void *context, struct nb_error *error)
{
    struct each each = {.callback = callback, .context = context};
    enum nb_status status = pass(&each, paths, count, names_record, note, error);
    if (!status)
        status = pass(&each, paths, count, wanted, hand_on, error);
    nb_index_free(&each.keys);
    free(each.last);
    return status;
}
