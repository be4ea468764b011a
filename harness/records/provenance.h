/* What made a record: version, commit, fingerprint, compiler, flags, processors, libraries, date. */
#ifndef NB_PROVENANCE_H
#define NB_PROVENANCE_H

#include <cJSON.h>
#include <stdio.h>

/* The object "provenance" of data/RECORDS.md; NULL where memory is short. */
cJSON *nb_provenance(void);

/* The first card's name as the NVIDIA driver writes it to `folder`; "none" without a driver. CUDA is not asked: a
 * process that has started it cannot fork its cases. */
void nb_provenance_card(const char *folder, char *text, size_t size);

/* The answer to --version. */
void nb_provenance_print(FILE *stream);

/* "ncpbench 0.1.0 (commit)", for the files that it writes. */
const char *nb_provenance_generator(void);

#endif
