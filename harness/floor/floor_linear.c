/* Accuracy floors and errors of a linear system, scaled as its reference solution is: norm-wise
 * ||B|| ||y|| and cond(B), component-wise |B||y| + |c| and |B^-1| (|B||y| + |c|), each times the unit round-off. */
#include "harness/floor/floor_linear.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/status.h"
#include "problems/problem.h"
#include "solvers/sparse/factor.h"

/* Dense P A = L U with partial pivoting in __float128, of 113 bits (Higham 2002, algorithm 9.2): for
 * reference solutions of systems so ill-conditioned that no factor in double is of use. It takes about
 * 30 n^3 ns.
 *
 * A dense LU factorisation P A = L U in quad precision, with the largest entry of each column as pivot. */

struct nb_quad_lu; /* opaque */

struct nb_quad_lu {
    int order;
    __float128 *entry; /* [n n] by rows: U, and below its diagonal L */
    __float128 *work;  /* [n]                                        */
    int *row;          /* [n] the row of A that is in row i          */
    void *memory;      /* of these arrays                            */
};

static void lay_out_quad(void *data, struct nb_arena *arena)
{
    struct nb_quad_lu *lu = data;
    NB_ARRAY(arena, lu->entry, (size_t)lu->order * (size_t)lu->order);
    NB_ARRAYS(arena, lu->order, lu->work, lu->row);
}

static void quad_lu_free(struct nb_quad_lu *lu)
{
    if (!lu)
        return;
    free(lu->memory);
    free(lu);
}

static __float128 magnitude(__float128 x) { return x < 0 ? -x : x; }

/* Brings the largest entry of the column to the diagonal; 0 if all are zero. */
static int pivot(struct nb_quad_lu *lu, int k)
{
    const int n = lu->order;
    int best = k;
    for (int i = k + 1; i < n; ++i)
        if (magnitude(lu->entry[(size_t)i * (size_t)n + (size_t)k]) >
            magnitude(lu->entry[(size_t)best * (size_t)n + (size_t)k]))
            best = i;
    for (int j = 0; j < n && best != k; ++j) {
        __float128 *a = &lu->entry[(size_t)k * (size_t)n + (size_t)j];
        __float128 *b = &lu->entry[(size_t)best * (size_t)n + (size_t)j];
        const __float128 kept = *a;
        *a = *b;
        *b = kept;
    }
    const int row = lu->row[k];
    lu->row[k] = lu->row[best];
    lu->row[best] = row;
    return magnitude(lu->entry[(size_t)k * (size_t)n + (size_t)k]) > 0;
}

static int factorise_quad(struct nb_quad_lu *lu)
{
    const int n = lu->order;
    for (int k = 0; k < n; ++k) {
        if (!pivot(lu, k))
            return 0;
        const __float128 *top = lu->entry + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; ++i) {
            __float128 *row = lu->entry + (size_t)i * (size_t)n;
            if (row[k] == 0)
                continue;
            const __float128 factor = row[k] /= top[k];
            for (int j = k + 1; j < n; ++j)
                row[j] -= factor * top[j];
        }
    }
    return 1;
}

/* NB_BREAKDOWN where a pivot is zero or not a number. */
static enum nb_status quad_lu_create(struct nb_quad_lu **out, const struct nb_csr *matrix,
                                     struct nb_error *error)
{
    const size_t n = (size_t)matrix->rows;
    struct nb_quad_lu *lu = calloc(1, sizeof *lu);
    *out = NULL;
    if (lu)
        lu->order = matrix->rows;
    if (!lu || !(lu->memory = nb_arena_allocate(lay_out_quad, lu))) {
        free(lu);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense quad matrix of order %zu", n);
    }
    for (int i = 0; i < matrix->rows; ++i) {
        lu->row[i] = i;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            lu->entry[(size_t)i * n + (size_t)matrix->column[k]] += matrix->value[k];
    }
    if (!factorise_quad(lu)) {
        quad_lu_free(lu);
        return nb_fail(error, NB_BREAKDOWN, "the matrix is singular in quad precision");
    }
    *out = lu;
    return NB_OK;
}

/* x becomes A^-1 x [n]. */
static void quad_lu_solve(const struct nb_quad_lu *lu, __float128 *x)
{
    const int n = lu->order;
    __float128 *y = lu->work;
    for (int i = 0; i < n; ++i) {
        __float128 sum = x[lu->row[i]];
        for (int j = 0; j < i; ++j)
            sum -= lu->entry[(size_t)i * (size_t)n + (size_t)j] * y[j];
        y[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        const __float128 *row = lu->entry + (size_t)i * (size_t)n;
        for (int j = i + 1; j < n; ++j)
            y[i] -= row[j] * y[j];
        y[i] /= row[i];
    }
    for (int i = 0; i < n; ++i)
        x[i] = y[i];
}

/* Reference solutions of linear systems by iterative refinement in quad precision. The matrix is equilibrated by
 * powers of two, factorised in double (Cholesky, then L D L^T) or, small ones, in quad, and the solution is
 * corrected with residuals in quad until corrections vanish; the condition number decides whether to trust it. */

enum { REFINEMENTS = 60 };
/* Corrections below the first are not worth another; the second is enough where they no longer shrink. */
static const double small_change = 0x1p-70, enough = 0x1p-58;

enum method { CHOLESKY, LDLT, QUAD_LU, METHODS };
static const char *const method_name[METHODS] = {"cholesky", "ldlt", "quad lu"};

struct nb_exact {
    struct nb_csr matrix;      /* B */
    double *scale;             /* [n] S */
    double *right_side;        /* [n] c */
    double *vector, *sign;     /* [n] of solves with the factor, and the estimator's */
    __float128 *solution;      /* [n] y */
    __float128 *step;          /* [n] r, then dy: rounded to double it would bring no new digit
                                  where the condition number is beyond that of double */
    int *direction;            /* [n] the estimator's */
    void *memory;              /* of these arrays */
    struct nb_factor *factor;  /* one of the two */
    struct nb_quad_lu *lu;
};

static void drop_factor(struct nb_exact *exact)
{
    nb_factor_free(exact->factor);
    quad_lu_free(exact->lu);
    exact->factor = NULL;
    exact->lu = NULL;
}

void nb_exact_free(struct nb_exact *exact)
{
    if (!exact)
        return;
    drop_factor(exact);
    nb_csr_free(&exact->matrix);
    free(exact->memory);
    free(exact);
}

const double *nb_exact_scale(const struct nb_exact *exact) { return exact->scale; }
const struct nb_csr *nb_exact_matrix(const struct nb_exact *exact) { return &exact->matrix; }

/* S_ii; of powers of two scaling changes no digit. */
static double row_scale(const struct nb_csr *matrix, int i)
{
    double diagonal = 0;
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
        diagonal += matrix->column[k] == i ? matrix->value[k] : 0;
    return diagonal != 0 ? ldexp(1, -ilogb(diagonal) / 2) : 1;
}

static enum nb_status equilibrate(struct nb_exact *exact, struct nb_error *error)
{
    const struct nb_csr *b = &exact->matrix;
    for (int i = 0; i < b->rows; ++i) {
        for (int k = b->start[i]; k < b->start[i + 1]; ++k)
            if (!isfinite(b->value[k]))
                return nb_fail(error, NB_BREAKDOWN, "entry (%d, %d) of the matrix is not finite", i,
                               b->column[k]);
        exact->scale[i] = row_scale(b, i);
    }
    for (int i = 0; i < b->rows; ++i)
        for (int k = b->start[i]; k < b->start[i + 1]; ++k)
            exact->matrix.value[k] *= exact->scale[i] * exact->scale[b->column[k]];
    return NB_OK;
}

static enum nb_status copy_matrix(const struct nb_csr *from, struct nb_csr *to, struct nb_error *error)
{
    const int entries = from->start[from->rows];
    const enum nb_status status = nb_csr_allocate(to, from->rows, from->columns, entries, error);
    if (status)
        return status;
    memcpy(to->start, from->start, ((size_t)from->rows + 1) * sizeof *to->start);
    memcpy(to->column, from->column, (size_t)entries * sizeof *to->column);
    memcpy(to->value, from->value, (size_t)entries * sizeof *to->value);
    return NB_OK;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_exact *exact = data;
    const int n = exact->matrix.rows;
    NB_ARRAYS(arena, n, exact->scale, exact->right_side, exact->vector, exact->sign, exact->solution, exact->step,
              exact->direction);
}

enum nb_status nb_exact_create(struct nb_exact **out, const struct nb_csr *matrix,
                               struct nb_error *error)
{
    struct nb_exact *exact = calloc(1, sizeof *exact);
    *out = NULL;
    if (!exact)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a reference solution");
    enum nb_status status = copy_matrix(matrix, &exact->matrix, error);
    if (!status) {
        exact->memory = nb_arena_allocate(lay_out, exact);
        status = exact->memory ? equilibrate(exact, error)
                               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a reference solution of %d rows",
                                         matrix->rows);
    }
    if (status) {
        nb_exact_free(exact);
        return status;
    }
    *out = exact;
    return NB_OK;
}

/* --- factors --- */

static enum nb_status factorise(struct nb_exact *exact, enum method method, struct nb_error *error)
{
    const struct nb_csr *b = &exact->matrix;
    drop_factor(exact);
    if (method == QUAD_LU)
        return b->rows <= NB_EXACT_DENSE
                   ? quad_lu_create(&exact->lu, b, error)
                   : nb_fail(error, NB_UNSUPPORTED, "more than %d rows", NB_EXACT_DENSE);
    enum nb_status status = nb_factor_create(&exact->factor, b->rows, b->start, b->column,
                                             method == LDLT ? NB_FACTOR_LDLT : NB_FACTOR_CHOLESKY, error);
    if (status)
        return status;
    const int *index = nb_factor_index(exact->factor);
    double *value = nb_factor_values(exact->factor);
    for (int k = 0; k < b->start[b->rows]; ++k)
        if (index[k] >= 0)
            value[index[k]] = b->value[k];
    return nb_factor_update(exact->factor, error);
}

/* step becomes B^-1 step. */
static int solve_step(struct nb_exact *exact)
{
    const int n = exact->matrix.rows;
    if (exact->lu) {
        quad_lu_solve(exact->lu, exact->step);
        return 1;
    }
    for (int i = 0; i < n; ++i)
        exact->vector[i] = (double)exact->step[i];
    if (nb_factor_solve(exact->factor, exact->vector, exact->vector, NULL))
        return 0;
    for (int i = 0; i < n; ++i)
        exact->step[i] = exact->vector[i];
    return 1;
}

double nb_exact_inverse(struct nb_exact *exact, const double *g)
{
    const lapack_int n = exact->matrix.rows;
    double estimate = 0, *x = exact->vector;
    lapack_int kase = 0, save[3] = {0, 0, 0};
    /* The 1-norm of diag(g) B^-1, whose transpose is B^-1 diag(g). */
    while (n > 0) {
        LAPACKE_dlacn2_work(n, exact->sign, x, exact->direction, &estimate, &kase, save);
        if (kase == 0)
            break;
        for (lapack_int i = 0; i < n; ++i)
            exact->step[i] = g && kase == 2 ? g[i] * x[i] : x[i];
        if (!solve_step(exact))
            return INFINITY;
        for (lapack_int i = 0; i < n; ++i)
            x[i] = (double)exact->step[i] * (g && kase == 1 ? g[i] : 1);
    }
    return estimate;
}

/* --- refinement --- */

static double matrix_norm(const struct nb_csr *matrix)
{
    double norm = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        double sum = 0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            sum += fabs(matrix->value[k]);
        norm = fmax(norm, sum);
    }
    return norm;
}

/* r = c - B y, of which y may be zero yet. Returns its largest entry. */
static double residual(struct nb_exact *exact, bool is_zero)
{
    const struct nb_csr *b = &exact->matrix;
    double largest = 0;
    for (int i = 0; i < b->rows; ++i) {
        __float128 sum = exact->right_side[i];
        for (int k = b->start[i]; k < b->start[i + 1] && !is_zero; ++k)
            sum -= b->value[k] * exact->solution[b->column[k]];
        exact->step[i] = sum;
        largest = fabs((double)sum) <= largest ? largest : fabs((double)sum);
    }
    return largest;
}

/* y += B^-1 r, scaled by its size against underflow. Returns ||dy|| / ||y||. */
static double correct(struct nb_exact *exact, double size)
{
    const int n = exact->matrix.rows;
    double most = 0, change = 0;
    for (int i = 0; i < n; ++i)
        exact->step[i] /= size;
    if (!solve_step(exact))
        return NAN;
    for (int i = 0; i < n; ++i) {
        const __float128 step = size * exact->step[i];
        exact->solution[i] += step;
        change = fabs((double)step) <= change ? change : fabs((double)step);
        most = fmax(most, fabs((double)exact->solution[i]));
    }
    return most > 0 ? change / most : change;
}

/* Corrections until they vanish or no longer shrink by half. */
static void refine(struct nb_exact *exact, struct nb_exact_report *report)
{
    double last = INFINITY;
    report->refinements = 0;
    report->converged = 0;
    memset(exact->solution, 0, (size_t)exact->matrix.rows * sizeof *exact->solution);
    for (int k = 0; k < REFINEMENTS && !report->converged; ++k) {
        const double size = residual(exact, k == 0);
        if (!isfinite(size))
            return;
        report->change = size > 0 ? correct(exact, size) : 0;
        report->converged = report->change <= small_change;
        if (!report->converged && k > 0 && !(report->change <= last / 2)) {
            report->converged = report->change <= enough;
            return;
        }
        last = report->change;
        report->refinements = k;
    }
}

/* Refinement also converges where double cannot tell the matrix from a singular one, to any of its
 * solutions: the condition number has to exclude that. */
static int trusted(const struct nb_exact *exact, const struct nb_exact_report *report)
{
    const double unit = exact->lu ? 0x1p-113 : DBL_EPSILON / 2;
    return report->condition < 1 / (8 * sqrt((double)exact->matrix.rows) * unit);
}

enum nb_status nb_exact_solve(struct nb_exact *exact, const double *b, double *x,
                              struct nb_exact_report *report, struct nb_error *error)
{
    const int n = exact->matrix.rows;
    *report = (struct nb_exact_report){.method = "none", .change = INFINITY, .condition = INFINITY};
    for (int i = 0; i < n; ++i)
        exact->right_side[i] = exact->scale[i] * b[i];
    for (int m = 0; m < METHODS && !report->converged && n > 0; ++m) {
        const enum nb_status status = factorise(exact, (enum method)m, error);
        if (status == NB_OUT_OF_MEMORY)
            return status;
        if (status)
            continue;
        report->method = method_name[m];
        refine(exact, report);
        report->condition = matrix_norm(&exact->matrix) * nb_exact_inverse(exact, NULL);
        report->converged = report->converged && trusted(exact, report);
    }
    report->converged = report->converged || n == 0;
    for (int i = 0; i < n; ++i)
        x[i] = exact->scale[i] * (double)exact->solution[i];
    return NB_OK;
}

/* NaN counts as the largest. */
static double larger(double a, double b) { return b <= a ? a : b; }

static double over(double value, double scale) { return scale > 0 ? value / scale : 0; }

struct nb_floor_linear nb_floor_linear_at(struct nb_exact *exact, const double *b,
                                          const double *solution, double unit_roundoff, double *work)
{
    const struct nb_csr *matrix = nb_exact_matrix(exact);
    const double *scale = nb_exact_scale(exact);
    double norm = 0, size = 0, right_side = 0, component = 0, terms = 0, right_sides = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        double sum = 0;
        work[i] = fabs(scale[i] * b[i]);
        right_side = larger(right_side, work[i]);
        size = larger(size, fabs(solution[i] / scale[i]));
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            sum += fabs(matrix->value[k]);
            work[i] += fabs(matrix->value[k] * (solution[j] / scale[j]));
        }
        norm = larger(norm, sum);
        component = larger(component, work[i]);
        terms += work[i] * work[i];
        right_sides += scale[i] * b[i] * scale[i] * b[i];
    }
    const struct nb_floor_linear floor = {
        .residual = unit_roundoff * over(norm * size, right_side),
        .forward = size > 0 ? unit_roundoff * norm * nb_exact_inverse(exact, NULL) : 0,
        .component_residual = unit_roundoff * over(component, right_side),
        .component_forward = unit_roundoff * over(nb_exact_inverse(exact, work), size),
        .component_norm = unit_roundoff * over(sqrt(terms), sqrt(right_sides))};
    return floor;
}

struct nb_floor_linear nb_floor_linear_times(const struct nb_floor_linear *floor, double factor)
{
    return (struct nb_floor_linear){.residual = factor * floor->residual,
                                    .forward = factor * floor->forward,
                                    .component_residual = factor * floor->component_residual,
                                    .component_forward = factor * floor->component_forward,
                                    .component_norm = factor * floor->component_norm};
}

/* b - a . x of a row to twice the digits of a double, whose products and sums are exact in two doubles (Ogita, Rump and
 * Oishi 2005, algorithm 5.3): a software __float128 takes twenty times as long. A contracted product would not be the
 * one whose error fma() gives. */
__attribute__((optimize("fp-contract=off"))) static double row_residual(const struct nb_csr *matrix, int row, double b,
                                                                        const double *x)
{
    double sum = b, rest = 0;
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k) {
        const double entry = -matrix->value[k], with = x[matrix->column[k]];
        const double product = entry * with, next = sum + product, part = next - sum;
        rest += ((sum - (next - part)) + (product - part)) + fma(entry, with, -product);
        sum = next;
    }
    return sum + rest;
}

struct nb_error_linear nb_error_linear_of(const struct nb_csr *matrix, const double *b,
                                          const double *solution, const double *x)
{
    double residual = 0, error = 0, right_side = 0, size = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        const double scale = row_scale(matrix, i);
        residual = larger(residual, fabs(scale * row_residual(matrix, i, b[i], x)));
        error = larger(error, fabs((x[i] - solution[i]) / scale));
        right_side = larger(right_side, fabs(scale * b[i]));
        size = larger(size, fabs(solution[i] / scale));
    }
    return (struct nb_error_linear){over(residual, right_side), over(error, size)};
}
