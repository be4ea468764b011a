/* Solves in parts: islands apart, and lower precisions with refinement. */
#include <lapacke.h>

#include "tests/support/linear_support.h"

/* The chain cut into islands of 4, 6 and 10 block rows, whose rows alternate so that none is contiguous. */
static void islands_matrix(double *dense)
{
    static double chain[N * N];
    int order[N / 3], at = 0;
    chain_matrix(chain);
    for (int parity = 0; parity < 2; ++parity)
        for (int i = parity; i < N / 3; i += 2)
            order[i] = at++;
    memset(dense, 0, N * N * sizeof *dense);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            const int a = i / 3, b = j / 3;
            const int island = (a >= 4) + (a >= 10), other = (b >= 4) + (b >= 10);
            if (island == other)
                dense[(3 * order[a] + i % 3) * N + 3 * order[b] + j % 3] = chain[i * N + j];
        }
}

static void right_side(double *b)
{
    for (int i = 0; i < N; ++i)
        b[i] = (double)(nb_real)uniform();
}

static double distance(const double *x, const double *y)
{
    double difference[N];
    for (int i = 0; i < N; ++i)
        difference[i] = x[i] - y[i];
    return norm(difference, N) / norm(y, N);
}

TEST(test_islands_agree_with_the_whole)
{
    static double dense[N * N], b[N];
    static const char *const solvers[] = {"pcr", "pcg", "minres", "gauss_seidel", "sor", "cholesky",
                                          "dense_ldlt", "chebyshev"};
    islands_matrix(dense);
    right_side(b);
    const struct outcome exact = solve(dense, b, N, "dense_cholesky", "none", 1, NULL);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; ++s) {
        char choice[64];
        const int uses = nb_find_linear(solvers[s])->preconditioned;
        snprintf(choice, sizeof choice, "%s:islands=yes", solvers[s]);
        const struct outcome out = solve(dense, b, N, choice, uses ? "jacobi" : "none", 1000, NULL);
        assert_int_equal(out.status, NB_OK);
        assert_true(distance(out.x, exact.x) <= 500 * U);
    }
}

/* Sweeps do not mix islands: apart they give the bits of the whole. An island that is solved stops. */
TEST(test_islands_stop_apart)
{
    static double dense[N * N], b[N];
    islands_matrix(dense);
    right_side(b);
    const struct outcome whole = solve(dense, b, N, "gauss_seidel", "none", 7, NULL);
    const struct outcome apart = solve(dense, b, N, "gauss_seidel:islands=yes", "none", 7, NULL);
    assert_memory_equal(whole.x, apart.x, sizeof whole.x);
    for (int i = 0; i < N; ++i) /* only the first island has anything to solve */
        b[i] *= i == 0;
    const struct outcome one = solve(dense, b, N, "pcr:islands=yes:tol=1e-5", "jacobi", 500, NULL);
    const struct outcome all = solve(dense, b, N, "pcr:tol=1e-5", "jacobi", 500, NULL);
    assert_int_equal(one.report.ending, NB_LINEAR_CONVERGED);
    assert_int_equal(one.report.iterations, all.report.iterations);
    assert_true(distance(one.x, all.x) < 1e-4);
}

TEST(test_islands_give_the_same_bits_for_two_threads)
{
    static double dense[N * N], b[N];
    double x[2][N];
    struct nb_options options = nb_options_default();
    islands_matrix(dense);
    right_side(b);
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, N);
    options.linear = "pcr:islands=yes";
    for (int t = 0; t < 2; ++t) {
        struct nb_linear_report report;
        struct nb_run run;
        void *bench = NULL;
        options.threads = t + 1;
        assert_int_equal(nb_bench_create(&bench, &matrix, b, &options, NB_FULL, NULL), NB_OK);
        nb_bench_run(bench, 9, NULL, &report, &run, NULL);
        assert_int_equal(report.iterations, 9);
        nb_bench_solution(bench, x[t]);
        nb_bench_free(bench);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

/* Refinement brings every format to the accuracy of the run, and is observed at every iteration. */
TEST(test_lower_precisions_are_refined)
{
    static double dense[N * N], b[N];
    static const char *const choices[] = {"pcr:in=f32", "pcr:in=f16", "pcr:in=bf16",
                                          "cholesky:in=f32", "dense_cholesky:in=bf16",
                                          "pcr:in=f16:islands=yes"};
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            dense[i * N + j] *= pow(10, i % 5 - 2) * pow(10, j % 5 - 2); /* beyond the range of f16 */
    right_side(b);
    const struct outcome exact = solve(dense, b, N, "dense_cholesky", "none", 1, NULL);
    for (size_t c = 0; c < sizeof choices / sizeof *choices; ++c) {
        struct trace trace = {.dense = dense, .b = b, .n = N};
        const int uses = nb_find_linear(choices[c])->preconditioned;
        const struct outcome out = solve(dense, b, N, choices[c], uses ? "jacobi" : "none", 1500, &trace);
        assert_int_equal(out.status, NB_OK);
        if (distance(out.x, exact.x) > 5000 * U)
            fail_msg("%s: %g", choices[c], distance(out.x, exact.x));
        assert_true(trace.count > 1);
        assert_true(strstr(choices[c], "islands") || trace.count == out.report.iterations + 1);
    }
}

/* Rounded to eight bits, a nearly singular matrix would be indefinite: the solve must not break down. */
TEST(test_rounding_keeps_the_matrix_definite)
{
    static double dense[N * N], b[N];
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            dense[i * N + j] = 1 / (1 + 0.001 * (i > j ? i - j : j - i)) + (i == j ? 1e-4 : 0);
    right_side(b);
    const struct outcome out = solve(dense, b, N, "pcr:in=bf16:tol=1e-2", "jacobi", 2000, NULL);
    assert_int_equal(out.status, NB_OK);
    assert_int_not_equal(out.report.ending, NB_LINEAR_NON_FINITE);
    const struct outcome factor = solve(dense, b, N, "cholesky:in=bf16", "none", 1, NULL);
    assert_int_equal(factor.status, NB_OK);
}

TEST(test_refused)
{
    static double dense[N * N], b[N];
    chain_matrix(dense);
    assert_int_equal(solve(dense, b, N, "pcr:in=f8", "jacobi", 1, NULL).status, NB_BAD_INPUT);
    assert_int_equal(solve(dense, b, N, "pcr:islands=maybe", "jacobi", 1, NULL).status, NB_BAD_INPUT);
    dense[4 * N + 4] = -3;
    assert_int_equal(solve(dense, b, N, "pcr:in=f32", "jacobi", 1, NULL).status, NB_BREAKDOWN);
    assert_int_equal(solve(dense, b, N, "cholesky:islands=yes", "none", 1, NULL).status, NB_BREAKDOWN);
    dense[4 * N + 4] = NAN;
    assert_int_equal(solve(dense, b, N, "pcr:in=f16", "jacobi", 1, NULL).status, NB_BREAKDOWN);
}
