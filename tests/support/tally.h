/* Counts what a results file hands on, and keeps the last record's n. */
#ifndef NB_TEST_TALLY_H
#define NB_TEST_TALLY_H

#include "harness/records/json.h"

struct tally {
    int records, entries;
    double last;
};

static inline enum nb_status count_record(void *context, const cJSON *json, struct nb_error *error)
{
    struct tally *tally = context;
    (void)error;
    ++tally->records;
    tally->last = nb_json_get(json, "n");
    return NB_OK;
}

#endif
