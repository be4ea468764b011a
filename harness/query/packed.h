/* Arrays of records as tables of SQL. A record's array is kept as one packed blob of doubles, 8 bytes a number; a table
 * over them has a row an entry, with NULL for what was null. */
#ifndef NB_PACKED_H
#define NB_PACKED_H

#include <cJSON.h>
#include <stdbool.h>

/* The tables that records are read into, and their columns: one for each setting (harness/case/case_settings.h), each
 * metric (harness/judge/metrics.h) and each other member of a record (docs/reference/records.md). What reads, prints
 * or describes a table goes through these rows. */

enum nb_table_index { NB_TABLE_CASES,       /* a row a case, of those with one key the last */
                      NB_TABLE_TRACES,      /* a row an iteration of a case's observed run */
                      NB_TABLE_REPETITIONS, /* a row a timed repetition of a case */
                      NB_TABLE_RECORDS,     /* a row a record of whatever kind, as text */
                      NB_TABLES };

struct nb_column {
    const char *name;
    const char *outer, *inner, *innermost; /* its members in a record; NULL: it is not one, or not so deep */
    const char *type;                      /* as SQL calls it: "text", "real" or "integer" */
    const char *unit, *meaning;
    bool derived; /* from the members of outer, by nb_record_text (harness/records/record.h) */
};

enum { NB_COLUMNS_MOST = 192 };

struct nb_table {
    const char *name, *meaning;
    int count;
    struct nb_column column[NB_COLUMNS_MOST];
};

/* The first column of each is the record's id. Traces and repetitions have the entry's number as the second; the others
 * are arrays of a record, and the first of these tells how many entries there are. */
const struct nb_table *nb_table_at(enum nb_table_index index);

/* The column's place in its table; -1: it has none of that name, in which case counts for nothing. */
int nb_table_column(const struct nb_table *table, const char *name);

struct sqlite3;

/* What the table is made of: `store` has a table of the same name, of id, entries and a blob for each array. */
struct nb_packed {
    struct sqlite3 *store; /* borrowed; a connection of its own, so that no query sees the blobs */
    const struct nb_table *table;
};

/* Makes the table of blobs in the store, and that of entries in db. The codes are SQLite's. packed lives as long as
 * db. */
int nb_packed_create(const struct nb_packed *packed, struct sqlite3 *db);

/* An array as doubles [*count], NaN for what is not a number, for free; NULL: it is not an array, or it is empty, or
 * memory is short. */
double *nb_packed_array(const cJSON *array, int *count);

#endif
