/* A = L L^T or L D L^T by blocks into CHOLMOD's factor (solvers/block/block_factor.h); self is that factor. */
#include "solvers/linear/direct/sparse_direct.h"

#include <string.h>

#include "solvers/block/block_factor.h"

void nb_sparse_direct_free(void *self) { nb_factor_free(self); }

enum nb_status nb_sparse_direct_setup(void **self, const struct nb_operator *op, int ldl,
                                      const char *name, struct nb_error *error)
{
    struct nb_factor *factor = NULL;
    *self = NULL;
    if (sizeof(nb_real) == sizeof(float) && ldl)
        return nb_fail(error, NB_UNSUPPORTED, "%s: CHOLMOD has no single precision here; plain cholesky, "
                       "dense_cholesky and dense_ldlt have", name);
    if (op->matrix->start[op->matrix->rows] > 200000000)
        return nb_fail(error, NB_UNSUPPORTED, "%s: more than 1.8e9 entries", name);
    const enum nb_status status = nb_block_factor_create(&factor, op->matrix, ldl, error);
    *self = factor;
    return status;
}

enum nb_status nb_sparse_direct_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    const struct nb_bsr *matrix = op->matrix;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            nb_real block[9];
            if (matrix->column[k] < i)
                continue;
            for (int e = 0; e < 9; ++e)
                block[e] = (nb_real)matrix->value[9 * (size_t)k + (size_t)e];
            nb_block_factor_set(self, matrix, i, k, block);
        }
    return nb_factor_update(self, error);
}

struct nb_linear_report nb_sparse_direct_solve(void *self, const struct nb_linear_task *task)
{
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    memcpy(task->x, task->b, task->op->size * sizeof *task->x);
    if (nb_block_factor_solve(self, task->x))
        report.ending = NB_LINEAR_BREAKDOWN, report.detail = "solve with the factor";
    else if (!isfinite((double)nb_norm(task->op->size, task->x, task->op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    if (task->observe)
        task->observe(task->observe_context, 1, task->x);
    return report;
}
