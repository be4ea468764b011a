/* Several 16-bit numbers expanded at once: nb_f16_expand_N and nb_bf16_expand_N for N = 1, 2, 4, 8, 16, with the
 * instructions of whoever includes this, and the bits of solvers/block/half.h. */
#ifndef NB_HALF_VECTORS_H
#define NB_HALF_VECTORS_H

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "solvers/block/half.h"

#define NB_HALF_VECTORS(N)                                                                        \
    typedef float nb_float_##N __attribute__((vector_size(4 * N)));                               \
    typedef uint32_t nb_bits_##N __attribute__((vector_size(4 * N)));                             \
    typedef uint16_t nb_half_##N __attribute__((vector_size(2 * N), aligned(2), may_alias));      \
    static inline nb_bits_##N nb_widen_##N(const uint16_t *from)                                  \
    {                                                                                             \
        return __builtin_convertvector(*(const nb_half_##N *)(const void *)from, nb_bits_##N);    \
    }                                                                                             \
    static inline nb_float_##N nb_bf16_expand_##N(const uint16_t *from)                           \
    {                                                                                             \
        return (nb_float_##N)(nb_widen_##N(from) << 16);                                          \
    }                                                                                             \
    static inline nb_float_##N nb_f16_compute_##N(const uint16_t *from)                           \
    {                                                                                             \
        const nb_bits_##N all = nb_widen_##N(from), rest = (all & 0x7fff) << 13;                  \
        const nb_bits_##N special = (nb_bits_##N)(rest >= 0x0f800000);                            \
        const nb_bits_##N quiet = (nb_bits_##N)(rest > 0x0f800000) & 0x00400000;                  \
        const nb_bits_##N size = (nb_bits_##N)((nb_float_##N)rest * 0x1p112f);                    \
        return (nb_float_##N)((all & 0x8000) << 16 | (size & ~special) |                          \
                              ((0x7f800000 | (rest & 0x007fffff) | quiet) & special));            \
    }

NB_HALF_VECTORS(1)
NB_HALF_VECTORS(2)
NB_HALF_VECTORS(4)
NB_HALF_VECTORS(8)
NB_HALF_VECTORS(16)

#define nb_f16_expand_1 nb_f16_compute_1
#define nb_f16_expand_2 nb_f16_compute_2
#ifdef __F16C__
static inline nb_float_4 nb_f16_expand_4(const uint16_t *from)
{
    return (nb_float_4)_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

static inline nb_float_8 nb_f16_expand_8(const uint16_t *from)
{
    return (nb_float_8)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from));
}
#else
#define nb_f16_expand_4 nb_f16_compute_4
#define nb_f16_expand_8 nb_f16_compute_8
#endif

#if defined __AVX512F__
static inline nb_float_16 nb_f16_expand_16(const uint16_t *from)
{
    return (nb_float_16)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from));
}
#elif defined __F16C__
static inline nb_float_16 nb_f16_expand_16(const uint16_t *from)
{
    return __builtin_shufflevector(nb_f16_expand_8(from), nb_f16_expand_8(from + 8), 0, 1, 2, 3, 4, 5, 6,
                                   7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#else
#define nb_f16_expand_16 nb_f16_compute_16
#endif

#endif
