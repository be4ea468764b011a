/* 16-bit storage: every number of both formats against the definition; narrowing against the neighbours. */
#include "tests/support/test.h"

#include "solvers/block/half.h"

/* Sign, exponent and fraction, as IEEE 754 and bfloat16 define them. */
static double defined(enum nb_storage format, uint16_t half)
{
    const int fraction = format == NB_F16 ? 10 : 7, bias = format == NB_F16 ? 15 : 127;
    const int exponent = (half & 0x7fff) >> fraction, bits = half & ((1 << fraction) - 1);
    const double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 2 * bias + 1)
        return bits ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp((1 << fraction) + bits, exponent - bias - fraction)
                            : ldexp(bits, 1 - bias - fraction));
}

TEST(test_every_number_expands_as_defined)
{
    for (int i = 0; i <= 0xffff; ++i)
        for (int format = NB_F16; format <= NB_BF16; ++format) {
            const uint16_t half = (uint16_t)i;
            const float value = format == NB_F16 ? nb_f16_expand(half) : nb_bf16_expand(half);
            const float wanted = (float)defined((enum nb_storage)format, half);
            if (isnan(wanted) ? !isnan(value) : memcmp(&wanted, &value, sizeof value))
                fail_msg("%04x is %g, not %g", i, (double)value, (double)wanted);
        }
}

static uint16_t narrow(enum nb_storage format, float value)
{
    return format == NB_F16 ? nb_f16_narrow(value) : nb_bf16_narrow(value);
}

/* The nearer neighbour; of two as near, the even one. */
static void check_narrow(enum nb_storage format, float value)
{
    const uint16_t half = narrow(format, value);
    const double found = defined(format, half), top = format == NB_F16 ? 65520 : 0x1.ffp127;
    if (isnan(value)) {
        assert_true(isnan(found));
        return;
    }
    assert_int_equal(half >> 15, signbit(value) != 0);
    if (fabs((double)value) >= top) {
        assert_true(isinf(found));
        return;
    }
    const double distance = fabs(found - (double)value);
    for (int side = -1; side <= 1; side += 2) {
        const uint16_t other = (uint16_t)(half + side);
        if ((other ^ half) & 0x8000 || !isfinite(defined(format, other)))
            continue;
        const double rival = fabs(defined(format, other) - (double)value);
        assert_true(distance < rival || (distance == rival && half % 2 == 0));
    }
}

TEST(test_narrowing_rounds_to_nearest_even)
{
    for (int format = NB_F16; format <= NB_BF16; ++format) {
        const enum nb_storage f = (enum nb_storage)format;
        for (uint64_t bits = 0; bits < 0x100000000; bits += 65521) {
            const uint32_t word = (uint32_t)bits;
            float value;
            memcpy(&value, &word, sizeof value);
            check_narrow(f, value);
        }
        for (int i = 0; i < 0x7fff; ++i) { /* themselves, and half way to the next */
            const double here = defined(f, (uint16_t)i), next = defined(f, (uint16_t)(i + 1));
            if (!isfinite(here))
                continue;
            assert_int_equal(narrow(f, (float)here), i);
            if (isfinite(next))
                check_narrow(f, (float)((here + next) / 2));
        }
    }
}
