/* Filling of J H^-1 J^T for any processor (problems/base/simd.h). */
#ifdef __x86_64__
#pragma GCC target("arch=x86-64")
#endif
#define NB_LEVEL nb_delassus_portable
#include "solvers/delassus/delassus_kernels.h"
