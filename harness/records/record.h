/* Records as a results file has them (docs/reference/records.md): reading them, and their members as text. */
#ifndef NB_RECORD_H
#define NB_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/records/store.h"
#include "problems/base/status.h"

struct cJSON;

/* All records of a JSON Lines file, as a JSON array that the caller frees with cJSON_Delete. Of
 * several with one key the last one, as of a case that was measured anew. A last line without its end, as a
 * killed program may leave it, is not a record. */
enum nb_status nb_records_read(const char *path, struct cJSON **records, struct nb_error *error);

/* Reads paths [count >= 1] likewise, as if the files were one, one after the other. */
enum nb_status nb_records_read_files(const char *const *paths, int count, struct cJSON **records,
                                     struct nb_error *error);

/* The records that nb_records_read_files keeps, of what is wanted (NULL: all), one after the other to the callback: in
 * two passes, of which the first reads keys alone, so that one record is held at a time. */
enum nb_status nb_records_each(const char *const *paths, int count, nb_json_keep *wanted, nb_store_callback *callback,
                               void *context, struct nb_error *error);

/* The same, of cases what outcomes, tables and pairs are made of alone (harness/records/compact.h): a fifth of the
 * room, and not for printing. */
enum nb_status nb_records_read_outcomes(const char *const *paths, int count, struct cJSON **records,
                                        struct nb_error *error);

/* The same, of what is wanted (NULL: all) by the context. */
enum nb_status nb_records_read_packed(const char *const *paths, int count, nb_json_keep *wanted, void *context,
                                      struct cJSON **records, struct nb_error *error);

/* By what a later record replaces an earlier one, its kind and key, into text [NB_RECORD_IDENTITY]; false: it has no
 * key, and counts by itself. */
enum { NB_RECORD_IDENTITY = 128 };
bool nb_record_identity(const struct cJSON *record, char *text);

/* A setting or other member of a record as text, "" where it has none; "arithmetic" is precision and `in`
 * of the linear solver together, as in f64:in=f16; "machine" is its kind (harness/records/provenance.h). */
const char *nb_record_text(const struct cJSON *record, const char *name, char *text, size_t size);

/* Whether any record has a text of this name. */
bool nb_records_know(const struct cJSON *records, const char *name);

/* Whether a record, of whatever kind, is a case's. */
bool nb_record_is_case(const struct cJSON *record);

/* Whether its method read a setting: not an option of Newton's method where the method brings its own or the record
 * has null, and not the preconditioner of a linear solver that takes none. A record holds every setting, of those that
 * its method does not read the default: a group of records by such a value says nothing about it. */
bool nb_record_reads(const struct cJSON *record, const char *name);

/* The setting as text, "" where the record's method does not read it or has none. */
const char *nb_record_setting(const struct cJSON *record, const char *name, char *text, size_t size);

/* Median of values [count], NaN for none. */
double nb_median(const double *values, int count);

/* Likewise, of count >= 1 values that it may sort: it takes no memory, so that it cannot fail. */
double nb_median_sorting(double *values, int count);

#endif
