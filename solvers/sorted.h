/* Where a number stands among ascending ones, such as the columns of a matrix row. */
#ifndef NB_SORTED_H
#define NB_SORTED_H

/* The first k of low <= k < high with sorted[k] >= value, or high. */
static inline int nb_first_not_below(const int *sorted, int low, int high, int value)
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
