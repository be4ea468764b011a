/* Which of its settings a record's method read. A record holds every setting, of those that its method does
 * not read the default: a group of records by such a value says nothing about it. */
#ifndef NB_RECORD_READS_H
#define NB_RECORD_READS_H

#include <cJSON.h>
#include <stdbool.h>

/* False for the options of Newton's method where the record's method brings its own or the record has null,
 * and for the preconditioner of a linear solver that takes none. */
bool nb_record_reads(const cJSON *record, const char *name);

#endif
