/* Numbers in ascending order, such as the columns of a matrix row: the sort, and where one stands. */
#ifndef NB_SORTED_H
#define NB_SORTED_H

#include <stdlib.h>
#include <string.h>

#include "problems/base/both.h"

/* qsort, which may not be given NULL, not even for nothing to be sorted. */
static inline void nb_sort(void *items, int count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(items, (size_t)count, size, compare);
}

static inline int nb_compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static inline void nb_sort_ints(int *values, int count)
{
    nb_sort(values, count, sizeof *values, nb_compare_ints);
}

static inline int nb_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void nb_sort_doubles(double *values, int count)
{
    nb_sort(values, count, sizeof *values, nb_compare_doubles);
}

static inline int nb_compare_pairs(const void *a, const void *b)
{
    const int *x = a, *y = b, k = x[0] == y[0];
    return (x[k] > y[k]) - (x[k] < y[k]);
}

/* Pairs [2 count] in ascending order, each once, its lower number first. Returns how many are left. */
static inline int nb_sort_pairs(int *pairs, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const int *pair = pairs + 2 * i, low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] + pair[1] - low;
        pairs[2 * i] = low;
        pairs[2 * i + 1] = high;
    }
    nb_sort(pairs, count, 2 * sizeof *pairs, nb_compare_pairs);
    for (int i = 0; i < count; ++i)
        if (kept == 0 || nb_compare_pairs(pairs + 2 * i, pairs + 2 * kept - 2) != 0) {
            memmove(pairs + 2 * kept, pairs + 2 * i, 2 * sizeof *pairs);
            ++kept;
        }
    return kept;
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
