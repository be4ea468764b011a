/* Vector instructions, chosen when the program runs: the kernels of products and of filling the Schur
 * complement are compiled for each level below, whatever ARCH the rest of the program is compiled for.
 *
 * The environment variable NCPBENCH_SIMD names a level instead of the best one that the processor has.
 * avx2 and avx512 give the same bits; portable has no fused multiply-add and gives its own. */
#ifndef NB_SIMD_H
#define NB_SIMD_H

#include "problems/base/status.h"

enum nb_simd {
    NB_SIMD_PORTABLE, /* what every processor of the architecture has: SSE2 on x86-64 */
    NB_SIMD_AVX2,     /* x86-64-v3: AVX2, FMA, F16C                                   */
    NB_SIMD_AVX512,   /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL                         */
    NB_SIMD_LEVELS
};

const char *nb_simd_name(enum nb_simd level);
/* Whether this processor and the operating system run it. */
int nb_simd_runs(enum nb_simd level);
/* NCPBENCH_SIMD, or the best; NB_BAD_INPUT where it names none or one that does not run here. */
enum nb_status nb_simd_choose(enum nb_simd *level, struct nb_error *error);

/* The address of NAME_portable, NAME_avx2 or NAME_avx512, which a file compiled for each level defines. */
#ifdef __x86_64__
#define NB_OF_LEVEL(name, level)                                                                  \
    ((level) == NB_SIMD_AVX512 ? &NB(name##_avx512)                                               \
     : (level) == NB_SIMD_AVX2 ? &NB(name##_avx2)                                                 \
                               : &NB(name##_portable))
#else
#define NB_OF_LEVEL(name, level) ((void)(level), &NB(name##_portable))
#endif

#endif
