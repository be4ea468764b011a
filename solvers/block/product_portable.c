/* Products for any processor (problems/base/simd.h). */
#ifdef __x86_64__
#pragma GCC target("arch=x86-64")
#endif
#define NB_LEVEL nb_product_portable
#include "solvers/block/product_kernels.h"
