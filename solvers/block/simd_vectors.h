/* Vectors for loops that are compiled for each level of problems/base/simd.h: as wide as a register of the level that
 * the including file names, since compilers keep wider ones in memory. How wide they are does not change the
 * order of any sum. */
#ifndef NB_SIMD_VECTORS_H
#define NB_SIMD_VECTORS_H

#include "solvers/precision.h"

#ifdef __AVX512F__
#define NB_VECTOR_BYTES 64
#elif defined __AVX__
#define NB_VECTOR_BYTES 32
#else
#define NB_VECTOR_BYTES 16
#endif
#define NB_WIDE (NB_VECTOR_BYTES / NB_REAL_BYTES)

#define INLINE static inline __attribute__((always_inline))

#endif
