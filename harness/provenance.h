/* What made a record: version, commit, fingerprint, compiler, flags, processor, libraries, date. */
#ifndef NB_PROVENANCE_H
#define NB_PROVENANCE_H

#include <cJSON.h>
#include <stdio.h>

/* The object "provenance" of data/RECORDS.md; NULL where memory is short. */
cJSON *nb_provenance(void);

/* The answer to --version. */
void nb_provenance_print(FILE *stream);

/* "ncpbench 0.1.0 (commit)", for the files that it writes. */
const char *nb_provenance_generator(void);

#endif
