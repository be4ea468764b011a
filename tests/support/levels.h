/* Tests at each level of vector instructions that this processor runs. */
#ifndef NB_TESTS_LEVELS_H
#define NB_TESTS_LEVELS_H

#include "problems/base/simd.h"
#include "tests/support/test.h"

static inline void set_level(int level)
{
    assert_int_equal(setenv("NCPBENCH_SIMD", nb_simd_name((enum nb_simd)level), 1), 0);
}

/* Then the default again. */
static inline void at_every_level(void (*test)(void))
{
    for (int level = 0; level < NB_SIMD_LEVELS; ++level)
        if (nb_simd_runs((enum nb_simd)level)) {
            set_level(level);
            test();
        }
    unsetenv("NCPBENCH_SIMD");
}

#endif
