/* Finds texts, such as keys and names, among many: each has the number that it was added with. Adding and finding take
 * O(log n). */
#ifndef NB_INDEX_H
#define NB_INDEX_H

#include <stddef.h>

struct nb_index {
    void *tree; /* NULL: empty */
};

/* The number of the text; -1 where it was not added. */
int nb_index_find(const struct nb_index *index, const char *text);

/* Adds a copy of the text with number >= 0, unless it is there: then with the number that it has. Returns the number
 * that it has now; -1 where memory is short. */
int nb_index_add(struct nb_index *index, const char *text, int number);

/* The number of the text in an array (the address of the pointer to its entries of that size) that has an entry a text:
 * where the text is new the array grows by one, all zero. -1 where memory is short. */
int nb_index_entry(struct nb_index *index, const char *text, void *array, size_t size, int *count, int *room);

/* A text equal to the given one that lives as long as the program; NULL where memory is short. */
const char *nb_intern(const char *text);

void nb_index_free(struct nb_index *index);

#endif
