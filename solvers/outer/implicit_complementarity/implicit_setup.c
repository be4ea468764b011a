/* What the implicit complementarity method allocates, and the pattern of its normal matrix B^T J^T J B: two
 * blocks meet where their rows of W share a neighbour. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/sorted.h"
#include "solvers/block/block_factor.h"
#include "solvers/outer/implicit_complementarity/implicit_newton.h"

enum { MOST_BLOCKS = 100000000 };

void nb_implicit_free(struct nb_implicit *self)
{
    if (!self)
        return;
    nb_step_rows_free(&self->rows);
    nb_bsr_free(&self->normal);
    nb_factor_free(self->factor);
    free(self->mirror);
    free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_implicit *self = data;
    const struct nb_bsr *w = self->rows.op.matrix;
    const size_t n = self->rows.size, contacts = (size_t)self->rows.model->contacts;
    nb_real **by_row[] = {&self->sigma, &self->x, &self->newton, &self->cauchy, &self->trial,
                          &self->best, &self->residual, &self->residual_trial, &self->p,
                          &self->velocity, &self->back, &self->gradient, &self->step, &self->work,
                          &self->kept};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; ++i)
        NB_ARRAY(arena, *by_row[i], n);
    NB_ARRAY(arena, self->slope, 3 * n);
    NB_ARRAY(arena, self->basis, 3 * n);
    NB_ARRAY(arena, self->jacobian, 9 * (size_t)w->start[w->rows]);
    NB_ARRAY(arena, self->kept_u, 3 * (size_t)self->rows.model->nodes);
    NB_ARRAY(arena, self->where, n / 3);
    NB_ARRAY(arena, self->on, contacts);
    NB_ARRAY(arena, self->active, contacts);
    NB_ARRAY(arena, self->crossing, 3 * contacts);
}

/* Columns of row j of J^T J: the neighbours of j's neighbours. Only counts where out is NULL. */
static int neighbours(const struct nb_bsr *w, int j, int *mark, int *out)
{
    int count = 0;
    for (int k = w->start[j]; k < w->start[j + 1]; ++k) {
        const int i = w->column[k];
        for (int m = w->start[i]; m < w->start[i + 1]; ++m)
            if (mark[w->column[m]] != j + 1) {
                mark[w->column[m]] = j + 1;
                if (out)
                    out[count] = w->column[m];
                ++count;
            }
    }
    if (out)
        nb_sort_ints(out, count);
    return count;
}

static enum nb_status fill_pattern(struct nb_implicit *self, struct nb_error *error)
{
    const struct nb_bsr *w = self->rows.op.matrix;
    struct nb_bsr *normal = &self->normal;
    long total = 0;
    for (int j = 0; j < w->rows && total <= MOST_BLOCKS; ++j)
        total += neighbours(w, j, self->where, NULL);
    if (total > MOST_BLOCKS)
        return nb_fail(error, NB_UNSUPPORTED, "J^T J of the implicit complementarity method "
                       "would hold more than 1e8 blocks");
    const enum nb_status status = nb_bsr_allocate(normal, w->rows, w->rows, (int)total, error);
    if (status)
        return status;
    memset(self->where, 0, (size_t)w->rows * sizeof *self->where);
    for (int j = 0; j < w->rows; ++j)
        normal->start[j + 1] =
            normal->start[j] + neighbours(w, j, self->where, normal->column + normal->start[j]);
    return NB_OK;
}

enum nb_status nb_implicit_create(struct nb_implicit **out, struct nb_model *model,
                                  int scale, int threads, struct nb_error *error)
{
    struct nb_implicit *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the implicit complementarity method");
    self->scale = scale;
    enum nb_status status = nb_step_rows_create(&self->rows, model, threads, 1, error);
    if (!status && !(self->memory = nb_arena_allocate(lay_out, self)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the implicit complementarity method");
    if (!status)
        status = nb_bsr_mirror(self->rows.op.matrix, &self->mirror, error);
    if (!status)
        status = fill_pattern(self, error);
    if (!status)
        status = nb_block_factor_create(&self->factor, &self->normal, 0, error);
    if (status) {
        nb_implicit_free(self);
        return status;
    }
    *out = self;
    return NB_OK;
}
