/* Records that take less room: of many thousand a report, a comparison or a profile needs no more than what
 * harness/records/outcome.h reads, settings and counts. */
#ifndef NB_COMPACT_H
#define NB_COMPACT_H

#include <stdbool.h>
#include <stddef.h>

/* A record's text without the members that its reader does not want: parsing those would take most of the time, and
 * keeping them most of the memory. */

/* Whether a member is wanted: outer of the record, with inner NULL; and, of an object that is, inner of outer. The
 * context is the reader's. */
typedef bool nb_json_keep(void *context, const char *outer, const char *inner);

/* Whether the name is in a list that ends with NULL. */
bool nb_is_one_of(const char *name, const char *const *names);

/* Copies the JSON object in text [length] to room [length], less what is not wanted; the length of the copy. 0 where
 * the text is not one, or its members are not separated as they must be; values that are left out are not checked
 * otherwise. */
size_t nb_json_filter(const char *text, size_t length, nb_json_keep *wanted, void *context, char *room);

struct cJSON;

/* The members that stay: of traces, errors and provenance those that outcomes, tables and pairs are made of. */
bool nb_compact_keep(void *none, const char *outer, const char *inner);

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
