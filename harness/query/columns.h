/* The tables that records are read into, and their columns: one for each setting (harness/case/case_settings.h), each
 * metric (harness/judge/metrics.h) and each other member of a record (docs/reference/records.md). What reads, prints
 * or describes a table goes through these rows. */
#ifndef NB_COLUMNS_H
#define NB_COLUMNS_H

#include <stdbool.h>

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

#endif
