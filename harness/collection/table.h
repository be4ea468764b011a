/* A collection of problems as a table: a row a file, printed as it comes, so that memory does not grow with the
 * collection. */
#ifndef NB_COLLECTION_TABLE_H
#define NB_COLLECTION_TABLE_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/records/index.h"
#include "harness/sweep/child.h"
#include "problems/base/status.h"

/* What `ncpbench info` and `index` tell of a problem file: the only list of a problem's properties. */

/* The document of `info --json` (docs/reference/output.md), to be freed by the caller; of a problem file, or of a
 * linear system as Matrix Market text. */
enum nb_status nb_problem_facts(const char *path, cJSON **facts, struct nb_error *error);

/* The best known accuracy of each problem among records, and by which method: the smallest step error (of linear
 * systems, residual) at the end of a run. */

struct nb_best {
    double error;
    char method[192];
};

/* All zero: none. */
struct nb_best_list {
    struct nb_index problems; /* by hash */
    struct nb_best *best;     /* [count] */
    int count, room;
};

/* Those of results files [count], of equal keys by the last record, as everywhere. A linearised step is another problem
 * than its file's, and is left out. */
enum nb_status nb_best_read(struct nb_best_list *list, const char *const *paths, int count,
                            struct nb_error *error);

void nb_best_free(struct nb_best_list *list);

/* One process that reads the files of a collection, one after the other. `info` has each reading tried in a process of
 * its own, which is most of the time of a small file, and there are three readings a file; what ends this process is
 * read in that way. */

struct nb_reader_apart {
    struct nb_child child; /* begins as {0}: it starts where it is needed */
};

/* Ends the process, if there is one. */
void nb_reader_apart_end(struct nb_reader_apart *reader);

enum nb_collection_format { NB_COLLECTION_TEXT, NB_COLLECTION_CSV, NB_COLLECTION_JSON };

/* The row of a file: the members of its facts (nb_problem_facts), `best`, the smaller error of the records'
 * and of its own solution, with the method, and `error`, null. Of a file that cannot be read `file` and `error` are
 * all there is. reason: why, where it is known already; otherwise NULL. NULL without memory. */
cJSON *nb_collection_row(struct nb_reader_apart *reader, const char *path, const char *reason,
                         const struct nb_best_list *best);

/* Prints row `number`, from 0; before it the beginning, and the end behind the last. */
void nb_collection_begin(enum nb_collection_format format, FILE *stream);
void nb_collection_print(cJSON *row, int number, enum nb_collection_format format, FILE *stream);
void nb_collection_end(enum nb_collection_format format, int failed, FILE *stream);

#endif
