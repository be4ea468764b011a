/* 16-bit storage of numbers that are computed with in float32: IEEE half (f16: 11 bits, to 65504, subnormal
 * below 6.1e-5) and bfloat16 (bf16: 8 bits, the range of float32). Expanding is exact; narrowing rounds to
 * nearest, ties to even, and overflows to infinity. */
#ifndef NB_HALF_H
#define NB_HALF_H

#include <stdint.h>
#include <string.h>

enum nb_half_format { NB_F16, NB_BF16 };

uint16_t nb_half_narrow(enum nb_half_format format, float value);

/* Whether this processor converts f16 itself, whatever the program was compiled for. */
int nb_has_f16c(void);

static inline float nb_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float nb_bf16_expand(uint16_t half) { return nb_float_of((uint32_t)half << 16); }

/* A multiplication puts the exponent's bias right and makes subnormal numbers normal. Infinity and what is
 * no number keep the largest exponent. */
static inline float nb_f16_expand(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = (uint32_t)(half & 0x7fff) << 13;
    const float size = nb_float_of(rest) * 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return nb_float_of(sign | (rest >= 0x0f800000 ? 0x7f800000 | (rest & 0x007fffff) : bits));
}

#endif
