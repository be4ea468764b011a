/* The arithmetic that a library may have changed is put back, and told. */
#include <fenv.h>
#include <float.h>

#include "tests/support/test.h"

#include "solvers/arithmetic.h"

static double half_of_the_least(void)
{
    volatile double least = DBL_MIN, half = 0.5;
    return least * half;
}

TEST(nothing_is_said_of_plain_arithmetic)
{
    volatile double one = 1, three = 3;
    assert_true(one / three < 1); /* inexact: an exception that was met changes nothing */
    assert_null(nb_arithmetic_restore());
}

TEST(a_mode_of_rounding_is_put_back)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(fesetround(modes[i]), 0);
        assert_non_null(strstr(nb_arithmetic_restore(), "nearest"));
        assert_int_equal(fegetround(), FE_TONEAREST);
        assert_null(nb_arithmetic_restore());
    }
}

#ifdef __SSE2__
#include <xmmintrin.h>

TEST(denormal_numbers_come_back)
{
    static const unsigned bits[] = {0x8000, 0x0040, 0x8040}; /* flush to zero, denormals are zero, both */
    for (int i = 0; i < 3; ++i) {
        _mm_setcsr(_mm_getcsr() | bits[i]);
        assert_true(half_of_the_least() + half_of_the_least() == 0);
        assert_non_null(strstr(nb_arithmetic_restore(), "denormal"));
        assert_true(half_of_the_least() > 0);
        assert_null(nb_arithmetic_restore());
    }
}

TEST(rounding_of_vectors_alone_comes_back)
{
    _mm_setcsr(_mm_getcsr() | 0x4000); /* upward, of which fegetround, which asks the other unit, knows nothing */
    assert_non_null(strstr(nb_arithmetic_restore(), "nearest"));
    assert_null(nb_arithmetic_restore());
}

static void set_long_control(unsigned clear, unsigned set)
{
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    word = (unsigned short)((word & ~clear) | set);
    __asm__ volatile("fldcw %0" : : "m"(word));
}

TEST(long_double_comes_back)
{
    volatile long double one = 1, three = 3;
    const long double whole = one / three;
    set_long_control(0x300, 0); /* 24 bits */
    assert_true(one / three != whole);
    assert_non_null(strstr(nb_arithmetic_restore(), "long double"));
    assert_true(one / three == whole);
    set_long_control(0, 0x800); /* upward */
    assert_non_null(strstr(nb_arithmetic_restore(), "nearest"));
    assert_true(one / three == whole);
    set_long_control(0x04, 0); /* a division by zero would end the program */
    assert_non_null(strstr(nb_arithmetic_restore(), "exceptions"));
    assert_null(nb_arithmetic_restore());
}
#endif
