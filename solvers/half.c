#include "solvers/half.h"

#include <math.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Drops `count` low bits, ties to even. */
static uint32_t round_off(uint32_t bits, int count)
{
    const uint32_t last = bits >> count & 1;
    return (bits + (1u << (count - 1)) - 1 + last) >> count;
}

static uint16_t narrow_f16(float value)
{
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (uint16_t)(sign | 0x7e00); /* not a number */
    if (size >= 0x477ff000)
        return (uint16_t)(sign | 0x7c00); /* rounds to 65536 or more */
    if (size >= 0x38800000) /* normal: the exponent's bias falls from 127 to 15 */
        return (uint16_t)(sign | round_off(size - (112u << 23), 13));
    return (uint16_t)(sign | (uint32_t)nearbyintf(nb_float_of(size) * 0x1p24f));
}

static uint16_t narrow_bf16(float value)
{
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)round_off(bits, 16);
}

uint16_t nb_half_narrow(enum nb_half_format format, float value)
{
    return format == NB_F16 ? narrow_f16(value) : narrow_bf16(value);
}

int nb_has_f16c(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
#else
    return 0;
#endif
}
