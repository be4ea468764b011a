/* Filling of J H^-1 J^T for processors with AVX-512 (problems/base/simd.h). */
#ifdef __x86_64__
#pragma GCC target("arch=x86-64-v4")
#define NB_LEVEL nb_delassus_avx512
#include "solvers/delassus/delassus_kernels.h"
#endif
