#include "problems/base/simd.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[NB_SIMD_LEVELS] = {"portable", "avx2", "avx512"};

const char *nb_simd_name(enum nb_simd level)
{
    return names[level];
}

int nb_simd_runs(enum nb_simd level)
{
#ifdef __x86_64__
    if (level == NB_SIMD_AVX2)
        return __builtin_cpu_supports("x86-64-v3") != 0;
    if (level == NB_SIMD_AVX512)
        return __builtin_cpu_supports("x86-64-v4") != 0;
#endif
    return level == NB_SIMD_PORTABLE;
}

enum nb_status nb_simd_choose(enum nb_simd *level, struct nb_error *error)
{
    const char *wanted = getenv("NCPBENCH_SIMD");
    for (int at = NB_SIMD_LEVELS - 1; at >= 0; --at) {
        *level = (enum nb_simd)at;
        if (nb_simd_runs(*level) && (!wanted || !*wanted || !strcmp(wanted, names[at])))
            return NB_OK;
    }
    return nb_fail(error, NB_BAD_INPUT,
                   "NCPBENCH_SIMD: '%.40s' is none of portable, avx2 and avx512 that this processor runs",
                   wanted);
}
