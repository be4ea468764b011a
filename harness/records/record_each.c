/* Records one after the other, of each key the last: the first pass notes where that one stands. */
#include "harness/records/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
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

/* The number of the record's kind and key; -1: it has no key, and stands for itself. */
static int find_key(struct each *each, const cJSON *record, bool add)
{
    char text[NB_RECORD_IDENTITY];
    if (!nb_record_identity(record, text))
        return -1;
    return add ? nb_index_add(&each->keys, text, each->count) : nb_index_find(&each->keys, text);
}

static enum nb_status note(void *context, const cJSON *record, struct nb_error *error)
{
    struct each *each = context;
    const int key = find_key(each, record, true), number = each->number++;
    int *grown = key < each->count ? each->last : nb_grow(each->last, sizeof *grown, key, &each->room);
    if ((key < 0 && *nb_json_string(record, "key")) || (key >= 0 && !grown))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the keys of the records");
    if (key < 0)
        return NB_OK;
    each->last = grown;
    each->last[key] = number;
    each->count += key == each->count;
    return NB_OK;
}

static enum nb_status hand_on(void *context, const cJSON *record, struct nb_error *error)
{
    struct each *each = context;
    const int key = find_key(each, record, false), number = each->number++;
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
