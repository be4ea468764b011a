/* |a - b| <= tolerance in double: cmocka's assert_float_equal compares floats. */
#ifndef NB_TESTS_NEAR_H
#define NB_TESTS_NEAR_H

#include "tests/support/test.h"

static inline void assert_near_at(double a, double b, double tolerance, const char *file, int line)
{
    if (fabs(a - b) <= tolerance)
        return;
    print_error("%.17g and %.17g differ by %.3g, allowed %.3g\n", a, b, fabs(a - b), tolerance);
    _fail(file, line);
}

#define assert_near(a, b, tolerance) assert_near_at(a, b, tolerance, __FILE__, __LINE__)

#endif
