/* A tolerance of a linear solve is one of ||b - A x|| / ||b|| in the norm of D^-1, D = diag A: where a solver says that
 * it has converged, that norm, taken here by itself, is within it; and no unit of a row, A -> S A S, changes the
 * way. */
#include "tests/support/test.h"

#include <math.h>

#include "solvers/linear_solve.h"

enum { ROWS = 60, ITERATIONS = 4000 };

/* The second difference with 1e7 added to every fourth row, as regularised rows of open contacts are, then
 * A -> S A S and b -> S b with S_i = 2^(units of i). */
static double matrix_of(int i, int j)
{
    return i == j ? 2.01 + (i % 4 == 3 ? 1e7 : 0) : abs(i - j) == 1 ? -1 : 0;
}

static double unit_of(int i, int units)
{
    return ldexp(1, units * (i % 3 - 1));
}

static void make_system(int units, struct nb_csr *matrix, double *b)
{
    int row[3 * ROWS], column[3 * ROWS], count = 0;
    double value[3 * ROWS];
    for (int i = 0; i < ROWS; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ROWS; ++j) {
            row[count] = i;
            column[count] = j;
            value[count++] = unit_of(i, units) * matrix_of(i, j) * unit_of(j, units);
        }
        b[i] = unit_of(i, units) * (1 + i % 5) * (i % 4 == 3 ? 1e6 : 1);
    }
    assert_int_equal(nb_csr_from_triplets(matrix, ROWS, ROWS, count, row, column, value, NULL), NB_OK);
}

static double judge(const struct nb_csr *matrix, const double *b, const double *x)
{
    double left = 0, right = 0, product[ROWS];
    nb_csr_multiply(matrix, x, product, 0);
    for (int i = 0; i < ROWS; ++i) {
        const double d = nb_csr_diagonal(matrix, i);
        left += (b[i] - product[i]) * (b[i] - product[i]) / d;
        right += b[i] * b[i] / d;
    }
    return sqrt(left / right);
}

static struct nb_linear_report solve(const char *linear, const char *precond, int units, double *residual)
{
    OWNS(nb_csr_free) struct nb_csr matrix;
    struct nb_linear_bench *bench;
    struct nb_linear_report report;
    struct nb_run run;
    struct nb_error error = {""};
    struct nb_options options = nb_options_default();
    double b[ROWS], x[ROWS];
    make_system(units, &matrix, b);
    options.linear = linear;
    options.precond = precond;
    if (nb_linear_bench_create(&bench, &matrix, b, &options, &error) ||
        nb_linear_bench_run(bench, ITERATIONS, NULL, &report, &run, &error))
        fail_msg("%s %s: %s", linear, precond, error.text);
    nb_linear_bench_solution(bench, x);
    *residual = judge(&matrix, b, x);
    nb_linear_bench_free(bench);
    return report;
}

static const char *const krylov[] = {"pcr", "pcr_single", "pcg", "pcg_single", "fpcg", "minres"};
static const char *const relaxations[] = {"jacobi", "gauss_seidel", "symmetric_gauss_seidel", "sor", "ssor",
                                           "chebyshev"};

static void check(const char *name, const char *precond, int must_converge)
{
    static const double tolerances[] = {1e-2, 1e-5, 1e-9};
    for (size_t t = 0; t < sizeof tolerances / sizeof *tolerances; ++t) {
        char linear[60];
        double residual;
        snprintf(linear, sizeof linear, "%s:tol=%g", name, tolerances[t]);
        const struct nb_linear_report report = solve(linear, precond, 0, &residual);
        if (must_converge && report.ending != NB_LINEAR_CONVERGED)
            fail_msg("%s %s: ended by %d after %d", linear, precond, report.ending, report.iterations);
        if (report.ending == NB_LINEAR_CONVERGED && !(residual <= 1.01 * tolerances[t]))
            fail_msg("%s %s: said to have converged at %g", linear, precond, residual);
    }
}

TEST(converged_is_within_the_tolerance_as_judged)
{
    for (size_t k = 0; k < sizeof krylov / sizeof *krylov; ++k) {
        check(krylov[k], "none", 0);
        check(krylov[k], "jacobi", 1);
        check(krylov[k], "ic0", 1);
    }
    for (size_t k = 0; k < sizeof relaxations / sizeof *relaxations; ++k)
        check(relaxations[k], "none", strcmp(relaxations[k], "chebyshev") != 0); /* it flattens an interval only */
    check("pcr:in=f32", "jacobi", 1);
}

/* Jacobi's preconditioner takes S away, and powers of two change no digit. */
TEST(units_of_rows_change_nothing)
{
    for (size_t k = 0; k < sizeof krylov / sizeof *krylov; ++k) {
        char linear[60];
        double plain, other;
        snprintf(linear, sizeof linear, "%s:tol=1e-6", krylov[k]);
        const struct nb_linear_report first = solve(linear, "jacobi", 0, &plain);
        const struct nb_linear_report second = solve(linear, "jacobi", 20, &other);
        assert_int_equal(first.ending, second.ending);
        assert_int_equal(first.iterations, second.iterations);
        assert_true(fabs(plain - other) <= 1e-12);
    }
}

FIXTURE(NULL, NULL)
