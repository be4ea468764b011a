/* Many arrays in one allocation. A function lays them out, one NB_ARRAY after the other; it is called twice, first to
 * count bytes and then to cut the arrays from the memory that this takes:
 *
 *     static void lay_out(void *data, struct nb_arena *arena)
 *     {
 *         struct method *self = data;
 *         NB_ARRAY(arena, self->r, self->rows);
 *         NB_ARRAY(arena, self->index, self->rows + 1);
 *     }
 *     ...
 *     self->memory = nb_arena_allocate(lay_out, self);
 *     if (!self->memory)
 *         return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the method");
 *
 * and free(self->memory) frees them all. Counts must be known before. */
#ifndef NB_ARENA_H
#define NB_ARENA_H

#include <stddef.h>

struct nb_arena {
    char *base;  /* NULL: bytes are counted only */
    size_t used; /* [byte]                       */
};

/* `array`, a pointer that can be assigned to, becomes one of `count` elements; NULL while bytes are counted. */
#define NB_ARRAY(arena, array, count) ((array) = nb_arena_cut((arena), (size_t)(count) * sizeof *(array)))

/* Several arrays of `count` elements each, at most 8. */
#define NB_ARRAYS_1(arena, count, array) NB_ARRAY(arena, array, count)
#define NB_ARRAYS_2(arena, count, array, ...) NB_ARRAY(arena, array, count), NB_ARRAYS_1(arena, count, __VA_ARGS__)
#define NB_ARRAYS_3(arena, count, array, ...) NB_ARRAY(arena, array, count), NB_ARRAYS_2(arena, count, __VA_ARGS__)
#define NB_ARRAYS_4(arena, count, array, ...) NB_ARRAY(arena, array, count), NB_ARRAYS_3(arena, count, __VA_ARGS__)
#define NB_ARRAYS_5(arena, count, array, ...) NB_ARRAY(arena, array, count), NB_ARRAYS_4(arena, count, __VA_ARGS__)
#define NB_ARRAYS_6(arena, count, array, ...) NB_ARRAY(arena, array, count), NB_ARRAYS_5(arena, count, __VA_ARGS__)
#define NB_ARRAYS_7(arena, count, array, ...) NB_ARRAY(arena, array, count), NB_ARRAYS_6(arena, count, __VA_ARGS__)
#define NB_ARRAYS_8(arena, count, array, ...) NB_ARRAY(arena, array, count), NB_ARRAYS_7(arena, count, __VA_ARGS__)
#define NB_ARRAYS_PICK(a, b, c, d, e, f, g, h, pick, ...) pick
#define NB_ARRAYS(arena, count, ...) \
    NB_ARRAYS_PICK(__VA_ARGS__, NB_ARRAYS_8, NB_ARRAYS_7, NB_ARRAYS_6, NB_ARRAYS_5, NB_ARRAYS_4, \
                   NB_ARRAYS_3, NB_ARRAYS_2, NB_ARRAYS_1, 0) \
    (arena, count, __VA_ARGS__)

/* The next so many bytes, aligned to a cache line. */
static inline void *nb_arena_cut(struct nb_arena *arena, size_t bytes)
{
    void *piece = arena->base ? arena->base + arena->used : NULL;
    arena->used += (bytes + 63) / 64 * 64;
    return piece;
}

/* The bytes that the arrays take. */
static inline size_t nb_arena_bytes(void (*lay_out)(void *self, struct nb_arena *arena), void *self)
{
    struct nb_arena arena = {NULL, 0};
    lay_out(self, &arena);
    return arena.used;
}

/* The memory of the arrays, all zero, to be freed by free(); NULL: there is none. */
void *nb_arena_allocate(void (*lay_out)(void *self, struct nb_arena *arena), void *self);

#endif
