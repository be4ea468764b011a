/* Every registered linear solver with every preconditioner in this precision on systems that it cannot solve:
 * singular, indefinite, zero, with NaN or infinity in the matrix or on the right. It ends, says how, and
 * calls nothing a solution that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/linear_support.h"

static double matrix[N * N], right_side[N];

/* ||b - A x|| relative to ||b||, and to what it is summed from: along a null vector x may be large. */
static void residual_of(const double *x, double *to_right_side, double *to_terms)
{
    double sum = 0, size = 0;
    for (int i = 0; i < N; ++i) {
        double r = right_side[i], terms = fabs(right_side[i]);
        for (int j = 0; j < N; ++j) {
            r -= matrix[i * N + j] * x[j];
            terms += fabs(matrix[i * N + j] * x[j]);
        }
        sum += r * r;
        size += terms * terms;
    }
    *to_right_side = sqrt(sum) / norm(right_side, N);
    *to_terms = sqrt(sum / size);
}

/* What is solved is the matrix as this precision stores it. */
static void round_matrix(void)
{
    for (int k = 0; k < N * N; ++k)
        matrix[k] = (double)(nb_matrix)matrix[k];
}

/* With a tolerance, an iterative method has reached it; without one, and of a factor, x is right to the rounding
 * of its own terms. minres measures in the norm of its preconditioner, which may be nearly singular itself. */
static void ends_honestly(const char *linear, const char *precond, int direct, double tolerance)
{
    char choice[80];
    double to_right_side, to_terms;
    snprintf(choice, sizeof choice, "%s:tol=%g", linear, tolerance);
    const struct outcome out = solve(matrix, right_side, N, choice, precond, 300, NULL);
    if (out.status) {
        assert_int_equal(out.status, NB_BREAKDOWN);
        assert_true(strlen(out.error.text) > 10);
        return;
    }
    if (out.report.ending == NB_LINEAR_BREAKDOWN || out.report.ending == NB_LINEAR_NON_FINITE)
        assert_true(strlen(out.report.detail) > 0);
    residual_of(out.x, &to_right_side, &to_terms);
    if (out.report.ending != NB_LINEAR_NON_FINITE && !isfinite(norm(out.x, N)))
        fail_msg("%s+%s: x is not finite, and it ends as %d", linear, precond, (int)out.report.ending);
    const int to_rounding = tolerance == 0 || (direct && !strstr(linear, ":in="));
    const int other_norm = !strcmp(linear, "minres") && strcmp(precond, "none");
    const int solved = to_rounding ? to_terms <= 1e4 * U : to_right_side <= 100 * tolerance;
    if (!other_norm && out.report.ending == NB_LINEAR_CONVERGED && !solved)
        fail_msg("%s+%s converged to a residual of %g, of its terms %g", linear, precond, to_right_side,
                 to_terms);
}

static void check_both(const char *linear, const char *precond, int direct)
{
    round_matrix();
    ends_honestly(linear, precond, direct, 0);
    ends_honestly(linear, precond, direct, 1e-4);
}

static void start(int seeded)
{
    chain_matrix(matrix);
    seed = (uint32_t)seeded;
    for (int i = 0; i < N; ++i)
        right_side[i] = uniform();
}

/* Redundant rows: with a right-hand side in the range, and with one that contradicts itself. */
static void singular(const char *linear, const char *precond, int direct)
{
    for (int consistent = 0; consistent < 2; ++consistent) {
        start(5);
        make_singular(matrix);
        for (int i = 0; i < N && consistent; ++i) {
            right_side[i] = 0;
            for (int j = 0; j < N; ++j)
                right_side[i] += matrix[i * N + j] * (1 + j % 3);
        }
        check_both(linear, precond, direct);
    }
}

/* B^T B of rank N - 4 with rounding in every entry, which leaves most factors a pivot: what is called converged
 * in an observed run leaves little of a right-hand side outside the range. minres measures in the norm of its
 * preconditioner. */
static void contradictory(const char *linear, const char *precond, int direct)
{
    static double factor[N * N];
    struct trace trace = {.dense = matrix, .b = right_side, .n = N};
    (void)direct;
    if (!strcmp(linear, "minres") && strcmp(precond, "none"))
        return;
    start(5);
    for (int i = 0; i < N * N; ++i)
        factor[i] = i / N < N - 4 ? uniform() : 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            double sum = 0;
            for (int k = 0; k < N; ++k)
                sum += factor[k * N + i] * factor[k * N + j];
            matrix[i * N + j] = sum;
        }
    round_matrix();
    const struct outcome out = solve(matrix, right_side, N, linear, precond, 300, &trace);
    if (out.status) {
        assert_int_equal(out.status, NB_BREAKDOWN);
        return;
    }
    const double left = trace.residual[trace.count - 1] / norm(right_side, N);
    if (out.report.ending == NB_LINEAR_CONVERGED && !(left < 1e-2))
        fail_msg("%s+%s converged to a residual of %g", linear, precond, left);
}

static void all_zero(const char *linear, const char *precond, int direct)
{
    start(5);
    memset(matrix, 0, sizeof matrix);
    check_both(linear, precond, direct);
}

static void one_negative_entry(const char *linear, const char *precond, int direct)
{
    start(5);
    matrix[4 * N + 4] = -3;
    check_both(linear, precond, direct);
}

static void one_zero_entry(const char *linear, const char *precond, int direct)
{
    start(5);
    matrix[4 * N + 4] = 0;
    check_both(linear, precond, direct);
}

static void wholly_indefinite(const char *linear, const char *precond, int direct)
{
    for (int seeded = 0; seeded < 4; ++seeded) {
        start(seeded);
        for (int i = 0; i < N; ++i)
            matrix[i * N + i] *= seeded ? (uniform() > 0.3 ? 1 : -1) : (i % 2 ? -1 : 1);
        check_both(linear, precond, direct);
    }
}

/* A positive diagonal, which preconditioners ask for, over negative eigenvalues. */
static void hidden_indefinite(const char *linear, const char *precond, int direct)
{
    for (int seeded = 0; seeded < 4; ++seeded) {
        start(seeded);
        for (int i = 0; i < N; ++i)
            matrix[i * N + i] *= 0.1 + 0.3 * (uniform() + 0.5);
        check_both(linear, precond, direct);
    }
}

static void negative_definite(const char *linear, const char *precond, int direct)
{
    start(5);
    for (int i = 0; i < N * N; ++i)
        matrix[i] = -matrix[i];
    check_both(linear, precond, direct);
}

/* Nothing that is not a number becomes a solution. */
static void has_no_solution(const char *linear, const char *precond)
{
    const struct outcome out = solve(matrix, right_side, N, linear, precond, 300, NULL);
    if (out.status) {
        assert_int_equal(out.status, NB_BREAKDOWN);
        assert_true(strlen(out.error.text) > 10);
    } else if (out.report.ending != NB_LINEAR_BREAKDOWN && out.report.ending != NB_LINEAR_NON_FINITE) {
        fail_msg("%s+%s ends as %d", linear, precond, (int)out.report.ending);
    } else {
        assert_true(strlen(out.report.detail) > 0);
    }
}

static void not_a_number(const char *linear, const char *precond, int direct)
{
    static const double bad[] = {NAN, INFINITY};
    (void)direct;
    for (int k = 0; k < 2; ++k) {
        start(5);
        matrix[4 * N + 4] = bad[k]; /* on the diagonal */
        has_no_solution(linear, precond);
        start(5);
        matrix[7 * N + 9] = matrix[9 * N + 7] = bad[k]; /* beside it, where no diagonal shows it */
        has_no_solution(linear, precond);
        start(5);
        right_side[7] = bad[k];
        has_no_solution(linear, precond);
    }
}

/* All pairs, and solves of islands apart and in another precision. */
static void check_all(each_pair *check)
{
    static const char *const parts[] = {"pcr:islands=yes", "fpcg:islands=yes", "ldlt:islands=yes",
                                        "pcr:in=f32", "minres:in=f16", "dense_ldlt:in=f32"};
    for_each_pair(check);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        const struct nb_linear *linear = nb_find_linear(parts[k]);
        const char *precond = linear->preconditioned ? "jacobi" : "none";
        if (runs(parts[k], precond))
            check(parts[k], precond, linear->direct);
    }
}

#define FOR_EACH_PAIR(check) TEST(test_##check) { check_all(check); }
FOR_EACH_PAIR(singular)
FOR_EACH_PAIR(contradictory)
FOR_EACH_PAIR(all_zero)
FOR_EACH_PAIR(one_negative_entry)
FOR_EACH_PAIR(one_zero_entry)
FOR_EACH_PAIR(wholly_indefinite)
FOR_EACH_PAIR(hidden_indefinite)
FOR_EACH_PAIR(negative_definite)
FOR_EACH_PAIR(not_a_number)
