/* P A Q = L U: KLU with one ordering for all factorisations, or UMFPACK, ordered anew for each, where the ordering says
 * that KLU's scalar loops would take longer; in single precision LAPACK's dense LU. KLU looks for pivots once and keeps
 * them, and with them all patterns, as long as it would find the same ones: the bits are those of looking anew. */
#include "solvers/sparse/sparse_lu.h"

#include <klu.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

#include "problems/base/arena.h"
#include "solvers/sparse/factor.h"

/* Prices of UMFPACK, which works in dense blocks and leaves out entries that are zero, over a multiplication in
 * KLU: of a column and of an entry, which are ordered and searched for pivots, and of a multiplication.
 * Measured once, on 1000 to 16000 grains of a silo. */
#define LARGE_COLUMN 300.0
#define LARGE_ENTRY 220.0
#define LARGE_OPERATION 0.13
#define LARGE_SPEED 6.0 /* over KLU where some contacts are open, as in most steps */

/* A diagonal entry of this part of the largest in its column is KLU's pivot. By its default of 1e-3 it depends on the
 * units whether pivots leave the diagonal: then elements of pneunet fill the factor, which takes 35 times as long. */
#define DIAGONAL_PIVOT 1e-6

struct nb_sparse_lu {
    int order, single; /* in single precision */
    size_t entries;
    int *start, *row;
    double *value;
    int *integers;     /* [order] of UMFPACK's solves and of permutations */
    void *memory;      /* of these arrays and the dense ones              */
    /* Double: KLU. */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    bool on_diagonal; /* all pivots of the last one that looked for them */
    /* Double and dear for KLU: UMFPACK. */
    int large;
    void *factor;
    double control[UMFPACK_CONTROL];
    double *work, *right; /* [order], [order] */
    void *large_memory;
    /* Single: dense, column-major. */
    float *dense, *right_side;
    lapack_int *pivot;
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_sparse_lu *lu = data;
    const size_t n = (size_t)lu->order, single = lu->single ? n : 0;
    NB_ARRAY(arena, lu->start, n + 1);
    NB_ARRAY(arena, lu->row, lu->entries);
    NB_ARRAY(arena, lu->value, lu->entries);
    NB_ARRAY(arena, lu->integers, n);
    NB_ARRAY(arena, lu->dense, single * single);
    NB_ARRAY(arena, lu->right_side, single);
    NB_ARRAY(arena, lu->pivot, single);
}

static void lay_out_large(void *data, struct nb_arena *arena)
{
    struct nb_sparse_lu *lu = data;
    const size_t n = (size_t)lu->order;
    NB_ARRAY(arena, lu->work, n);
    NB_ARRAY(arena, lu->right, n);
}

static enum nb_status create_large(struct nb_sparse_lu *lu, struct nb_error *error)
{
    lu->large = 1;
    /* METIS where minimum degree fills much. No refinement, as KLU has none: it takes five times as long as
     * the solve, and a Newton step gains nothing by it. */
    umfpack_di_defaults(lu->control);
    lu->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    lu->control[UMFPACK_ORDERING] = UMFPACK_ORDERING_CHOLMOD;
    lu->control[UMFPACK_IRSTEP] = 0;
    lu->large_memory = nb_arena_allocate(lay_out_large, lu);
    return lu->large_memory
               ? NB_OK
               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an LU of %d rows", lu->order);
}

static double price_of_large(const struct nb_sparse_lu *lu, double entries, double operations)
{
    return LARGE_COLUMN * lu->order + LARGE_ENTRY * entries + LARGE_OPERATION * operations;
}

static enum nb_status create_sparse(struct nb_sparse_lu *lu, struct nb_error *error)
{
    klu_defaults(&lu->common);
    lu->common.tol = DIAGONAL_PIVOT;
    if (lu->order == 0)
        return NB_OK;
    lu->symbolic = klu_analyze(lu->order, lu->start, lu->row, &lu->common);
    if (!lu->symbolic)
        return nb_fail(error, NB_OUT_OF_MEMORY, "KLU could not order %d rows: status %d", lu->order,
                       lu->common.status);
    const double operations = lu->symbolic->est_flops;
    return operations > price_of_large(lu, lu->start[lu->order], operations) ? create_large(lu, error) : NB_OK;
}

enum nb_status nb_sparse_lu_create(struct nb_sparse_lu **out, int order, const int *start,
                                   const int *row, int single, struct nb_error *error)
{
    *out = NULL;
    if (single && order > NB_DENSE_LIMIT)
        return nb_fail(error, NB_UNSUPPORTED,
                       "LU in single precision is dense and limited to %d rows; this system has %d",
                       NB_DENSE_LIMIT, order);
    struct nb_sparse_lu *lu = calloc(1, sizeof *lu);
    if (!lu)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an LU factorisation");
    lu->order = order;
    lu->single = single;
    lu->entries = (size_t)start[order];
    lu->memory = nb_arena_allocate(lay_out, lu);
    enum nb_status status = NB_OK;
    if (lu->memory) {
        memcpy(lu->start, start, ((size_t)order + 1) * sizeof *start);
        memcpy(lu->row, row, lu->entries * sizeof *row);
        status = single ? NB_OK : create_sparse(lu, error);
    } else {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an LU of %d rows", order);
    }
    if (status) {
        nb_sparse_lu_free(lu);
        return status;
    }
    *out = lu;
    return NB_OK;
}

double nb_sparse_lu_operations(const struct nb_sparse_lu *lu)
{
    const double n = lu->order;
    if (lu->single)
        return 2 * n * n * n / 3;
    if (!lu->symbolic)
        return 0;
    const double operations = fmax(lu->symbolic->est_flops, 0);
    return (lu->large ? fmax(operations / LARGE_SPEED, price_of_large(lu, lu->start[lu->order], 0)) : operations) +
           4 * fmax(lu->symbolic->lnz, n);
}

double *nb_sparse_lu_values(struct nb_sparse_lu *lu)
{
    return lu->value;
}

static enum nb_status update_dense(struct nb_sparse_lu *lu, struct nb_error *error)
{
    const size_t n = (size_t)lu->order;
    memset(lu->dense, 0, n * n * sizeof *lu->dense);
    for (size_t j = 0; j < n; ++j)
        for (int k = lu->start[j]; k < lu->start[j + 1]; ++k)
            lu->dense[j * n + (size_t)lu->row[k]] = (float)lu->value[k];
    const lapack_int info = LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, lu->order, lu->order, lu->dense,
                                                lu->order, lu->pivot);
    return info == 0 ? NB_OK : nb_fail(error, NB_BREAKDOWN, "LU failed: singular at row %d", info - 1);
}

/* Whether the diagonal would be KLU's pivot in every column again, as it is in this factor: it is by DIAGONAL_PIVOT or
 * more of the column's largest, and of L the column is divided by it. Half of that keeps rounding out of the answer. */
static bool keeps_pivots(const struct nb_sparse_lu *lu)
{
    const double most = 0.5 / DIAGONAL_PIVOT;
    for (int block = 0; block < lu->symbolic->nblocks; ++block) {
        const int first = lu->symbolic->R[block], end = lu->symbolic->R[block + 1];
        const double *columns = lu->numeric->LUbx[block]; /* of each column the rows, then the values */
        if (end == first + 1 && ((double *)lu->numeric->Udiag)[first] == 0)
            return false;
        for (int j = first; end > first + 1 && j < end; ++j) {
            const size_t count = (size_t)lu->numeric->Llen[j], words = sizeof *columns / sizeof *lu->start;
            const double *value = columns + lu->numeric->Lip[j] + (count + words - 1) / words;
            for (size_t k = 0; k < count; ++k)
                if (!(fabs(value[k]) <= most))
                    return false;
        }
    }
    return true;
}

static bool refactor(struct nb_sparse_lu *lu)
{
    return lu->numeric && lu->on_diagonal &&
           klu_refactor(lu->start, lu->row, lu->value, lu->symbolic, lu->numeric, &lu->common) &&
           lu->common.status == KLU_OK && keeps_pivots(lu);
}

static enum nb_status update_sparse(struct nb_sparse_lu *lu, struct nb_error *error)
{
    if (refactor(lu))
        return NB_OK;
    klu_free_numeric(&lu->numeric, &lu->common);
    lu->numeric = klu_factor(lu->start, lu->row, lu->value, lu->symbolic, &lu->common);
    lu->on_diagonal = lu->numeric && lu->common.noffdiag == 0;
    return lu->numeric && lu->common.status == KLU_OK
               ? NB_OK
               : nb_fail(error, NB_BREAKDOWN, "LU failed: singular at column %d",
                         lu->common.singular_col);
}

/* The entries that are not zero, while UMFPACK looks at them. */
struct nonzeros {
    int *start, *row; /* [order + 1], [entries] */
    double *value;
    const struct nb_sparse_lu *lu;
};

static void lay_out_nonzeros(void *data, struct nb_arena *arena)
{
    struct nonzeros *self = data;
    NB_ARRAY(arena, self->start, self->lu->order + 1);
    NB_ARRAY(arena, self->row, self->lu->entries);
    NB_ARRAY(arena, self->value, self->lu->entries);
}

static void leave_out_zeros(struct nonzeros *self)
{
    const struct nb_sparse_lu *lu = self->lu;
    int count = 0;
    for (int j = 0; j < lu->order; ++j) {
        for (int k = lu->start[j]; k < lu->start[j + 1]; ++k)
            if (lu->value[k] != 0) {
                self->row[count] = lu->row[k];
                self->value[count++] = lu->value[k];
            }
        self->start[j + 1] = count;
    }
}

/* Ordered anew, since other entries may be zero: an open contact fills nothing. */
static enum nb_status update_large(struct nb_sparse_lu *lu, struct nb_error *error)
{
    struct nonzeros a = {.lu = lu};
    void *symbolic = NULL, *memory = NULL;
    double info[UMFPACK_INFO];
    umfpack_di_free_numeric(&lu->factor);
    memory = nb_arena_allocate(lay_out_nonzeros, &a);
    if (!memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an LU of %d rows", lu->order);
    leave_out_zeros(&a);
    int status = umfpack_di_symbolic(lu->order, lu->order, a.start, a.row, a.value, &symbolic, lu->control, info);
    if (status == UMFPACK_OK)
        status = umfpack_di_numeric(a.start, a.row, a.value, symbolic, &lu->factor, lu->control, info);
    umfpack_di_free_symbolic(&symbolic);
    free(memory);
    if (status == UMFPACK_OK)
        return NB_OK;
    return status == UMFPACK_WARNING_singular_matrix
               ? nb_fail(error, NB_BREAKDOWN, "LU failed: singular")
               : nb_fail(error, NB_OUT_OF_MEMORY, "UMFPACK failed on %d rows: status %d", lu->order,
                         status);
}

enum nb_status nb_sparse_lu_update(struct nb_sparse_lu *lu, struct nb_error *error)
{
    if (lu->order == 0)
        return NB_OK;
    for (int k = 0; k < lu->start[lu->order]; ++k)
        if (!isfinite(lu->value[k]))
            return nb_fail(error, NB_BREAKDOWN, "LU failed: entry %d is not finite", k);
    if (lu->single)
        return update_dense(lu, error);
    if (lu->large)
        return update_large(lu, error);
    return update_sparse(lu, error);
}

void nb_sparse_lu_solve(struct nb_sparse_lu *lu, double *x)
{
    if (lu->order == 0)
        return;
    if (lu->large) {
        double info[UMFPACK_INFO];
        memcpy(lu->right, x, (size_t)lu->order * sizeof *x);
        umfpack_di_wsolve(UMFPACK_A, NULL, NULL, NULL, x, lu->right, lu->factor, lu->control, info, lu->integers,
                          lu->work); /* without refinement, which alone looks at the matrix */
        return;
    }
    if (!lu->single) {
        klu_solve(lu->symbolic, lu->numeric, lu->order, 1, x, &lu->common);
        return;
    }
    for (int i = 0; i < lu->order; ++i)
        lu->right_side[i] = (float)x[i];
    LAPACKE_sgetrs_work(LAPACK_COL_MAJOR, 'N', lu->order, 1, lu->dense, lu->order, lu->pivot,
                        lu->right_side, lu->order);
    for (int i = 0; i < lu->order; ++i)
        x[i] = (double)lu->right_side[i];
}

void nb_sparse_lu_forget(struct nb_sparse_lu *lu)
{
    klu_free_numeric(&lu->numeric, &lu->common);
    umfpack_di_free_numeric(&lu->factor);
}

/* 1 for an even permutation, -1 for an odd one; seen [order] is scratch. */
static int permutation_sign(const int *permutation, int order, int *seen)
{
    int sign = 1;
    memset(seen, 0, (size_t)order * sizeof *seen);
    for (int i = 0; i < order; ++i)
        for (int j = permutation[i]; !seen[i] && j != i; j = permutation[j]) {
            seen[j] = 1;
            sign = -sign;
        }
    return sign;
}

int nb_sparse_lu_sign(const struct nb_sparse_lu *lu)
{
    double mantissa = 1, exponent;
    if (lu->large) {
        umfpack_di_get_determinant(&mantissa, &exponent, lu->factor, NULL);
        return mantissa < 0 ? -1 : 1;
    }
    const double *diagonal = lu->numeric->Udiag;
    int sign = permutation_sign(lu->numeric->Pnum, lu->order, lu->integers) *
               permutation_sign(lu->symbolic->Q, lu->order, lu->integers);
    for (int i = 0; i < lu->order; ++i)
        sign = diagonal[i] < 0 ? -sign : sign;
    return sign;
}

void nb_sparse_lu_free(struct nb_sparse_lu *lu)
{
    if (!lu)
        return;
    nb_sparse_lu_forget(lu);
    if (lu->symbolic)
        klu_free_symbolic(&lu->symbolic, &lu->common);
    free(lu->memory);
    free(lu->large_memory);
    free(lu);
}
