/* What the implicit complementarity method allocates, and the pattern of its normal matrix. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "solvers/outer/implicit_complementarity/implicit_newton.h"

void NB(nb_implicit_free)(struct NB(nb_implicit) *self)
{
    if (!self)
        return;
    NB(nb_step_rows_free)(&self->rows);
    nb_factor_free(self->factor);
    free(self->start);
    free(self->column);
    free(self->mirror);
    free(self->where);
    free(self->on);
    free(self->active);
    free(self->crossing);
    free(self->storage);
    free(self->jacobian);
    free(self->normal_matrix);
    free(self->wide);
    free(self->narrow);
    free(self);
}

static enum nb_status out_of_memory(struct nb_error *error)
{
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the implicit complementarity method");
}

static enum nb_status allocate(struct NB(nb_implicit) *self, struct nb_error *error)
{
    const size_t n = self->rows.size, contacts = (size_t)self->rows.model->contacts;
    const size_t nodes = 3 * (size_t)self->rows.model->nodes;
    nb_real **by_row[] = {&self->sigma, &self->x, &self->newton, &self->cauchy, &self->trial,
                          &self->best, &self->residual, &self->residual_trial, &self->p,
                          &self->velocity, &self->back, &self->gradient, &self->step, &self->work,
                          &self->kept};
    const size_t count = sizeof by_row / sizeof *by_row;
    self->storage = calloc((count + 6) * n + nodes + 1, sizeof *self->storage);
    self->where = calloc(n / 3 + 1, sizeof *self->where);
    self->on = calloc(contacts + 1, sizeof *self->on);
    self->active = calloc(contacts + 1, sizeof *self->active);
    self->crossing = calloc(3 * contacts + 1, sizeof *self->crossing);
    self->wide = calloc(n + 1, sizeof *self->wide);
    self->narrow = calloc(n + 1, sizeof *self->narrow);
    if (!self->storage || !self->where || !self->on || !self->active || !self->crossing ||
        !self->wide || !self->narrow)
        return out_of_memory(error);
    for (size_t i = 0; i < count; ++i)
        *by_row[i] = self->storage + i * n;
    self->slope = self->storage + count * n;
    self->basis = self->slope + 3 * n;
    self->kept_u = self->basis + 3 * n;
    return NB_OK;
}

/* Columns of row j of J^T J: the neighbours of j's neighbours. Only counts where out is NULL. */
static int neighbours(const struct NB(nb_bsr) *d, int j, int *mark, int *out)
{
    int count = 0;
    for (int k = d->start[j]; k < d->start[j + 1]; ++k) {
        const int i = d->column[k];
        for (int m = d->start[i]; m < d->start[i + 1]; ++m)
            if (mark[d->column[m]] != j + 1) {
                mark[d->column[m]] = j + 1;
                if (out)
                    out[count] = d->column[m];
                ++count;
            }
    }
    if (out)
        nb_sort_ints(out, count);
    return count;
}

static enum nb_status fill_pattern(struct NB(nb_implicit) *self, struct nb_error *error)
{
    const struct NB(nb_bsr) *d = self->rows.op.matrix;
    const size_t blocks = (size_t)d->rows;
    long total = 0;
    self->start = calloc(blocks + 1, sizeof *self->start);
    if (!self->start)
        return out_of_memory(error);
    memset(self->where, 0, blocks * sizeof *self->where);
    for (int j = 0; j < d->rows; ++j) {
        total += neighbours(d, j, self->where, NULL);
        if (total > 100000000)
            return nb_fail(error, NB_UNSUPPORTED, "J^T J of the implicit complementarity method "
                           "would hold more than 1e8 blocks");
        self->start[j + 1] = (int)total;
    }
    self->column = malloc(((size_t)total + 1) * sizeof *self->column);
    self->normal_matrix = malloc((9 * (size_t)total + 1) * sizeof *self->normal_matrix);
    self->jacobian = malloc((9 * (size_t)d->start[d->rows] + 1) * sizeof *self->jacobian);
    if (!self->column || !self->normal_matrix || !self->jacobian)
        return out_of_memory(error);
    memset(self->where, 0, blocks * sizeof *self->where);
    for (int j = 0; j < d->rows; ++j)
        neighbours(d, j, self->where, self->column + self->start[j]);
    return NB_OK;
}

static enum nb_status create_factor(struct NB(nb_implicit) *self, struct nb_error *error)
{
    const int blocks = self->rows.op.matrix->rows;
    const size_t entries = 9 * (size_t)self->start[blocks];
    int *start = malloc((3 * (size_t)blocks + 1) * sizeof *start);
    int *column = malloc((entries + 1) * sizeof *column);
    enum nb_status status = out_of_memory(error);
    if (!start || !column)
        goto done;
    start[0] = 0;
    for (int j = 0, at = 0; j < blocks; ++j)
        for (int r = 0; r < 3; ++r) {
            for (int m = self->start[j]; m < self->start[j + 1]; ++m)
                for (int c = 0; c < 3; ++c)
                    column[at++] = 3 * self->column[m] + c;
            start[3 * j + r + 1] = at;
        }
    status = nb_factor_create(&self->factor, 3 * blocks, start, column,
                              sizeof(nb_real) == sizeof(float), error);
done:
    free(start);
    free(column);
    return status;
}

enum nb_status NB(nb_implicit_create)(struct NB(nb_implicit) **out, struct NB(nb_model) *model,
                                      int scale, int threads, struct nb_error *error)
{
    struct NB(nb_implicit) *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return out_of_memory(error);
    self->scale = scale;
    enum nb_status status = NB(nb_step_rows_create)(&self->rows, model, threads, 1, error);
    if (!status)
        status = allocate(self, error);
    if (!status)
        status = NB(nb_bsr_mirror)(self->rows.op.matrix, &self->mirror, error);
    if (!status)
        status = fill_pattern(self, error);
    if (!status)
        status = create_factor(self, error);
    if (status) {
        NB(nb_implicit_free)(self);
        return status;
    }
    *out = self;
    return NB_OK;
}
