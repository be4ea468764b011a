/* The rows cuda_* of linear solvers for their tests, and whether anything can run them. Include after cmocka.h. */
#ifndef NB_TEST_CUDA_SUPPORT_H
#define NB_TEST_CUDA_SUPPORT_H

#include <stdio.h>

#include "tests/linear_support.h"

static const char *const ways[] = {"cuda_pcr_library", "cuda_pcr_graph", "cuda_pcr_persistent",
                                   "cuda_pcg_library", "cuda_pcg_graph", "cuda_pcg_persistent",
                                   "cuda_jacobi",      "cuda_gauss_seidel"};
enum { WAYS = sizeof ways / sizeof *ways, PCR_WAYS = 3, KRYLOV_WAYS = 6 };

static inline struct outcome smallest(const char *linear)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 1, 1};
    return solve(one, b, 3, linear, "none", 1, NULL);
}

/* The reason is said once a program. */
static inline void skip_for(const char *reason)
{
    static int said;
    if (!said++)
        print_message("skipped: %s\n", reason);
    skip();
}

static inline void skip_without_cuda(void)
{
    if (!nb_registry_find("linear", ways[0]))
        skip_for("built without CUDA");
}

static inline void skip_without_device(void)
{
    skip_without_cuda();
    const struct outcome out = smallest(ways[1]);
    if (out.status == NB_UNSUPPORTED)
        skip_for(out.error.text);
    assert_int_equal(out.status, NB_OK);
}

/* Tests of one function, each of a row of its own, so that one that fails on a card hides no other. */
enum { TESTS_MOST = 64 };
struct tests {
    struct CMUnitTest test[TESTS_MOST];
    char name[TESTS_MOST][128];
    int count;
};

static inline void add_test(struct tests *tests, const char *what, const char *row, CMUnitTestFunction function,
                            const void *state)
{
    assert_true(tests->count < TESTS_MOST);
    char *name = tests->name[tests->count];
    snprintf(name, sizeof tests->name[0], "%s%s%s", what, *row ? ": " : "", row);
    tests->test[tests->count++] =
        (struct CMUnitTest){.name = name, .test_func = function, .initial_state = (void *)state};
}

static inline int run_listed(const struct tests *tests)
{
    return _cmocka_run_group_tests("tests", tests->test, (size_t)tests->count, NULL, NULL);
}

static inline double distance(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

#endif
