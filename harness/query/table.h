/* Records as tables of an SQLite database in memory: cases, traces, repetitions and records (harness/query/packed.h),
 * and `columns`, which describes them. A column is filled where it is asked for. */
#ifndef NB_QUERY_TABLE_H
#define NB_QUERY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/query/packed.h"
#include "problems/base/status.h"

struct sqlite3;

struct nb_tables {
    struct sqlite3 *db;    /* what is queried */
    struct sqlite3 *store; /* of packed arrays */
    struct nb_packed traces, repetitions;
    bool used[NB_TABLES];                     /* which tables and columns are filled; by the caller, before it reads */
    bool wanted[NB_TABLES][NB_COLUMNS_MOST];
};

/* Opens the tables, empty; large: in temporary files rather than in memory. Free them in any case. */
enum nb_status nb_tables_open(struct nb_tables *tables, bool large, struct nb_error *error);

/* Reads the files [count], one after the other: of records with one kind and key the last, numbered in the order in
 * which they stand, from 1. */
enum nb_status nb_tables_read(struct nb_tables *tables, const char *const *paths, int count, struct nb_error *error);

void nb_tables_close(struct nb_tables *tables);

/* The failure of a connection as a status and a message. */
enum nb_status nb_tables_fail(struct sqlite3 *db, const char *where, struct nb_error *error);

#endif
