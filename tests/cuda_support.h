/* The rows cuda_* of linear solvers for their tests, and whether anything can run them. Include after cmocka.h. */
#ifndef NB_TEST_CUDA_SUPPORT_H
#define NB_TEST_CUDA_SUPPORT_H

#include <stdio.h>

#include "tests/linear_support.h"

static const char *const ways[] = {"cuda_pcr_library", "cuda_pcr_graph", "cuda_pcr_persistent",
                                   "cuda_pcg_graph",   "cuda_pcg_persistent",
                                   "cuda_jacobi",      "cuda_gauss_seidel"};
enum { WAYS = sizeof ways / sizeof *ways, PCR_WAYS = 3, KRYLOV_WAYS = 5 };

static inline struct outcome smallest(const char *linear)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 1, 1};
    return solve(one, b, 3, linear, "none", 1, NULL);
}

static inline void skip_without_cuda(void)
{
    if (!nb_registry_find("linear", ways[0])) {
        print_message("skipped: built without CUDA\n");
        skip();
    }
}

static inline void skip_without_device(void)
{
    skip_without_cuda();
    const struct outcome out = smallest(ways[1]);
    if (out.status == NB_UNSUPPORTED) {
        print_message("skipped: %s\n", out.error.text);
        skip();
    }
    assert_int_equal(out.status, NB_OK);
}

static inline double distance(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

#endif
