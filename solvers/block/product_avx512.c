/* Products for processors with AVX-512 (problems/base/simd.h). */
#ifdef __x86_64__
#pragma GCC target("arch=x86-64-v4")
#define NB_LEVEL nb_product_avx512
#include "solvers/block/product_kernels.h"
#endif
