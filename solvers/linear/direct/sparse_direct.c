#include "solvers/linear/direct/sparse_direct.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/block/block_factor.h"

struct direct {
    struct nb_factor *factor;
    const int *index; /* of each scalar entry of the block matrix, by rows */
};

void nb_sparse_direct_free(void *self)
{
    struct direct *direct = self;
    if (direct)
        nb_factor_free(direct->factor);
    free(direct);
}

enum nb_status nb_sparse_direct_setup(void **self, const struct nb_operator *op,
                                   const struct nb_factor_plan *plan, const char *name,
                                   struct nb_error *error)
{
    const int single = sizeof(nb_real) == sizeof(float);
    const int planned = plan->ldl || plan->method || plan->ordering;
    *self = NULL;
    if (single && planned)
        return nb_fail(error, NB_UNSUPPORTED, "%s: CHOLMOD has no single precision here; plain cholesky, "
                       "dense_cholesky and dense_ldlt have", name);
    if (op->matrix->start[op->matrix->rows] > 200000000)
        return nb_fail(error, NB_UNSUPPORTED, "%s: more than 1.8e9 entries", name);
    enum nb_status status = NB_OK;
    struct direct *direct = calloc(1, sizeof *direct);
    const size_t blocks = (size_t)op->matrix->start[op->matrix->rows];
    int *start = malloc((op->size + 1) * sizeof *start);
    int *column = malloc((9 * blocks + 1) * sizeof *column);
    if (!direct || !start || !column) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Cholesky factor's pattern");
        goto done;
    }
    nb_scalar_pattern(op->matrix, start, column);
    status = single ? nb_factor_create(&direct->factor, (int)op->size, start, column, 1, error)
                    : nb_factor_create_planned(&direct->factor, (int)op->size, start, column, plan,
                                               error);
    if (!status)
        direct->index = nb_factor_index(direct->factor);
done:
    free(start);
    free(column);
    if (status) {
        nb_sparse_direct_free(direct);
        return status;
    }
    *self = direct;
    return NB_OK;
}

enum nb_status nb_sparse_direct_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    const struct direct *direct = self;
    const struct nb_bsr *matrix = op->matrix;
    double *wide = nb_factor_values(direct->factor);
    float *narrow = nb_factor_values_single(direct->factor);
    const int *index = direct->index;
    for (int i = 0; i < matrix->rows; ++i)
        for (int r = 0; r < 3; ++r)
            for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c, ++index) {
                    const nb_matrix value = matrix->value[9 * (size_t)k + (size_t)(3 * r + c)];
                    if (*index < 0)
                        continue;
                    if (narrow)
                        narrow[*index] = (float)value;
                    else
                        wide[*index] = (double)value;
                }
    return nb_factor_update(direct->factor, error);
}

struct nb_linear_report nb_sparse_direct_solve(void *self, const struct nb_linear_task *task)
{
    const struct direct *direct = self;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const void *b = task->b;
    void *x = task->x;
    const int single = sizeof(nb_real) == sizeof(float);
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    const enum nb_status status = single
                                      ? nb_factor_solve_single(direct->factor, b, x, NULL)
                                      : nb_factor_solve(direct->factor, b, x, NULL);
    if (status)
        report.ending = NB_LINEAR_BREAKDOWN, report.detail = "solve with the factor";
    else if (!isfinite((double)nb_norm(task->op->size, task->x, task->op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    if (task->observe)
        task->observe(task->observe_context, 1, task->x);
    return report;
}
