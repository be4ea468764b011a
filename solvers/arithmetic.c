/* On x86 two registers say all: MXCSR with its six exceptions masked, rounding to nearest (bits 13 and 14), flush to
 * zero (15) and denormals are zero (6) off, whatever exceptions were met (0 to 5); and the control word of the x87
 * unit, which has long double, with its exceptions masked, all digits (8 and 9) and rounding to nearest (10 and 11).
 * Elsewhere the mode of rounding is asked for and a denormal number is tried. C's default environment puts all of it
 * back. */
#include "solvers/arithmetic.h"

#include <fenv.h>
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Loads and products that no compiler does in advance. */
static bool keeps_denormals(void)
{
    volatile double least = DBL_MIN, half = 0.5;
    volatile double denormal = least * half;
    return denormal != 0 && denormal + denormal == least;
}

#ifdef __SSE2__
enum { MET = 0x3f, BEGINNING = 0x1f80, ROUNDING = 0x6000 };
enum { LONG_ALL = 0xf3f, LONG_BEGINNING = 0x33f, LONG_DIGITS = 0x300, LONG_ROUNDING = 0xc00 };

static unsigned long_control(void)
{
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static bool is_plain(void)
{
    return (_mm_getcsr() & ~(unsigned)MET) == BEGINNING && (long_control() & LONG_ALL) == LONG_BEGINNING;
}

static bool rounds_to_nearest(void) { return !(_mm_getcsr() & ROUNDING) && !(long_control() & LONG_ROUNDING); }

static bool has_all_digits(void) { return (long_control() & LONG_DIGITS) == LONG_DIGITS; }
#else
static bool rounds_to_nearest(void) { return fegetround() == FE_TONEAREST; }

static bool has_all_digits(void) { return true; }

static bool is_plain(void) { return rounds_to_nearest() && keeps_denormals(); }
#endif

const char *nb_arithmetic_restore(void)
{
    if (is_plain())
        return NULL;
    const char *changed = !rounds_to_nearest() ? "numbers were not rounded to nearest"
                          : !keeps_denormals() ? "denormal numbers were 0, as with -ffast-math"
                          : !has_all_digits()  ? "numbers of long double had fewer digits"
                                               : "floating-point exceptions ended the program";
    fesetenv(FE_DFL_ENV);
    return changed;
}
