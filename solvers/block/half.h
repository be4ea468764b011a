/* 16-bit storage of numbers that are computed with in float32: IEEE half (f16: 11 bits, to 65504, subnormal
 * below 6.1e-5) and bfloat16 (bf16: 8 bits, the range of float32). Expanding is exact; narrowing rounds to
 * nearest, ties to even, and overflows to infinity. What is no number keeps its sign and its first digits and
 * becomes quiet, as processors with F16C do it: vectorised paths give the same bits. */
#ifndef NB_HALF_H
#define NB_HALF_H

#include <stdint.h>
#include <string.h>

#include "problems/base/both.h"

/* How a product keeps the entries of its matrix: in nb_matrix, or in 16 bits. */
enum nb_storage { NB_FULL, NB_F16, NB_BF16, NB_STORAGES };

NB_BOTH float nb_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

NB_BOTH uint32_t nb_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

NB_BOTH float nb_bf16_expand(uint16_t stored) { return nb_float_of((uint32_t)stored << 16); }

/* A multiplication puts the exponent's bias right and makes subnormal numbers normal. Infinity and what is
 * no number keep the largest exponent. */
NB_BOTH float nb_f16_expand(uint16_t stored)
{
    const uint32_t sign = (uint32_t)(stored & 0x8000) << 16, rest = (uint32_t)(stored & 0x7fff) << 13;
    const uint32_t quiet = rest > 0x0f800000 ? 0x00400000 : 0;
    const uint32_t bits = nb_bits_of(nb_float_of(rest) * 0x1p112f);
    return nb_float_of(sign | (rest >= 0x0f800000 ? 0x7f800000 | (rest & 0x007fffff) | quiet : bits));
}

/* Drops `count` low bits, ties to even. */
NB_BOTH uint32_t nb_round_off(uint32_t bits, int count)
{
    return (bits + (1u << (count - 1)) - 1 + (bits >> count & 1)) >> count;
}

/* Below the normal numbers, beside a half, the last bit of float32 is that of f16. */
NB_BOTH uint16_t nb_f16_narrow(float value)
{
    const uint32_t bits = nb_bits_of(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    uint32_t rest;
    if (size > 0x7f800000)
        rest = 0x7e00 | (size >> 13 & 0x3ff); /* not a number */
    else if (size >= 0x477ff000)
        rest = 0x7c00; /* rounds to 65536 or more */
    else if (size >= 0x38800000)
        rest = nb_round_off(size - (112u << 23), 13); /* the exponent's bias falls from 127 to 15 */
    else
        rest = nb_bits_of(nb_float_of(size) + 0.5f) - 0x3f000000;
    return (uint16_t)(sign | rest);
}

NB_BOTH uint16_t nb_bf16_narrow(float value)
{
    const uint32_t bits = nb_bits_of(value);
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : nb_round_off(bits, 16));
}

#endif
