/* Records that take less room: of many thousand a report, a comparison or a profile needs no more than what
 * harness/records/outcome.h reads, settings and counts. */
#ifndef NB_COMPACT_H
#define NB_COMPACT_H

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

/* The members that stay: of traces, errors and provenance those that outcomes, tables and pairs are made of. */
bool nb_compact_wanted(void *none, const char *outer, const char *inner);

/* Packs the arrays of a case's trace and times, and has the record share names, settings other than the problem's,
 * features, sizes and provenance with others, for as long as the program runs; the load of the machine, in which
 * provenances differ, becomes a member of the record. False where memory is short; the record is whole all the same. A
 * packed record is not for printing. */
bool nb_compact(struct cJSON *record);

/* The numbers of an array, packed or not, one by one. */
struct nb_values {
    const struct cJSON *item; /* the next one, where it is not packed */
    const double *value;      /* where it is */
    int left;
};
struct nb_values nb_values_in(const struct cJSON *array);
/* Those of a column of a trace. */
struct nb_values nb_values_of(const struct cJSON *record, const char *name);
/* Numbers that are left. */
int nb_values_length(const struct nb_values *column);

/* Takes the next number, NaN for null; false at the end, and *number stays. */
bool nb_values_next(struct nb_values *column, double *number);

#endif
