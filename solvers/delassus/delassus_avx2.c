/* Filling of J H^-1 J^T for processors with AVX2, FMA and F16C (problems/base/simd.h). */
#ifdef __x86_64__
#pragma GCC target("arch=x86-64-v3")
#define NB_LEVEL nb_delassus_avx2
#include "solvers/delassus/delassus_kernels.h"
#endif
