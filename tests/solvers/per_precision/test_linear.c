/* Every registered linear solver with every preconditioner in this precision: against a dense
 * solution in double, PCR's monotone residual, and what a breakdown leaves. */
#include <lapacke.h>

#include "tests/support/linear_support.h"

static void agrees_with_dense(const char *linear, const char *precond, int direct)
{
    static double dense[N * N], factor[N * N], b[N], x[N];
    chain_matrix(dense);
    memcpy(factor, dense, sizeof factor);
    for (int i = 0; i < N; ++i)
        x[i] = b[i] = (double)(nb_real)uniform();
    for (int i = 0; i < N * N; ++i)
        factor[i] = (double)(nb_real)dense[i];
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', N, 1, factor, N, x, 1), 0);
    const struct outcome out = solve(dense, b, N, linear, precond, 2000, NULL);
    assert_int_equal(out.status, NB_OK);
    double difference[N];
    for (int i = 0; i < N; ++i)
        difference[i] = out.x[i] - x[i];
    assert_true(norm(difference, N) <= 500 * U * norm(x, N)); /* condition number about 20 */
    assert_true(direct ? out.report.ending == NB_LINEAR_CONVERGED : out.report.iterations > 0);
}

TEST(test_every_pair_agrees_with_a_dense_solution)
{
    for_each_pair(agrees_with_dense);
}

/* ||r|| in the norm of P^-1 never rises, down to round-off. */
TEST(test_pcr_is_monotone)
{
    static double dense[N * N], b[N];
    const char *preconds[] = {"none", "jacobi"};
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            dense[i * N + j] *= pow(3, i % 4) * pow(3, j % 4); /* badly scaled */
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    for (int p = 0; p < 2; ++p) {
        struct trace trace = {.dense = dense, .b = b, .n = N, .weighted = p};
        const struct outcome out = solve(dense, b, N, "pcr", preconds[p], 80, &trace);
        assert_int_equal(out.status, NB_OK);
        const double noise = 2000 * U * trace.residual[0];
        for (int k = 1; k < trace.count; ++k)
            assert_true(trace.residual[k] <= trace.residual[k - 1] + noise);
        assert_true(trace.residual[trace.count - 1] < 1e-3 * trace.residual[0]);
    }
}

static void zero_right_side(const char *linear, const char *precond, int direct)
{
    static double dense[N * N], b[N];
    (void)direct;
    chain_matrix(dense);
    const struct outcome out = solve(dense, b, N, linear, precond, 10, NULL);
    assert_int_equal(out.status, NB_OK);
    for (int i = 0; i < N; ++i)
        assert_true(out.x[i] == 0);
    assert_false(out.run.broke_down);
}

TEST(test_zero_right_side_gives_zero)
{
    for_each_pair(zero_right_side);
}

static void nothing_to_solve(const char *linear, const char *precond, int direct)
{
    const double none = 0;
    (void)direct;
    const struct outcome out = solve(&none, &none, 0, linear, precond, 10, NULL);
    assert_int_equal(out.status, NB_OK);
}

TEST(test_empty_system)
{
    for_each_pair(nothing_to_solve);
}

TEST(test_cholesky_names_the_row)
{
    static double dense[N * N], b[N];
    chain_matrix(dense);
    dense[4 * N + 4] = -3;
    const struct outcome out = solve(dense, b, N, "cholesky", "none", 1, NULL);
    assert_int_equal(out.status, NB_BREAKDOWN);
    assert_non_null(strstr(out.error.text, "not positive definite"));
}

/* A = diag(1, -1, ...), b = ones: p^T A p = 0 at once. PCG must stop and say which scalar. */
TEST(test_krylov_breakdown_names_the_scalar)
{
    static double dense[N * N], b[N];
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < N; ++i) {
        dense[i * N + i] = i % 2 ? -1 : 1;
        b[i] = 1;
    }
    struct outcome out = solve(dense, b, N, "pcg", "none", 50, NULL);
    assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
    assert_string_equal(out.report.detail, "p^T A p is not a positive number");
    assert_true(norm(out.x, N) == 0);
    out = solve(dense, b, N, "pcr", "none", 50, NULL);
    assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
    assert_string_equal(out.report.detail, "z^T A z is not a positive number");
}

/* A singular but consistent system, as redundant contacts give: the residual still vanishes. */
TEST(test_krylov_on_a_singular_system)
{
    static double dense[N * N], b[N];
    const char *solvers[] = {"pcr", "pcg"};
    make_singular(dense);
    for (int i = 0; i < N; ++i) {
        b[i] = 0;
        for (int j = 0; j < N; ++j)
            b[i] += dense[i * N + j] * (1 + j % 3);
    }
    for (int s = 0; s < 2; ++s) {
        struct trace trace = {.dense = dense, .b = b, .n = N};
        solve(dense, b, N, solvers[s], "jacobi", 150, &trace);
        assert_true(trace.residual[trace.count - 1] < 4000 * U * trace.residual[0]);
    }
}

/* After PCG breaks down x is the best iterate: no worse than the start. */
TEST(test_pcg_hands_back_the_best_iterate)
{
    static double dense[N * N], b[N];
    chain_matrix(dense);
    dense[30 * N + 30] = -0.5;
    seed = 3;
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    struct trace trace = {.dense = dense, .b = b, .n = N, .weighted = 1};
    const struct outcome out = solve(dense, b, N, "pcg", "none", 500, &trace);
    assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
    double least = trace.residual[0], last = 0;
    for (int k = 0; k < trace.count; ++k)
        least = fmin(least, trace.residual[k]);
    for (int i = 0; i < N; ++i) {
        double r = b[i];
        for (int j = 0; j < N; ++j)
            r -= dense[i * N + j] * out.x[j];
        last += r * r / (dense[i * N + i] > 0 ? dense[i * N + i] : 1);
    }
    assert_true(sqrt(last) <= least * (1 + 1e-4));
}

TEST(test_dense_limit_in_single_precision)
{
    if (sizeof(nb_real) != sizeof(float))
        return;
    struct nb_csr matrix;
    struct nb_options options = nb_options_default();
    void *bench = NULL;
    const int n = 8193; /* a multiple of 3 */
    double *b = calloc((size_t)n, sizeof *b);
    assert_int_equal(nb_csr_allocate(&matrix, n, n, n, NULL), NB_OK);
    for (int i = 0; i < n; ++i) {
        matrix.start[i + 1] = i + 1;
        matrix.column[i] = i;
        matrix.value[i] = 2;
    }
    options.linear = "cholesky";
    options.precond = "none";
    assert_refused(nb_bench_create(&bench, &matrix, b, &options, NB_FULL, &why), NB_UNSUPPORTED, "8192");
    assert_null(bench);
    nb_csr_free(&matrix);
    free(b);
}
