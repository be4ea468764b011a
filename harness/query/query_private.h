/* What a query prints its rows by. */
#ifndef NB_QUERY_PRIVATE_H
#define NB_QUERY_PRIVATE_H

#include "harness/query/query.h"

struct sqlite3_stmt;

/* Steps through the statement and prints; the code is SQLite's, SQLITE_DONE at the end. */
int nb_query_rows(struct sqlite3_stmt *statement, enum nb_query_form form, FILE *stream);

#endif
