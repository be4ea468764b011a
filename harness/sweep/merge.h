/* Joins the results files of a sweep's shards (harness/sweep/sweep.h), or of several sweeps of one spec, to one file
 * with one record a key.
 *
 * Of several records with one key a record that need not be tried again stays before one that may (no CUDA device, a
 * problem that could not be read); then the one of the later sweep, by provenance.date; then the one read last:
 * files in their order, lines in theirs. The file to write, where it exists, is read as the first part, so that
 * nothing is lost and a merge can be repeated. Records are in the order of the spec, others behind them. They are
 * copied as they are. */
#ifndef NB_MERGE_H
#define NB_MERGE_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/sweep/sweep.h"

struct nb_merge_request {
    const char *const *part; /* [part_count] one that does not exist counts as empty */
    int part_count;
    const char *results;
    bool mixed;              /* join other builds and kinds of machine: `mixed` in a record says what is other than in
                                the first one */
    /* The sweep: spec, more, filters; shards: of which the missing ones are told, 0: by the names of the parts. */
    struct nb_sweep_request sweep;
    FILE *out;               /* where to tell what was found */
};

/* NB_BAD_INPUT where parts of other builds or kinds of machine are joined without `mixed`: nothing is written then.
 * *missing: cases and floors of the spec without a record. */
enum nb_status nb_merge(const struct nb_merge_request *request, int *missing, struct nb_error *error);

#endif
