/* How solves by the CUDA solvers end: at the solution, at a tolerance, on input that is broken, and without a
 * device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/cuda_support.h"

/* The device's sums are in the precision of its vectors. */
static void test_says_why_it_cannot_run(void **state)
{
    const char *reason = sizeof(nb_real) == sizeof(nb_sum) ? "no CUDA device" : "work in f64 and f32";
    (void)state;
    skip_without_cuda();
    if (smallest(cuda_rows[0]).status == NB_OK) {
        print_message("skipped: there is a device\n");
        skip();
    }
    for (int k = 0; k < ROWS; ++k) {
        const struct outcome out = smallest(cuda_rows[k]);
        assert_int_equal(out.status, NB_UNSUPPORTED);
        assert_non_null(strstr(out.error.text, reason));
    }
}

/* A chain with any right side, and its answer by the CPU. */
static struct outcome solve_chain(double *dense, double *b)
{
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    return solve(dense, b, N, "cholesky", "none", 1, NULL);
}

static void test_agrees_with_cholesky_and_stops_at_a_tolerance(void **state)
{
    static double dense[N * N], b[N];
    const char *row = *state;
    skip_without_device();
    const struct outcome exact = solve_chain(dense, b);
    const struct outcome out = solve(dense, b, N, row, "none", 2000, NULL);
    assert_int_equal(out.status, NB_OK);
    assert_true(distance(out.x, exact.x, N) <= 500 * U * norm(exact.x, N));
    char stopping[64];
    snprintf(stopping, sizeof stopping, "%s:tol=1e-3", row);
    const struct outcome early = solve(dense, b, N, stopping, "none", 2000, NULL);
    assert_int_equal(early.report.ending, NB_LINEAR_CONVERGED);
    if (!strstr(row, "pcr"))
        return;
    const struct outcome cpu = solve(dense, b, N, "pcr:tol=1e-3", "jacobi", 2000, NULL);
    assert_true(abs(early.report.iterations - cpu.report.iterations) <= 1);
}

/* The matrix in 16 bits, as the CPU rounds it: refined in the run's precision, the answer is exact. */
static const char *const narrow[] = {"cuda_pcr:in=f16:storage=f16", "cuda_pcg:in=bf16:storage=bf16"};

static void test_sixteen_bits_refined(void **state)
{
    static double dense[N * N], b[N];
    skip_without_device();
    const struct outcome exact = solve_chain(dense, b);
    const struct outcome out = solve(dense, b, N, *state, "none", 2000, NULL);
    assert_int_equal(out.status, NB_OK);
    assert_true(distance(out.x, exact.x, N) <= 500 * U * norm(exact.x, N));
}

/* Redundant contacts: consistent, singular. The residual still vanishes. */
static void test_a_singular_system(void **state)
{
    static double dense[N * N], b[N];
    skip_without_device();
    make_singular(dense);
    memset(b, 0, sizeof b);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            b[i] += dense[i * N + j] * (1 + j % 3);
    struct trace trace = {.dense = dense, .b = b, .n = N};
    solve(dense, b, N, *state, "none", 150, &trace);
    assert_true(trace.residual[trace.count - 1] < 4000 * U * trace.residual[0]);
}

static void test_broken_input_is_named(void **state)
{
    static double dense[N * N], b[N];
    const char *row = *state;
    skip_without_device();
    chain_matrix(dense);
    memset(b, 0, sizeof b);
    struct outcome out = solve(dense, b, N, row, "none", 10, NULL);
    assert_int_equal(out.report.ending, NB_LINEAR_CONVERGED);
    assert_true(norm(out.x, N) == 0);
    for (int i = 0; i < N; ++i)
        b[i] = 1;
    b[7] = NAN;
    out = solve(dense, b, N, row, "none", 10, NULL);
    assert_int_equal(out.report.ending, NB_LINEAR_NON_FINITE);
    assert_string_equal(out.report.detail, "residual");
    b[7] = 1;
    dense[4 * N + 4] = -3;
    out = solve(dense, b, N, row, "none", 10, NULL);
    assert_int_equal(out.status, NB_BREAKDOWN);
}

/* Positive diagonal, indefinite: every pair of unknowns is [1 2; 2 1], and b is its -1 mode. */
static void test_an_indefinite_matrix_is_named(void **state)
{
    static double dense[N * N], b[N];
    const char *row = *state;
    skip_without_device();
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < N; ++i) {
        dense[i * N + i] = 1;
        dense[i * N + (i ^ 1)] = 2;
        b[i] = i % 2 ? -1 : 1;
    }
    struct outcome out = solve(dense, b, N, row, "none", 10, NULL);
    assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
    assert_string_equal(out.report.detail, strstr(row, "pcr") ? "z^T A z is not a positive number"
                                                               : "p^T A p is not a positive number");
    assert_true(norm(out.x, N) == 0);
    out = solve(dense, b, 0, row, "none", 10, NULL);
    assert_int_equal(out.status, NB_OK);
}

int main(void)
{
    static struct tests tests;
    add_test(&tests, "says why it cannot run", "", test_says_why_it_cannot_run, NULL);
    for (int k = 0; k < ROWS; ++k) {
        add_test(&tests, "agrees with Cholesky and stops at a tolerance", cuda_rows[k],
                 test_agrees_with_cholesky_and_stops_at_a_tolerance, cuda_rows[k]);
        add_test(&tests, "broken input is named", cuda_rows[k], test_broken_input_is_named, cuda_rows[k]);
    }
    for (int k = 0; k < KRYLOV_ROWS; ++k)
        add_test(&tests, "an indefinite matrix is named", cuda_rows[k], test_an_indefinite_matrix_is_named,
                 cuda_rows[k]);
    for (int k = 0; k < PCR_ROWS; ++k)
        add_test(&tests, "a singular system", cuda_rows[k], test_a_singular_system, cuda_rows[k]);
    for (int k = 0; k < 2; ++k)
        add_test(&tests, "16 bits, refined", narrow[k], test_sixteen_bits_refined, narrow[k]);
    return run_listed(&tests);
}
