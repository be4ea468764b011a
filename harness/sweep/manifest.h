/* What must have run: the cases of specs, as `sweep` plans them. Records alone do not say what they lack. */
#ifndef NB_MANIFEST_H
#define NB_MANIFEST_H

#include <cJSON.h>

#include "problems/base/status.h"

struct nb_manifest {
    int cases, missing; /* of the specs; of these, without a record */
    char first[160];    /* of the missing ones */
};

/* Compares the specs [count], one or two, with records [arrays], JSON arrays, the same one perhaps more than once. The
 * problem files of the specs are read, since a case is known by what they hold. */
enum nb_status nb_manifest_read(const char *const *specs, int count, const cJSON *const *records, int arrays,
                                struct nb_manifest *manifest, struct nb_error *error);

#endif
