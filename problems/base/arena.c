/* Two passes over a layout: the first counts its bytes, the second cuts its arrays from one zeroed allocation. */
#include "problems/base/arena.h"

#include <string.h>

#include "problems/base/large.h"

void *nb_arena_allocate(void (*lay_out)(void *self, struct nb_arena *arena), void *self)
{
    const size_t bytes = nb_arena_bytes(lay_out, self);
    struct nb_arena arena = {nb_large_allocate(bytes), 0};
    if (!arena.base)
        return NULL;
    memset(arena.base, 0, bytes);
    lay_out(self, &arena);
    return arena.base;
}
