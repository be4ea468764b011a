/* Sparse Cholesky by CHOLMOD, its symbolic analysis reused over the Newton iterations (Chen, Davis,
 * Hager and Rajamanickam 2008); dense Cholesky by LAPACKE in single precision, which CHOLMOD of
 * Debian 12 does not have. */
#include <stdlib.h>
#include <string.h>

#include "solvers/factor.h"
#include "solvers/strategy.h"

struct cholesky {
    struct nb_factor *factor;
    const int *index; /* of each scalar entry of the block matrix, by rows */
};

static void release(void *self)
{
    struct cholesky *cholesky = self;
    if (cholesky)
        nb_factor_free(cholesky->factor);
    free(cholesky);
}

/* Scalar rows of the block pattern: start [n + 1], column [9 blocks]. */
static void scalar_pattern(const struct NB(nb_bsr) *matrix, int *start, int *column)
{
    int at = 0;
    for (int i = 0; i < matrix->rows; ++i)
        for (int r = 0; r < 3; ++r) {
            start[3 * i + r] = at;
            for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c)
                    column[at++] = 3 * matrix->column[k] + c;
        }
    start[3 * matrix->rows] = at;
}

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    *self = NULL;
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED, "cholesky needs the assembled operator");
    if (op->matrix->start[op->matrix->rows] > 200000000)
        return nb_fail(error, NB_UNSUPPORTED, "cholesky: more than 1.8e9 entries");
    enum nb_status status = NB_OK;
    struct cholesky *cholesky = calloc(1, sizeof *cholesky);
    const size_t blocks = (size_t)op->matrix->start[op->matrix->rows];
    int *start = malloc((op->size + 1) * sizeof *start);
    int *column = malloc((9 * blocks + 1) * sizeof *column);
    if (!cholesky || !start || !column) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Cholesky factor's pattern");
        goto done;
    }
    scalar_pattern(op->matrix, start, column);
    status = nb_factor_create(&cholesky->factor, (int)op->size, start, column,
                              sizeof(nb_real) == sizeof(float), error);
    if (!status)
        cholesky->index = nb_factor_index(cholesky->factor);
done:
    free(start);
    free(column);
    if (status) {
        release(cholesky);
        return status;
    }
    *self = cholesky;
    return NB_OK;
}

static enum nb_status update(void *self, struct NB(nb_operator) *op, struct nb_error *error)
{
    const struct cholesky *cholesky = self;
    const struct NB(nb_bsr) *matrix = op->matrix;
    double *wide = nb_factor_values(cholesky->factor);
    float *narrow = nb_factor_values_single(cholesky->factor);
    const int *index = cholesky->index;
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
    return nb_factor_update(cholesky->factor, error);
}

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    const struct cholesky *cholesky = self;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const void *b = task->b;
    void *x = task->x;
    const int single = sizeof(nb_real) == sizeof(float);
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    const enum nb_status status = single
                                      ? nb_factor_solve_single(cholesky->factor, b, x, NULL)
                                      : nb_factor_solve(cholesky->factor, b, x, NULL);
    if (status)
        report.ending = NB_LINEAR_BREAKDOWN, report.detail = "solve with the factor";
    else if (!isfinite((double)NB(nb_norm)(task->op->size, task->x, task->op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    if (task->observe)
        task->observe(task->observe_context, 1, task->x);
    return report;
}

const struct NB(nb_linear) NB(nb_linear_cholesky) = {
    .name = "cholesky",
    .title = "Cholesky",
    .source = "Chen, Davis, Hager and Rajamanickam 2008 (CHOLMOD); LAPACK spotrf in f32",
    .direct = 1,
    .setup = setup,
    .update = update,
    .solve = solve,
    .free = release,
};
