/* A factor of a symmetric matrix A, of which one triangle is stored,
 *
 *     P A P^T = L L^T   or   L D L^T   (sparse, double: CHOLMOD; Chen, Davis, Hager and Rajamanickam 2008)
 *     A = L L^T         (dense, single: LAPACK's spotrf)
 *
 * The permutation P and the pattern of L are found once; new values are factorised in it. A simplicial factor is
 * solved with here, column by column, without the allocations of CHOLMOD's own solve. */
#include "solvers/sparse/factor.h"

#include <cholmod.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct nb_factor {
    int order;
    int *index; /* [entries of the given pattern]; see nb_factor_index */
    /* Double: CHOLMOD. */
    cholmod_common common;
    int started;
    cholmod_sparse *matrix; /* a triangle, owned */
    cholmod_factor *factor;
    cholmod_dense *right_side, *solution, *work_y, *work_e;
    enum nb_factor_kind kind;
    double *work;       /* [order] of simplicial solves */
    unsigned char *met; /* [order] likewise             */
    /* Single: dense, column-major, lower. */
    float *dense, *dense_factor;
};

/* The matrix is symmetric, so that its rows serve as columns: entry (row, column) with row <= column
 * of the pattern becomes entry (column, row) of the lower triangle, stored by columns. */
static void place_lower(struct nb_factor *factor, const int *start, const int *column)
{
    int *p = factor->matrix->p, *rows = factor->matrix->i, at = 0;
    for (int i = 0; i < factor->order; ++i) {
        p[i] = at;
        for (int k = start[i]; k < start[i + 1]; ++k) {
            factor->index[k] = column[k] >= i ? at : -1;
            if (column[k] >= i)
                rows[at++] = column[k];
        }
    }
    p[factor->order] = at;
}

/* The same entries by the columns of the upper triangle. */
static void place_upper(struct nb_factor *factor, const int *start, const int *column)
{
    int *p = factor->matrix->p, *rows = factor->matrix->i;
    memset(p, 0, ((size_t)factor->order + 1) * sizeof *p);
    for (int i = 0; i < factor->order; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k)
            if (column[k] >= i)
                p[column[k] + 1]++;
    for (int j = 0; j < factor->order; ++j)
        p[j + 1] += p[j];
    for (int i = 0; i < factor->order; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k) {
            factor->index[k] = column[k] >= i ? p[column[k]]++ : -1;
            if (column[k] >= i)
                rows[factor->index[k]] = i;
        }
    memmove(p + 1, p, (size_t)factor->order * sizeof *p);
    p[0] = 0;
}

/* Of the upper triangle CHOLMOD makes one permuted copy for a supernodal factor and two for a simplicial one, of the
 * lower the other way round. */
static enum nb_status build_triangle(struct nb_factor *factor, const int *start, const int *column, int upper,
                                     struct nb_error *error)
{
    const int n = factor->order;
    size_t entries = 0;
    cholmod_free_sparse(&factor->matrix, &factor->common);
    for (int i = 0; i < n; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k)
            entries += column[k] >= i;
    factor->matrix = cholmod_allocate_sparse((size_t)n, (size_t)n, entries, 1, 1, upper ? 1 : -1, CHOLMOD_REAL,
                                             &factor->common);
    if (!factor->matrix)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a sparse matrix of order %d", n);
    if (upper)
        place_upper(factor, start, column);
    else
        place_lower(factor, start, column);
    memset(factor->matrix->x, 0, entries * sizeof(double));
    return NB_OK;
}

static void try_orderings(cholmod_common *common)
{
    common->nmethods = 2;
    common->method[0].ordering = CHOLMOD_AMD;
    common->method[1].ordering = CHOLMOD_METIS;
}

static enum nb_status create_sparse(struct nb_factor *factor, const int *start, const int *column,
                                    struct nb_error *error)
{
    const size_t n = (size_t)factor->order;
    cholmod_start(&factor->common);
    factor->started = 1;
    factor->common.print = 0;
    factor->common.final_ll = factor->kind != NB_FACTOR_LDLT; /* CHOLMOD's L D L^T accepts indefinite matrices */
    if (factor->kind == NB_FACTOR_LDLT)
        factor->common.supernodal = CHOLMOD_SIMPLICIAL;
    if (factor->kind == NB_FACTOR_OFTEN)
        try_orderings(&factor->common);
    enum nb_status status = build_triangle(factor, start, column, 0, error);
    if (status)
        return status;
    factor->factor = cholmod_analyze(factor->matrix, &factor->common);
    if (factor->factor && factor->factor->is_super)
        status = build_triangle(factor, start, column, 1, error);
    if (status)
        return status;
    factor->right_side = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &factor->common);
    factor->work = malloc((n + 1) * sizeof *factor->work);
    factor->met = malloc(n + 1);
    if (!factor->factor || !factor->right_side || !factor->work || !factor->met)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to analyse a sparse matrix of order %d",
                       factor->order);
    return NB_OK;
}

static enum nb_status create_dense(struct nb_factor *factor, const int *start, const int *column,
                                   struct nb_error *error)
{
    const size_t n = (size_t)factor->order;
    if (factor->order > NB_DENSE_LIMIT)
        return nb_fail(error, NB_UNSUPPORTED,
                       "Cholesky in single precision is dense (CHOLMOD here is double only) and "
                       "limited to %d rows; this system has %d",
                       NB_DENSE_LIMIT, factor->order);
    factor->dense = calloc(n * n + 1, sizeof *factor->dense);
    factor->dense_factor = malloc((n * n + 1) * sizeof *factor->dense_factor);
    if (!factor->dense || !factor->dense_factor)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense matrix of order %d",
                       factor->order);
    for (int i = 0; i < factor->order; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k)
            factor->index[k] = column[k] >= i ? i * factor->order + column[k] : -1;
    return NB_OK;
}

enum nb_status nb_factor_create(struct nb_factor **out, int order, const int *start, const int *column,
                                enum nb_factor_kind kind, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    struct nb_factor *factor = calloc(1, sizeof *factor);
    *out = NULL;
    if (!factor)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a factorisation");
    factor->order = order;
    factor->kind = kind;
    factor->index = malloc(((size_t)start[order] + 1) * sizeof *factor->index);
    if (!factor->index)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a factorisation's index");
    else if (kind == NB_FACTOR_SINGLE)
        status = create_dense(factor, start, column, error);
    else
        status = create_sparse(factor, start, column, error);
    if (status) {
        nb_factor_free(factor);
        return status;
    }
    *out = factor;
    return NB_OK;
}

const int *nb_factor_index(const struct nb_factor *factor) { return factor->index; }

double *nb_factor_values(struct nb_factor *factor)
{
    return factor->matrix ? factor->matrix->x : NULL;
}

float *nb_factor_values_single(struct nb_factor *factor) { return factor->dense; }

static enum nb_status not_positive_definite(size_t row, int order, struct nb_error *error)
{
    return nb_fail(error, NB_BREAKDOWN, "Cholesky failed: not positive definite at row %zu of %d",
                   row, order);
}

/* Copies the lower triangle only: the upper is never referenced. */
static void copy_lower(const float *from, float *to, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        memcpy(to + i * n + i, from + i * n + i, (n - i) * sizeof *to);
}

static enum nb_status factorise_sparse(struct nb_factor *factor, struct nb_error *error)
{
    /* CHOLMOD wakes four threads for loops that set to zero and copy: a case has those that it asks for, and where
     * memory is limited their stacks would end the program. */
    const int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
    cholmod_factorize(factor->matrix, factor->factor, &factor->common);
    omp_set_max_active_levels(levels);
    if (factor->common.status == CHOLMOD_NOT_POSDEF && factor->kind == NB_FACTOR_LDLT)
        return nb_fail(error, NB_BREAKDOWN, "L D L^T failed: zero pivot at row %zu of %d",
                       factor->factor->minor, factor->order);
    if (factor->common.status == CHOLMOD_NOT_POSDEF)
        return not_positive_definite(factor->factor->minor, factor->order, error);
    if (factor->common.status < CHOLMOD_OK)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a sparse factor of order %d (CHOLMOD: %d)",
                       factor->order, factor->common.status);
    return NB_OK;
}

enum nb_status nb_factor_update(struct nb_factor *factor, struct nb_error *error)
{
    if (factor->order == 0)
        return NB_OK;
    if (factor->dense) {
        copy_lower(factor->dense, factor->dense_factor, (size_t)factor->order);
        const lapack_int info = LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', factor->order,
                                                    factor->dense_factor, factor->order);
        return info == 0 ? NB_OK : not_positive_definite((size_t)info - 1, factor->order, error);
    }
    return factorise_sparse(factor, error);
}

void nb_factor_forget(struct nb_factor *factor)
{
    cholmod_factor *l = factor->factor;
    if (l && l->xtype != CHOLMOD_PATTERN)
        cholmod_change_factor(CHOLMOD_PATTERN, l->is_ll, l->is_super, 1, 1, l, &factor->common);
}

/* CHOLMOD's own solve allocates each time: the columns of a simplicial factor are few lines to solve
 * with. In L D L^T the diagonal entry, first in its column, is D's. What b does not reach is passed over, parts
 * of the matrix that nothing couples with those of b above all: an entry stays zero unless it was met on the way
 * down, or its parent in the elimination tree, the next entry of its column, is not. */
static void solve_simplicial(const struct nb_factor *factor, const double *b, double *x)
{
    const cholmod_factor *l = factor->factor;
    const int n = factor->order, ll = l->is_ll, *p = l->p, *count = l->nz, *row = l->i, *perm = l->Perm;
    const double *value = l->x;
    double *y = factor->work;
    for (int j = 0; j < n; ++j)
        y[j] = b[perm[j]];
    for (int j = 0; j < n; ++j) {
        factor->met[j] = y[j] != 0;
        if (!factor->met[j])
            continue;
        const double own = y[j] /= ll ? value[p[j]] : 1;
        for (int k = p[j] + 1; k < p[j] + count[j]; ++k)
            y[row[k]] -= value[k] * own;
    }
    for (int j = n - 1; j >= 0; --j) {
        if (!factor->met[j] && (count[j] < 2 || !factor->met[row[p[j] + 1]]))
            continue;
        factor->met[j] = 1;
        double own = ll ? y[j] : y[j] / value[p[j]];
        for (int k = p[j] + 1; k < p[j] + count[j]; ++k)
            own -= value[k] * y[row[k]];
        y[j] = ll ? own / value[p[j]] : own;
    }
    for (int j = 0; j < n; ++j)
        x[perm[j]] = y[j];
}

enum nb_status nb_factor_solve(struct nb_factor *factor, const double *b, double *x,
                               struct nb_error *error)
{
    const size_t bytes = (size_t)factor->order * sizeof *b;
    if (bytes == 0)
        return NB_OK;
    if (!factor->factor->is_super) {
        solve_simplicial(factor, b, x);
        return NB_OK;
    }
    memcpy(factor->right_side->x, b, bytes);
    if (!cholmod_solve2(CHOLMOD_A, factor->factor, factor->right_side, NULL, &factor->solution,
                        NULL, &factor->work_y, &factor->work_e, &factor->common))
        return nb_fail(error, NB_OUT_OF_MEMORY, "CHOLMOD could not solve: status %d",
                       factor->common.status);
    memcpy(x, factor->solution->x, bytes);
    return NB_OK;
}

enum nb_status nb_factor_solve_single(struct nb_factor *factor, const float *b, float *x,
                                      struct nb_error *error)
{
    if (factor->order == 0)
        return NB_OK;
    if (x != b)
        memcpy(x, b, (size_t)factor->order * sizeof *x);
    const lapack_int info = LAPACKE_spotrs_work(LAPACK_COL_MAJOR, 'L', factor->order, 1,
                                                factor->dense_factor, factor->order, x,
                                                factor->order);
    return info == 0 ? NB_OK : nb_fail(error, NB_BAD_INPUT, "spotrs: argument %d", (int)-info);
}

size_t nb_factor_entries(const struct nb_factor *factor)
{
    const size_t n = (size_t)factor->order;
    if (factor->dense)
        return n * (n + 1) / 2;
    return factor->factor->is_super ? factor->factor->xsize : (size_t)factor->common.lnz;
}

double nb_factor_operations(const struct nb_factor *factor)
{
    const double n = factor->order;
    return factor->dense ? n * n * n / 3 : fmax(factor->common.fl, 0);
}

void nb_factor_free(struct nb_factor *factor)
{
    if (!factor)
        return;
    if (factor->started) {
        cholmod_free_sparse(&factor->matrix, &factor->common);
        cholmod_free_factor(&factor->factor, &factor->common);
        cholmod_free_dense(&factor->right_side, &factor->common);
        cholmod_free_dense(&factor->solution, &factor->common);
        cholmod_free_dense(&factor->work_y, &factor->common);
        cholmod_free_dense(&factor->work_e, &factor->common);
        cholmod_finish(&factor->common);
    }
    free(factor->work);
    free(factor->met);
    free(factor->dense);
    free(factor->dense_factor);
    free(factor->index);
    free(factor);
}
