/* Arrays of records as tables of SQL. A record's array is kept as one packed blob of doubles, 8 bytes a number; a table
 * over them has a row an entry, with NULL for what was null. */
#ifndef NB_PACKED_H
#define NB_PACKED_H

#include <cJSON.h>
#include <stdbool.h>

#include "harness/query/columns.h"

struct sqlite3;

/* What the table is made of: `store` has a table of the same name, of id, entries and a blob for each array. */
struct nb_packed {
    struct sqlite3 *store; /* borrowed; a connection of its own, so that no query sees the blobs */
    const struct nb_table *table;
};

/* Makes the table of blobs in the store, and that of entries in db. The codes are SQLite's. packed lives as long as
 * db. */
int nb_packed_create(const struct nb_packed *packed, struct sqlite3 *db);

/* An array as doubles [*count], NaN where it is no number, for free; NULL: it is no array, is empty, or no memory. */
double *nb_packed_array(const cJSON *array, int *count);

#endif
