/* Reference solutions of linear systems: Hilbert matrices, whose solutions are known integers, beyond
 * where double alone has a digit; systems that have no reference must say so; and the floors around x*. */
#include <lapacke.h>

#include "harness/floor/floor_linear.h"
#include "tests/support/numbers.h"

enum { MOST = 40 };

static struct nb_csr to_csr(const double *dense, int n)
{
    struct nb_csr matrix;
    assert_int_equal(nb_csr_allocate(&matrix, n, n, n * n, NULL), NB_OK);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            matrix.column[i * n + j] = j;
        matrix.start[i + 1] = (i + 1) * n;
    }
    memcpy(matrix.value, dense, (size_t)(n * n) * sizeof *dense);
    return matrix;
}

static double greatest_divisor(double a, double b)
{
    return b == 0 ? a : greatest_divisor(b, fmod(a, b));
}

/* H_ij = L/(i + j - 1), L the least common multiple of 1 .. 2n - 1: exact integers. Returns L. */
static double hilbert(double *dense, int n)
{
    double multiple = 1;
    for (int k = 2; k < 2 * n; ++k)
        multiple = multiple / greatest_divisor(multiple, k) * k;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            dense[i * n + j] = multiple / (i + j + 1);
    return multiple;
}

static double choose(int n, int k)
{
    double c = 1;
    for (int i = 1; i <= k; ++i)
        c = c * (n - k + i) / i;
    return c;
}

/* Entry of the inverse of the plain Hilbert matrix, from 1: an integer (Choi 1983). */
static double inverse_entry(int n, int i, int j)
{
    const double c = choose(i + j - 2, i - 1);
    return ((i + j) % 2 ? -1 : 1) * (i + j - 1) * choose(n + i - 1, n - j) *
           choose(n + j - 1, n - i) * c * c;
}

/* H x = L e_j has x = column j of the plain inverse. */
TEST(test_hilbert_has_its_integer_solution)
{
    static double dense[MOST * MOST];
    for (int n = 2; n <= 12; ++n) {
        const double multiple = hilbert(dense, n);
        OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, n);
        struct nb_exact *exact = NULL;
        assert_int_equal(nb_exact_create(&exact, &matrix, NULL), NB_OK);
        for (int j = 1; j <= n; ++j) {
            double b[MOST] = {0}, x[MOST];
            struct nb_exact_report report;
            b[j - 1] = multiple;
            assert_int_equal(nb_exact_solve(exact, b, x, &report, NULL), NB_OK);
            assert_int_equal(report.converged, 1);
            assert_true(n < 12 || !strcmp(report.method, "quad lu")); /* condition 2e16 */
            for (int i = 1; i <= n; ++i)
                assert_true(x[i - 1] == inverse_entry(n, i, j));
        }
        nb_exact_free(exact);
    }
}

/* The same under a symmetric scaling by powers of two over 18 orders of magnitude. */
TEST(test_scaling_does_not_matter)
{
    static double dense[MOST * MOST];
    enum { N = 9 };
    double b[MOST] = {0}, x[MOST];
    struct nb_exact *exact = NULL;
    struct nb_exact_report report;
    const double multiple = hilbert(dense, N);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            dense[i * N + j] *= ldexp(1, 15 * (i % 5) - 30) * ldexp(1, 15 * (j % 5) - 30);
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, N);
    b[3] = multiple * ldexp(1, 15);
    assert_int_equal(nb_exact_create(&exact, &matrix, NULL), NB_OK);
    assert_int_equal(nb_exact_solve(exact, b, x, &report, NULL), NB_OK);
    assert_int_equal(report.converged, 1);
    for (int i = 1; i <= N; ++i)
        assert_true(ldexp(x[i - 1], 15 * ((i - 1) % 5) - 30) == inverse_entry(N, i, 4));
    nb_exact_free(exact);
}

/* Indefinite, where Cholesky has no factor: A = Q of a saddle point, solution of ones. */
TEST(test_an_indefinite_matrix_has_a_reference)
{
    enum { N = 30 };
    static double dense[N * N];
    double b[N] = {0}, x[N];
    struct nb_exact *exact = NULL;
    struct nb_exact_report report;
    seed = 3;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j)
            dense[i * N + j] = dense[j * N + i] = i == j ? (i % 2 ? -40 : 40) : floor(8 * uniform());
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            b[i] += dense[i * N + j]; /* integers: exact */
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, N);
    assert_int_equal(nb_exact_create(&exact, &matrix, NULL), NB_OK);
    assert_int_equal(nb_exact_solve(exact, b, x, &report, NULL), NB_OK);
    assert_int_equal(report.converged, 1);
    assert_string_equal(report.method, "ldlt");
    for (int i = 0; i < N; ++i)
        assert_true(x[i] == 1);
    nb_exact_free(exact);
}

static void expect_no_reference(const double *dense, const double *b, int n)
{
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, n);
    struct nb_exact *exact = NULL;
    struct nb_exact_report report;
    double x[MOST];
    assert_int_equal(nb_exact_create(&exact, &matrix, NULL), NB_OK);
    assert_int_equal(nb_exact_solve(exact, b, x, &report, NULL), NB_OK);
    assert_int_equal(report.converged, 0);
    nb_exact_free(exact);
}

TEST(test_what_has_no_reference_says_so)
{
    const double singular[] = {1, 1, 0, 1, 1, 0, 0, 0, 3}, zero[9] = {0};
    const double consistent[] = {2, 2, 3}, contradictory[] = {1, 2, 3}, bad[] = {1, NAN, 3};
    const double good[] = {2, 1, 0, 1, 2, 0, 0, 0, 3};
    expect_no_reference(singular, consistent, 3); /* refinement alone would find one of its solutions */
    expect_no_reference(singular, contradictory, 3);
    expect_no_reference(zero, consistent, 3);
    expect_no_reference(good, bad, 3);
    double broken[9];
    memcpy(broken, good, sizeof broken);
    broken[1] = NAN;
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(broken, 3);
    struct nb_exact *exact = NULL;
    assert_refused(nb_exact_create(&exact, &matrix, &why), NB_BREAKDOWN, "(0, 1)");
    assert_null(exact);
}

/* Redundant contacts in small: a matrix of rank 20 in 36 rows and a shift of 1e-9; A x* is not an exact
 * right-hand side, so the solution in quad by its own elimination is the second opinion. */
static void redundant(double *dense, double *b)
{
    enum { N = 36, RANK = 20 };
    static double w[N * RANK];
    for (int i = 0; i < N * RANK; ++i)
        w[i] = uniform();
    for (int i = 0; i < N; ++i) {
        b[i] = uniform();
        for (int j = 0; j < N; ++j) {
            dense[i * N + j] = i == j ? 1e-9 : 0;
            for (int k = 0; k < RANK; ++k)
                dense[i * N + j] += w[(i < j ? i : j) * RANK + k] * w[(i < j ? j : i) * RANK + k];
        }
    }
}

TEST(test_refinement_agrees_with_quad_elimination)
{
    enum { N = 36 };
    static double dense[N * N], b[N], x[N], y[N];
    static __float128 a[N][N + 1];
    struct nb_exact *exact = NULL;
    struct nb_exact_report report;
    seed = 8;
    redundant(dense, b);
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, N);
    assert_int_equal(nb_exact_create(&exact, &matrix, NULL), NB_OK);
    assert_int_equal(nb_exact_solve(exact, b, x, &report, NULL), NB_OK);
    assert_int_equal(report.converged, 1);
    assert_string_equal(report.method, "cholesky");
    assert_true(report.condition > 1e9);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= N; ++j)
            a[i][j] = j < N ? dense[i * N + j] : b[i];
    for (int k = 0; k < N; ++k) /* Gauss-Jordan; positive definite: no pivoting */
        for (int i = 0; i < N; ++i)
            for (int j = N; j >= k && i != k; --j)
                a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    double largest = 0;
    for (int i = 0; i < N; ++i) {
        y[i] = (double)(a[i][N] / a[i][i]);
        largest = fmax(largest, fabs(y[i]));
    }
    for (int i = 0; i < N; ++i)
        assert_true(fabs(x[i] - y[i]) <= 0x1p-52 * largest);
    nb_exact_free(exact);
}

/* The estimates against a dense inverse; LAPACK's own solution lies below its floors. */
TEST(test_floors)
{
    enum { N = 36 };
    static double dense[N * N], inverse[N * N], b[N], x[N], y[N], work[N];
    struct nb_exact *exact = NULL;
    struct nb_exact_report report;
    lapack_int pivots[N];
    seed = 9;
    redundant(dense, b);
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, N);
    assert_int_equal(nb_exact_create(&exact, &matrix, NULL), NB_OK);
    assert_int_equal(nb_exact_solve(exact, b, x, &report, NULL), NB_OK);
    const struct nb_floor_linear floor = nb_floor_linear_at(exact, b, x, 0x1p-53, work);
    const struct nb_csr *scaled = nb_exact_matrix(exact);
    memcpy(inverse, scaled->value, sizeof inverse);
    assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, N, N, inverse, N, pivots), 0);
    assert_int_equal(LAPACKE_dgetri(LAPACK_ROW_MAJOR, N, inverse, N, pivots), 0);
    double plain = 0, weighted = 0;
    for (int i = 0; i < N; ++i) {
        double sum = 0, product = 0;
        for (int j = 0; j < N; ++j) {
            sum += fabs(inverse[i * N + j]);
            product += fabs(inverse[i * N + j]) * work[j];
        }
        plain = fmax(plain, sum);
        weighted = fmax(weighted, product);
    }
    for (int g = 0; g < 2; ++g) {
        const double truth = g ? weighted : plain;
        const double estimate = nb_exact_inverse(exact, g ? work : NULL);
        assert_true(estimate <= 1.00001 * truth && estimate >= truth / 3);
    }
    assert_true(floor.component_forward <= floor.forward * (1 + N * 0x1p-20) * 2);
    assert_true(floor.component_residual <= floor.residual * 2);
    assert_true(floor.component_norm > 0 && floor.component_norm < 1e3 * floor.component_residual);
    memcpy(y, b, sizeof y);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', N, 1, dense, N, y, 1), 0);
    const struct nb_error_linear errors = nb_error_linear_of(&matrix, b, x, y);
    assert_true(errors.forward > 0 && errors.forward < 10 * floor.component_forward);
    assert_true(errors.residual > 0 && errors.residual < 10 * floor.component_residual);
    const struct nb_error_linear none = nb_error_linear_of(&matrix, b, x, x);
    assert_true(none.forward == 0 && none.residual < floor.component_residual);
    nb_exact_free(exact);
}

TEST(test_nothing_to_solve)
{
    const double good[] = {2, 1, 1, 2}, b[2] = {0};
    double x[2] = {1, 1};
    struct nb_exact_report report;
    for (int n = 0; n <= 2; n += 2) {
        OWNS(nb_csr_free) struct nb_csr matrix = to_csr(good, n);
        struct nb_exact *exact = NULL;
        assert_int_equal(nb_exact_create(&exact, &matrix, NULL), NB_OK);
        assert_int_equal(nb_exact_solve(exact, b, x, &report, NULL), NB_OK);
        assert_int_equal(report.converged, 1);
        assert_true(n == 0 || (x[0] == 0 && x[1] == 0));
        nb_exact_free(exact);
    }
    nb_exact_free(NULL);
}
