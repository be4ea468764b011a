/* Reproducible numbers and zeroed arrays. */
#ifndef NB_TESTS_NUMBERS_H
#define NB_TESTS_NUMBERS_H

#include "tests/support/test.h"

static uint64_t seed;

/* Uniform in [-1, 1), the same every time (Steele et al. 2014). */
static inline double uniform(void)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static inline double *zeros(int count)
{
    double *array = calloc((size_t)count + 1, sizeof *array);
    assert_non_null(array);
    return array;
}

#endif
