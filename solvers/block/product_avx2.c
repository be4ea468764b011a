/* Products for processors with AVX2, FMA and F16C (problems/base/simd.h). */
#ifdef __x86_64__
#pragma GCC target("arch=x86-64-v3")
#define NB_LEVEL nb_product_avx2
#include "solvers/block/product_kernels.h"
#endif
