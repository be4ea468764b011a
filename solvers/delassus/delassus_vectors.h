/* Vectors of solvers/delassus/delassus_kernels.h, and how they are read and written. */
#ifndef NB_DELASSUS_VECTORS_H
#define NB_DELASSUS_VECTORS_H

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <stdint.h>
#include <string.h>

#include "solvers/block/simd_vectors.h"

enum { WIDE = NB_WIDE };

typedef nb_real wide __attribute__((vector_size(WIDE * sizeof(nb_real))));
typedef nb_real four __attribute__((vector_size(4 * sizeof(nb_real))));
typedef nb_real four_loose
    __attribute__((vector_size(4 * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));
#if NB_REAL_BYTES == 8
typedef uint64_t real_bits;
#else
typedef uint32_t real_bits;
#endif
#define STORED(lanes)                                                                             \
    __attribute__((vector_size((lanes) * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias))
typedef nb_matrix wide_stored STORED(WIDE);
typedef nb_matrix half_stored STORED(WIDE / 2);
typedef nb_matrix quarter_stored STORED(WIDE < 4 ? 1 : WIDE / 4);
typedef nb_matrix four_stored STORED(4);

INLINE wide load(const nb_matrix *value)
{
    return __builtin_convertvector(*(const wide_stored *)(const void *)value, wide);
}

INLINE four load_four(const nb_matrix *value)
{
    return __builtin_convertvector(*(const four_stored *)(const void *)value, four);
}

INLINE void store_four(nb_matrix *out, four value)
{
    *(four_stored *)(void *)out = __builtin_convertvector(value, four_stored);
}

/* The first so many lanes, a constant at each call. */
INLINE void store(nb_matrix *out, wide sum, const int count)
{
    union {
        wide_stored all;
        half_stored half[2];
        quarter_stored quarter[4];
        nb_matrix lane[WIDE];
    } part = {.all = __builtin_convertvector(sum, wide_stored)};
    int at = 0;
    if (count >= WIDE) {
        *(wide_stored *)(void *)out = part.all;
        return;
    }
    if (count & WIDE / 2) {
        *(half_stored *)(void *)out = part.half[0];
        at = WIDE / 2;
    }
    if (count & WIDE / 4) {
        *(quarter_stored *)(void *)(out + at) = part.quarter[4 * at / WIDE];
        at += WIDE / 4;
    }
#pragma GCC unroll 3
    for (; at < count; ++at)
        out[at] = part.lane[at];
}

/* A vector of several columns where there are too few rows to fill one: of the left operand each entry fills four
 * lanes, and these meet three entries of the right one. */
#if NB_WIDE >= 8
#if NB_WIDE == 16
enum { PARTS = 1 };
#define EACH(v, part) __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
#define REPEAT(v) (wide) _mm512_broadcast_f32x4((__m128)(v))
#define BY_ROWS 0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 3, 7
#define BY_COLUMNS 0, 4, 8, 1, 5, 9, 2, 6, 10, 11, 12, 13, 14, 15, 3, 7
#else
enum { PARTS = 2 };
#define EACH(v, part) ((part) ? __builtin_shufflevector(v, v, 2, 2, 2, 2, 3, 3, 3, 3)             \
                              : __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1))
#if NB_REAL_BYTES == 8
#define REPEAT(v) (wide) _mm512_broadcast_f64x4((__m256d)(v))
#else
#define REPEAT(v) __builtin_shufflevector((wide)_mm256_castps128_ps256((__m128)(v)),              \
                                          (wide)_mm256_castps128_ps256((__m128)(v)),              \
                                          0, 1, 2, 3, 0, 1, 2, 3)
#endif
#define BY_ROWS 0, 1, 2, 4, 5, 6, 8, 9
#define BY_COLUMNS 0, 4, 8, 1, 5, 9, 2, 6
#endif
#endif

#endif
