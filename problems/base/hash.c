#include "problems/base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t nb_hash(uint64_t before, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i)
        before = (before ^ bytes[i]) * UINT64_C(0x100000001b3);
    return before;
}

enum nb_status nb_hash_file(const char *path, uint64_t *value, struct nb_error *error)
{
    unsigned char buffer[65536];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (!file)
        return nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0)
        *value = nb_hash(*value, buffer, count);
    const int failed = ferror(file), number = errno;
    fclose(file);
    return failed ? nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(number)) : NB_OK;
}

void nb_hash_print(uint64_t value, char text[NB_HASH_SIZE])
{
    snprintf(text, NB_HASH_SIZE, "%016" PRIx64, value);
}
