/* Reproducible chance for scenes: SplitMix64 (Steele, Lea and Flood 2014), whose state is the seed.
 * Equal seeds give equal bits on every machine. */
#ifndef NB_RANDOM_H
#define NB_RANDOM_H

#include <stdint.h>

/* The next 64 bits. */
static inline uint64_t nb_random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The next number, uniform in [0, 1). */
static inline double nb_random(uint64_t *state)
{
    return (double)(nb_random_bits(state) >> 11) * 0x1p-53;
}

/* Uniform in [-1, 1). */
static inline double nb_random_signed(uint64_t *state)
{
    return 2 * nb_random(state) - 1;
}

#endif
