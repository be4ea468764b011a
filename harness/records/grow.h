/* Arrays that grow one entry at a time. */
#ifndef NB_GROW_H
#define NB_GROW_H

#include <stddef.h>

/* The array [*room entries of that size, malloc's or NULL], moved where it is full and *room larger, so
 * that entry `count` exists; NULL where memory is short, and the array stays as it was. */
void *nb_grow(void *array, size_t size, int count, int *room);

#endif
