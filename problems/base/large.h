/* Memory of arrays that are read from end to end over and over. */
#ifndef NB_LARGE_H
#define NB_LARGE_H

#include <stddef.h>

/* Aligned to a cache line, uninitialised, freed by free(); NULL: no memory. Arrays of megabytes ask for
 * pages of 2 MiB (Linux, where transparent huge pages are on or left to madvise): with 4 KiB pages the
 * translation of addresses holds the prefetchers back. */
void *nb_large_allocate(size_t bytes);

/* As calloc(count, size), with such pages where there are megabytes of it. */
void *nb_large_zeroed(size_t count, size_t size);

#endif
