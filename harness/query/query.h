/* Questions to records in SQL: `ncpbench query`. */
#ifndef NB_QUERY_H
#define NB_QUERY_H

#include <stdio.h>

#include "problems/base/status.h"

enum nb_query_form { NB_QUERY_TABLE, NB_QUERY_CSV, NB_QUERY_JSON };

struct nb_query {
    const char *const *paths; /* [count] results files */
    int count;
    const char *statement; /* one that only reads; others are refused */
    enum nb_query_form form;
    double time_limit; /* [s] of the statement, without reading the records */
};

/* Reads of the records what the statement needs, and prints its rows as they come. */
enum nb_status nb_query_print(const struct nb_query *query, FILE *stream, struct nb_error *error);

/* The rows of a statement of the program's own, one after the other to the callback, which reads them by SQLite's
 * sqlite3_column_... and ends the reading by a status other than NB_OK. */
struct sqlite3_stmt;
typedef enum nb_status nb_query_row(void *context, struct sqlite3_stmt *row, struct nb_error *error);
enum nb_status nb_query_each(const char *const *paths, int count, const char *statement, nb_query_row *callback,
                             void *context, struct nb_error *error);

/* Writes all tables of the records as a file of SQLite, whole or not at all. */
enum nb_status nb_query_export(const char *const *paths, int count, const char *path, struct nb_error *error);

/* Prints the tables and columns that there are, as Markdown. */
void nb_query_schema(FILE *stream);

#endif
