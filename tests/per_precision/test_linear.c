/* Every registered linear solver with every preconditioner in this precision: against a dense
 * solution in double, PCR's monotone residual, and the ways in which a solve can end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "tests/linear_support.h"

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

static void test_every_pair_agrees_with_a_dense_solution(void **state)
{
    (void)state;
    for_each_pair(agrees_with_dense);
}

/* ||r|| in the norm of P^-1 never rises, down to round-off. */
static void test_pcr_is_monotone(void **state)
{
    static double dense[N * N], b[N];
    const char *preconds[] = {"none", "jacobi"};
    (void)state;
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

static void test_zero_right_side_gives_zero(void **state)
{
    (void)state;
    for_each_pair(zero_right_side);
}

static void nothing_to_solve(const char *linear, const char *precond, int direct)
{
    const double none = 0;
    (void)direct;
    const struct outcome out = solve(&none, &none, 0, linear, precond, 10, NULL);
    assert_int_equal(out.status, NB_OK);
}

static void test_empty_system(void **state)
{
    (void)state;
    for_each_pair(nothing_to_solve);
}

/* Neither a crash nor a silent number: an error with a reason, or a report that says so. */
static void bad_matrix(const char *linear, const char *precond, double diagonal)
{
    static double dense[N * N], b[N];
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    dense[4 * N + 4] = diagonal;
    const struct outcome out = solve(dense, b, N, linear, precond, 300, NULL);
    if (out.status) {
        assert_int_equal(out.status, NB_BREAKDOWN);
        assert_true(strlen(out.error.text) > 10);
    } else if (out.report.ending == NB_LINEAR_BREAKDOWN || out.report.ending == NB_LINEAR_NON_FINITE) {
        assert_true(strlen(out.report.detail) > 0);
    }
    if (!out.status && out.report.ending != NB_LINEAR_NON_FINITE)
        for (int i = 0; i < N; ++i)
            assert_true(isfinite(out.x[i]));
}

static void not_a_number(const char *linear, const char *precond, int direct)
{
    (void)direct;
    bad_matrix(linear, precond, NAN);
}
static void indefinite(const char *linear, const char *precond, int direct)
{
    (void)direct;
    bad_matrix(linear, precond, -3);
}
static void zero_diagonal(const char *linear, const char *precond, int direct)
{
    (void)direct;
    bad_matrix(linear, precond, 0);
}

static void test_broken_matrices(void **state)
{
    (void)state;
    for_each_pair(not_a_number);
    for_each_pair(indefinite);
    for_each_pair(zero_diagonal);
}

static void test_cholesky_names_the_row(void **state)
{
    static double dense[N * N], b[N];
    (void)state;
    chain_matrix(dense);
    dense[4 * N + 4] = -3;
    const struct outcome out = solve(dense, b, N, "cholesky", "none", 1, NULL);
    assert_int_equal(out.status, NB_BREAKDOWN);
    assert_non_null(strstr(out.error.text, "not positive definite"));
}

/* A = diag(1, -1, ...), b = ones: p^T A p = 0 at once. PCG must stop and say which scalar. */
static void test_krylov_breakdown_names_the_scalar(void **state)
{
    static double dense[N * N], b[N];
    (void)state;
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < N; ++i) {
        dense[i * N + i] = i % 2 ? -1 : 1;
        b[i] = 1;
    }
    struct outcome out = solve(dense, b, N, "pcg", "none", 50, NULL);
    assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
    assert_string_equal(out.report.detail, "p^T A p");
    assert_true(norm(out.x, N) == 0);
    out = solve(dense, b, N, "pcr", "none", 50, NULL);
    assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
    assert_string_equal(out.report.detail, "z^T A z");
}

/* Row and column 59 repeat 58, as a redundant contact's do. */
static void make_singular(double *dense)
{
    chain_matrix(dense);
    for (int j = 0; j < N; ++j)
        dense[59 * N + j] = dense[58 * N + j];
    for (int i = 0; i < N; ++i)
        dense[i * N + 59] = dense[i * N + 58];
}

/* A number in every entry of x, or an ending or a status that says that there is none. Where the matrix is
 * what the method asks for, it also has to be a solution where it is called one: the residuals that methods
 * update stray from the true ones where it is not, and the harness judges for itself. */
static void ends_honestly(const double *dense, const double *b, const char *linear, const char *precond,
                          int semidefinite)
{
    const struct outcome out = solve(dense, b, N, linear, precond, 300, NULL);
    if (out.status) {
        assert_int_equal(out.status, NB_BREAKDOWN);
        assert_true(strlen(out.error.text) > 10);
        return;
    }
    double sum = 0, size = 0; /* what r is summed from: along a null vector x may be large */
    for (int i = 0; i < N; ++i) {
        double r = b[i], terms = fabs(b[i]);
        for (int j = 0; j < N; ++j) {
            r -= dense[i * N + j] * out.x[j];
            terms += fabs(dense[i * N + j] * out.x[j]);
        }
        sum += r * r;
        size += terms * terms;
    }
    const int said = out.report.ending == NB_LINEAR_BREAKDOWN || out.report.ending == NB_LINEAR_NON_FINITE ||
                     out.report.ending == NB_LINEAR_STAGNATED ||
                     out.report.ending == NB_LINEAR_ITERATION_LIMIT;
    if (semidefinite && !said && !(sqrt(sum) <= 1e4 * U * sqrt(size)))
        fail_msg("%s+%s converged to a residual of %g", linear, precond, sqrt(sum / size));
    if (out.report.ending != NB_LINEAR_NON_FINITE)
        assert_true(isfinite(sum));
}

static void singular(const char *linear, const char *precond, int direct)
{
    static double dense[N * N], consistent[N], contradictory[N];
    make_singular(dense);
    seed = 5;
    for (int i = 0; i < N; ++i) {
        contradictory[i] = uniform();
        consistent[i] = 0;
        for (int j = 0; j < N; ++j)
            consistent[i] += dense[i * N + j] * (1 + j % 3);
    }
    ends_honestly(dense, consistent, linear, precond, 1);
    (void)direct;
    ends_honestly(dense, contradictory, linear, precond, 0);
}

static void all_zero(const char *linear, const char *precond, int direct)
{
    static double dense[N * N], b[N];
    (void)direct;
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < N; ++i)
        b[i] = 1;
    ends_honestly(dense, b, linear, precond, 0);
}

static void wholly_indefinite(const char *linear, const char *precond, int direct)
{
    static double dense[N * N], b[N];
    (void)direct;
    chain_matrix(dense);
    for (int i = 0; i < N; ++i) {
        dense[i * N + i] *= i % 2 ? -1 : 1;
        b[i] = uniform();
    }
    ends_honestly(dense, b, linear, precond, 0);
}

static void test_every_pair_ends_honestly(void **state)
{
    (void)state;
    for_each_pair(singular);
    for_each_pair(all_zero);
    for_each_pair(wholly_indefinite);
}

/* A singular but consistent system, as redundant contacts give: the residual still vanishes. */
static void test_krylov_on_a_singular_system(void **state)
{
    static double dense[N * N], b[N];
    const char *solvers[] = {"pcr", "pcg"};
    (void)state;
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
static void test_pcg_hands_back_the_best_iterate(void **state)
{
    static double dense[N * N], b[N];
    (void)state;
    chain_matrix(dense);
    dense[30 * N + 30] = -0.5;
    seed = 3;
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    struct trace trace = {.dense = dense, .b = b, .n = N};
    const struct outcome out = solve(dense, b, N, "pcg", "none", 500, &trace);
    assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
    double least = trace.residual[0], last = 0;
    for (int k = 0; k < trace.count; ++k)
        least = fmin(least, trace.residual[k]);
    for (int i = 0; i < N; ++i) {
        double r = b[i];
        for (int j = 0; j < N; ++j)
            r -= dense[i * N + j] * out.x[j];
        last += r * r;
    }
    assert_true(sqrt(last) <= least * (1 + 1e-4));
}

static void test_dense_limit_in_single_precision(void **state)
{
    (void)state;
    if (sizeof(nb_real) != sizeof(float))
        return;
    struct nb_csr matrix;
    struct nb_options options = nb_options_default();
    struct nb_error error;
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
    assert_int_equal(NB(nb_bench_create)(&bench, &matrix, b, &options, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "8192"));
    assert_null(bench);
    nb_csr_free(&matrix);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair_agrees_with_a_dense_solution),
        cmocka_unit_test(test_pcr_is_monotone),
        cmocka_unit_test(test_zero_right_side_gives_zero),
        cmocka_unit_test(test_empty_system),
        cmocka_unit_test(test_broken_matrices),
        cmocka_unit_test(test_every_pair_ends_honestly),
        cmocka_unit_test(test_cholesky_names_the_row),
        cmocka_unit_test(test_krylov_breakdown_names_the_scalar),
        cmocka_unit_test(test_krylov_on_a_singular_system),
        cmocka_unit_test(test_pcg_hands_back_the_best_iterate),
        cmocka_unit_test(test_dense_limit_in_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
