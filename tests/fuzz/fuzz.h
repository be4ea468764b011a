/* For the fuzz targets: what is read lies in a file of memory, and reading it may not take more than 2 GiB. */
#ifndef NB_TESTS_FUZZ_H
#define NB_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a regular file with these bytes, the same file each time. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0)
        file = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

static inline void fuzz_check_memory(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) || used.ru_maxrss > 2 << 20)
        abort();
}

#endif
