/* Arrays that grow one entry at a time. */
#ifndef NB_GROW_H
#define NB_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Moves the array at *array [*room entries of that size, malloc's or NULL] where it is full, and *room is larger, so
 * that entry `count` exists; false where memory is short, and the array stays as it was. */
bool nb_grow(void *array, size_t size, int count, int *room);

/* The same of an array of any type. */
#define NB_GROW(array, count, room) nb_grow(&(array), sizeof *(array), count, room)

#endif
