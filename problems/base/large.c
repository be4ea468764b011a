#include "problems/base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, PAGE = 2 << 20, LEAST = 2 * PAGE };

/* Of the pages that lie within; a hint: refused, pages are small. */
static void ask_for_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t begin = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)memory + bytes) / PAGE * PAGE;
    if (bytes >= LEAST && end > begin)
        madvise((char *)memory + (begin - (uintptr_t)memory), end - begin, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

void *nb_large_allocate(size_t bytes)
{
    const size_t unit = bytes < LEAST ? LINE : PAGE;
    if (bytes > SIZE_MAX - unit)
        return NULL;
    const size_t whole = (bytes / unit + 1) * unit;
    void *memory = aligned_alloc(unit, whole);
    if (memory)
        ask_for_large_pages(memory, whole);
    return memory;
}

void *nb_large_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size); /* fresh ones are zero, and not there before they are touched */
    if (memory)
        ask_for_large_pages(memory, count * size);
    return memory;
}
