#include "problems/base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, PAGE = 2 << 20, LEAST = 2 * PAGE };

void *nb_large_allocate(size_t bytes)
{
    const size_t unit = bytes < LEAST ? LINE : PAGE;
    if (bytes > SIZE_MAX - unit)
        return NULL;
    const size_t whole = (bytes / unit + 1) * unit;
    void *memory = aligned_alloc(unit, whole);
#ifdef MADV_HUGEPAGE
    if (memory && unit == PAGE)
        madvise(memory, whole, MADV_HUGEPAGE); /* a hint: refused, pages are small */
#endif
    return memory;
}
