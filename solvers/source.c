/* The only file that sees the hashes: what else is compiled does not depend on a file that any edit
 * changes. */
#include "solvers/source.h"

#include <stddef.h>
#include <string.h>

#include "source_hashes.h"

const char *nb_source_hash(const char *kind, const char *file)
{
    static const struct {
        const char *kind, *file, *hash;
    } hashes[] = {
#define HASH(kind, file, hash) {#kind, #file, hash},
        NB_SOURCE_HASHES(HASH)
    };
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; ++i)
        if (!strcmp(hashes[i].kind, kind) && !strcmp(hashes[i].file, file))
            return hashes[i].hash;
    return NULL;
}

const char *nb_source_fingerprint(void)
{
    return NB_SOURCE_FINGERPRINT;
}
