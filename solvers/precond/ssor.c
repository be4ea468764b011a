/* Symmetric Gauss-Seidel by contact blocks, P = (D + L) D^-1 (D + L^T) with D the 3x3 diagonal blocks
 * of A and L what lies below them (Saad 2003, section 10.2, SSOR with omega = 1). */
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/strategy.h"

/* [9 blocks]: L_i^-1 of the Cholesky factor of each diagonal block, so that D_i^-1 = L_i^-T L_i^-1. */
static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    *self = malloc((3 * op->size + 1) * sizeof(nb_real));
    return *self ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the diagonal blocks");
}

static enum nb_status update(void *self, const struct nb_operator *op, struct nb_error *error)
{
    const struct nb_bsr *matrix = op->matrix;
    nb_real *inverse = self;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            nb_real block[9];
            if (matrix->column[k] != i)
                continue;
            for (int e = 0; e < 9; ++e)
                block[e] = (nb_real)matrix->value[9 * (size_t)k + (size_t)e];
            if (!nb_block_invert_factor(block, inverse + 9 * (size_t)i))
                return nb_fail(error, NB_BREAKDOWN, "ssor: diagonal block %d is not positive definite", i);
        }
    return NB_OK;
}

/* x = D_i^-1 x */
static void solve_block(const nb_real *inverse, nb_real *x)
{
    nb_real y[3];
    nb_block_lower_apply(inverse, x, y);
    nb_block_lower_apply_transposed(inverse, y, x);
}

/* (D + L) y = r downwards, then (D + L^T) z = D y upwards: z_i = y_i - D_i^-1 sum_{j > i} A_ij z_j. */
static void apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const struct nb_bsr *matrix = op->matrix;
    const nb_real *inverse = self;
    for (int i = 0; i < matrix->rows; ++i) {
        nb_real sum[3] = {0, 0, 0};
        for (int k = matrix->start[i]; k < matrix->start[i + 1] && matrix->column[k] < i; ++k)
            nb_block_apply_add(matrix->value + 9 * (size_t)k, z + 3 * (size_t)matrix->column[k], sum);
        for (int e = 0; e < 3; ++e)
            z[3 * i + e] = r[3 * i + e] - sum[e];
        solve_block(inverse + 9 * (size_t)i, z + 3 * (size_t)i);
    }
    for (int i = matrix->rows - 1; i >= 0; --i) {
        nb_real sum[3] = {0, 0, 0};
        for (int k = matrix->start[i + 1] - 1; k >= matrix->start[i] && matrix->column[k] > i; --k)
            nb_block_apply_add(matrix->value + 9 * (size_t)k, z + 3 * (size_t)matrix->column[k], sum);
        solve_block(inverse + 9 * (size_t)i, sum);
        for (int e = 0; e < 3; ++e)
            z[3 * i + e] -= sum[e];
    }
}

const struct nb_precond NB(nb_precond_ssor) = {
    .name = "ssor",
    .title = "symmetric Gauss-Seidel by contact blocks",
    .source = "Saad 2003, section 10.2",
    .needs_matrix = 1,
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = free,
};
