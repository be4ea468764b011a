/* Numbers in ascending order, such as the columns of a matrix row: the sort, and where one stands. */
#ifndef NB_SORTED_H
#define NB_SORTED_H

#include <stdlib.h>

#include "problems/base/both.h"

static inline int nb_compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static inline void nb_sort_ints(int *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, nb_compare_ints);
}

static inline int nb_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void nb_sort_doubles(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, nb_compare_doubles);
}

/* The first k of low <= k < high with sorted[k] >= value, or high. */
NB_BOTH int nb_first_not_below(const int *sorted, int low, int high, int value)
{
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* k of low <= k < high with sorted[k] = value, or -1. */
static inline int nb_find_sorted(const int *sorted, int low, int high, int value)
{
    const int k = nb_first_not_below(sorted, low, high, value);
    return k < high && sorted[k] == value ? k : -1;
}

#endif
