/* A collection of problems as a table: a row a file, printed as it comes, so that memory does not grow with the
 * collection. */
#ifndef NB_COLLECTION_TABLE_H
#define NB_COLLECTION_TABLE_H

#include <cJSON.h>
#include <stdio.h>

#include "harness/collection/best.h"
#include "harness/collection/reader.h"

enum nb_collection_format { NB_COLLECTION_TEXT, NB_COLLECTION_CSV, NB_COLLECTION_JSON };

/* The row of a file: the members of its facts (harness/collection/facts.h), `best`, the smaller error of the records'
 * and of its own solution, with the method, and `error`, null. Of a file that cannot be read `file` and `error` are
 * all there is. reason: why, where it is known already; otherwise NULL. NULL without memory. */
cJSON *nb_collection_row(struct nb_reader_apart *reader, const char *path, const char *reason,
                         const struct nb_best_list *best);

/* Row `number`, from 0, and what stands before the first and behind the last. */
void nb_collection_begin(enum nb_collection_format format, FILE *stream);
void nb_collection_print(cJSON *row, int number, enum nb_collection_format format, FILE *stream);
void nb_collection_end(enum nb_collection_format format, int failed, FILE *stream);

#endif
