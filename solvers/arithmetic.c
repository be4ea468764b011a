/* On x86 one register says all: MXCSR with its six exceptions masked, rounding to nearest (bits 13 and 14), flush to
 * zero (15) and denormals are zero (6) off, whatever exceptions were met (0 to 5). Elsewhere the mode of rounding is
 * asked for and a denormal number is tried. C's default environment puts all of it back. */
#include "solvers/arithmetic.h"

#include <fenv.h>
#include <float.h>
#include <stddef.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Loads and products that no compiler does in advance. */
static int keeps_denormals(void)
{
    volatile double least = DBL_MIN, half = 0.5;
    volatile double denormal = least * half;
    return denormal != 0 && denormal + denormal == least;
}

static int is_plain(void)
{
#ifdef __SSE2__
    enum { MET = 0x3f, BEGINNING = 0x1f80 };
    return (_mm_getcsr() & ~(unsigned)MET) == BEGINNING;
#else
    return fegetround() == FE_TONEAREST && keeps_denormals();
#endif
}

const char *nb_arithmetic_restore(void)
{
    if (is_plain())
        return NULL;
    const char *changed = fegetround() != FE_TONEAREST ? "numbers were not rounded to nearest"
                          : !keeps_denormals()         ? "denormal numbers were 0, as with -ffast-math"
                                                       : "floating-point exceptions ended the program";
    fesetenv(FE_DFL_ENV);
    return changed;
}
