/* A = L L^T by potrf, or P A P^T = L D L^T by sytrf with Bunch and Kaufman's pivots (1977), of the lower triangle of a
 * dense copy of A; then the two substitutions. */
#include "solvers/linear/direct/dense_direct.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/sparse/factor.h"

enum { WORK_COLUMNS = 64 }; /* of sytrf: room for its blocked form */

struct dense {
    int order, pivoted;
    nb_real *matrix; /* [order^2] by columns, lower triangle: the factor */
    nb_real *work;   /* [WORK_COLUMNS order], pivoted only               */
    lapack_int *pivot;
    void *memory;    /* of these arrays                                  */
};

void nb_dense_direct_free(void *self)
{
    struct dense *dense = self;
    if (dense)
        free(dense->memory);
    free(dense);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct dense *dense = data;
    const size_t n = (size_t)dense->order;
    NB_ARRAY(arena, dense->matrix, n * n);
    NB_ARRAY(arena, dense->work, dense->pivoted ? WORK_COLUMNS * n : 0);
    NB_ARRAY(arena, dense->pivot, n);
}

enum nb_status nb_dense_direct_setup(void **self, const struct nb_operator *op, int pivoted,
                                     const char *name, struct nb_error *error)
{
    *self = NULL;
    if (op->size > NB_DENSE_LIMIT)
        return nb_fail(error, NB_UNSUPPORTED, "%s is limited to %d rows; this system has %zu", name,
                       NB_DENSE_LIMIT, op->size);
    struct dense *dense = calloc(1, sizeof *dense);
    *self = dense;
    if (!dense)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
    dense->order = (int)op->size;
    dense->pivoted = pivoted;
    dense->memory = nb_arena_allocate(lay_out, dense);
    return dense->memory ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
}

static lapack_int factorise(struct dense *dense)
{
    const lapack_int n = dense->order, room = WORK_COLUMNS * n;
    void *a = dense->matrix, *work = dense->work;
    if (sizeof(nb_real) == sizeof(float))
        return dense->pivoted ? LAPACKE_ssytrf_work(LAPACK_COL_MAJOR, 'L', n, a, n, dense->pivot, work,
                                                    room)
                              : LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n);
    return dense->pivoted
               ? LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, a, n, dense->pivot, work, room)
               : LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n);
}

static lapack_int solve_factor(const struct dense *dense, nb_real *x)
{
    const lapack_int n = dense->order;
    const void *a = dense->matrix;
    void *b = x;
    if (sizeof(nb_real) == sizeof(float))
        return dense->pivoted
                   ? LAPACKE_ssytrs_work(LAPACK_COL_MAJOR, 'L', n, 1, a, n, dense->pivot, b, n)
                   : LAPACKE_spotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, a, n, b, n);
    return dense->pivoted
               ? LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, 1, a, n, dense->pivot, b, n)
               : LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, a, n, b, n);
}

enum nb_status nb_dense_direct_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    struct dense *dense = self;
    if (dense->order == 0)
        return NB_OK;
    nb_bsr_to_dense(op->matrix, dense->matrix);
    const lapack_int info = factorise(dense);
    if (info == 0)
        return NB_OK;
    return nb_fail(error, NB_BREAKDOWN,
                   dense->pivoted ? "L D L^T failed: singular at row %d of %d"
                                  : "Cholesky failed: not positive definite at row %d of %d",
                   (int)info - 1, dense->order);
}

struct nb_linear_report nb_dense_direct_solve(void *self, const struct nb_linear_task *task)
{
    const struct dense *dense = self;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    memcpy(task->x, task->b, task->op->size * sizeof *task->x);
    if (dense->order > 0 && solve_factor(dense, task->x))
        report.ending = NB_LINEAR_BREAKDOWN, report.detail = "solve with the factor";
    else if (!isfinite((double)nb_norm(task->op->size, task->x, task->op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    if (task->observe)
        task->observe(task->observe_context, 1, task->x);
    return report;
}
