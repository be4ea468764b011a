/* One V-cycle of smoothed aggregation (solvers/precond/multigrid/multigrid.h): a damped block Jacobi step before and
 * after the coarse correction, which keeps the cycle symmetric and positive definite; the coarsest level is
 * factorised densely. */
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/block/dense_small.h"
#include "solvers/precond/multigrid/multigrid.h"

static void release(void *self)
{
    if (self)
        nb_multigrid_free(self);
    free(self);
}

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    struct nb_multigrid *grid = calloc(1, sizeof *grid);
    *self = grid;
    return grid ? nb_multigrid_setup(grid, op->matrix, error)
                : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for amg");
}

static enum nb_status update(void *self, const struct nb_operator *op, struct nb_error *error)
{
    struct nb_multigrid *grid = self;
    (void)op;
    for (int l = 0; l < grid->levels; ++l)
        if (!nb_multigrid_refill(grid, l))
            return nb_fail(error, NB_BREAKDOWN, "amg: a diagonal block of level %d is not positive definite",
                           l);
    if (!grid->coarse)
        return NB_OK;
    const struct nb_bsr *matrix = grid->level[grid->levels - 1].matrix;
    nb_bsr_to_dense(matrix, grid->coarse);
    if (nb_dense_factor(3 * matrix->rows, grid->coarse) < 3 * matrix->rows)
        return nb_fail(error, NB_BREAKDOWN, "amg: the coarsest matrix is not positive definite");
    return NB_OK;
}

/* x += omega D^-1 (b - A x) */
static void smooth(const struct nb_multigrid_level *level, nb_real *x)
{
    nb_bsr_multiply(level->matrix, x, level->r, 1);
    for (int i = 0; i < level->matrix->rows; ++i) {
        nb_real rest[3], change[3];
        for (int e = 0; e < 3; ++e)
            rest[e] = level->b[3 * i + e] - level->r[3 * i + e];
        nb_block_apply(level->inverse + 9 * (size_t)i, rest, change);
        for (int e = 0; e < 3; ++e)
            x[3 * i + e] += level->omega * change[e];
    }
}

/* coarse b = P^T (b - A x) */
static void restrict_residual(const struct nb_multigrid_level *level, nb_real *coarse)
{
    const struct nb_bsr *p = &level->prolong;
    memset(coarse, 0, 3 * (size_t)p->columns * sizeof *coarse);
    nb_bsr_multiply(level->matrix, level->x, level->r, 1);
    for (int i = 0; i < p->rows; ++i) {
        nb_real rest[3];
        for (int e = 0; e < 3; ++e)
            rest[e] = level->b[3 * i + e] - level->r[3 * i + e];
        for (int k = p->start[i]; k < p->start[i + 1]; ++k)
            nb_block_apply_transposed_add(p->value + 9 * (size_t)k, rest, coarse + 3 * (size_t)p->column[k]);
    }
}

static void prolong(const struct nb_multigrid_level *level, const nb_real *coarse)
{
    const struct nb_bsr *p = &level->prolong;
    for (int i = 0; i < p->rows; ++i)
        for (int k = p->start[i]; k < p->start[i + 1]; ++k)
            nb_block_apply_add(p->value + 9 * (size_t)k, coarse + 3 * (size_t)p->column[k],
                               level->x + 3 * (size_t)i);
}

static void cycle(const struct nb_multigrid *grid, int l)
{
    const struct nb_multigrid_level *level = &grid->level[l];
    const size_t n = 3 * (size_t)level->matrix->rows;
    if (!level->aggregate && grid->coarse) {
        memcpy(level->x, level->b, n * sizeof *level->x);
        nb_dense_solve((int)n, grid->coarse, level->x);
        return;
    }
    memset(level->x, 0, n * sizeof *level->x);
    smooth(level, level->x);
    if (level->aggregate) {
        restrict_residual(level, grid->level[l + 1].b);
        cycle(grid, l + 1);
        prolong(level, grid->level[l + 1].x);
    }
    smooth(level, level->x);
}

static void apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const struct nb_multigrid *grid = self;
    memcpy(grid->level[0].b, r, op->size * sizeof *r);
    cycle(grid, 0);
    memcpy(z, grid->level[0].x, op->size * sizeof *z);
}

const struct nb_precond NB(nb_precond_amg) = {
    .name = "amg",
    .title = "smoothed aggregation multigrid on contacts and bodies",
    .source = "Vanek, Mandel and Brezina 1996; Brezina et al. 2005",
    .needs_matrix = 1,
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = release,
};
