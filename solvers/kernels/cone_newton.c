#include "solvers/kernels/cone_newton.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/clock.h"
#include "solvers/kernels/alart_curnier.h"

enum { HALVINGS = 14 };

void NB(nb_cone_newton_free)(struct NB(nb_cone_newton) *self)
{
    if (!self)
        return;
    if (self->op.strategy)
        self->op.strategy->free(&self->op);
    nb_sparse_lu_free(self->lu);
    free(self->position);
    free(self->step);
    free(self->storage);
    free(self);
}

static enum nb_status allocate(struct NB(nb_cone_newton) *self, struct nb_error *error)
{
    const size_t n = 3 * (size_t)self->model->blocks, nodes = 3 * (size_t)self->model->nodes;
    nb_real **rows[] = {&self->ones, &self->compliance, &self->rho, &self->p, &self->trial,
                        &self->anchor, &self->base, &self->velocity, &self->residual,
                        &self->residual_trial, &self->op.diagonal};
    nb_real **velocities[] = {&self->u, &self->defect, &self->momentum};
    const size_t row_count = sizeof rows / sizeof *rows;
    self->storage = calloc((row_count + 3) * n + 3 * nodes + 1, sizeof *self->storage);
    self->step = calloc(n + 1, sizeof *self->step);
    if (!self->storage || !self->step)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    nb_real *next = self->storage;
    for (size_t i = 0; i < row_count; ++i, next += n)
        *rows[i] = next;
    for (size_t i = 0; i < 3; ++i, next += nodes)
        *velocities[i] = next;
    self->slope = next;
    return NB_OK;
}

/* The LU pattern: column 3 j + c holds the scalar rows of the blocks (i, j). The block pattern is
 * symmetric, so that row j lists them. */
static enum nb_status order_pattern(struct NB(nb_cone_newton) *self, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = self->op.matrix;
    const int rows = matrix->rows, blocks = matrix->start[rows];
    int *start = malloc(((size_t)self->op.size + 1) * sizeof *start);
    int *row = malloc((9 * (size_t)blocks + 1) * sizeof *row);
    int *next = calloc((size_t)rows + 1, sizeof *next);
    enum nb_status status = NB_OK;
    self->position = malloc((9 * (size_t)blocks + 1) * sizeof *self->position);
    if (!start || !row || !next || !self->position) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton matrix's pattern");
        goto done;
    }
    start[0] = 0;
    for (int i = 0; i < rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k], length = 3 * (matrix->start[j + 1] - matrix->start[j]);
            const int rank = next[j]++;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const int at = 9 * matrix->start[j] + c * length + 3 * rank + r;
                    row[at] = 3 * i + r;
                    self->position[9 * k + 3 * r + c] = at;
                    start[3 * j + c + 1] = 9 * matrix->start[j] + (c + 1) * length;
                }
        }
    status = nb_sparse_lu_create(&self->lu, (int)self->op.size, start, row,
                                 sizeof(nb_real) == sizeof(float), error);
done:
    free(start);
    free(row);
    free(next);
    return status;
}

enum nb_status NB(nb_cone_newton_create)(struct NB(nb_cone_newton) **out,
                                         struct NB(nb_model) *model, int threads,
                                         struct nb_error *error)
{
    struct NB(nb_cone_newton) *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the semismooth Newton method");
    self->model = model;
    self->op.strategy = NB(nb_find_operator)("assembled");
    self->op.model = model;
    self->op.size = 3 * (size_t)model->blocks;
    self->op.threads = threads;
    enum nb_status status = allocate(self, error);
    if (!status)
        status = self->op.strategy->setup(&self->op, model, error);
    if (!status)
        status = order_pattern(self, error);
    if (status) {
        NB(nb_cone_newton_free)(self);
        return status;
    }
    for (size_t i = 0; i < self->op.size; ++i)
        self->ones[i] = 1;
    *out = self;
    return NB_OK;
}

static int ascending(const void *a, const void *b)
{
    const nb_real x = *(const nb_real *)a, y = *(const nb_real *)b;
    return (x > y) - (x < y);
}

/* J, D and the gaps at the present u; base = violation - J u, so that base + J u' predicts U(u'). */
void NB(nb_cone_newton_linearise)(struct NB(nb_cone_newton) *self)
{
    struct NB(nb_model) *model = self->model;
    const size_t n = self->op.size;
    NB(nb_model_evaluate)(model, self->u);
    NB(nb_bsr_multiply)(&model->jacobian, self->u, self->base, model->threads);
    for (size_t i = 0; i < n; ++i)
        self->base[i] = model->violation[i] - self->base[i];
    for (size_t i = 0; i < 3 * (size_t)model->bilateral_blocks; ++i)
        self->compliance[i] = model->bilateral_compliance[9 * (i / 3) + 4 * (i % 3)];
    self->op.strategy->update(&self->op, self->ones, self->compliance);
    for (size_t i = 0; i < n; i += 3) {
        const nb_real *d = self->op.diagonal + i;
        const nb_real tangent = nb_max(d[1], d[2]);
        const int bilateral = i < 3 * (size_t)model->bilateral_blocks;
        self->rho[i] = 1 / (d[0] > 0 ? d[0] : 1);
        for (int r = 1; r < 3; ++r) {
            const nb_real own = bilateral ? d[r] : tangent;
            self->rho[i + (size_t)r] = 1 / (own > 0 ? own : 1);
        }
    }
    memcpy(self->residual_trial, self->op.diagonal, n * sizeof *self->residual_trial);
    qsort(self->residual_trial, n, sizeof *self->residual_trial, ascending);
    self->median = n > 0 ? self->residual_trial[n / 2] : 1;
}

/* u with M u = f + J^T p. The factor may be of a symmetrised M: a second pass brings its error to
 * round-off. */
void NB(nb_cone_newton_respond)(struct NB(nb_cone_newton) *self, const nb_real *p)
{
    const int passes = self->model->mass_values ? 2 : 1;
    for (int k = 0; k < passes; ++k) {
        NB(nb_model_defect)(self->model, self->u, p, self->momentum, self->defect);
        for (size_t i = 0; i < 3 * (size_t)self->model->nodes; ++i)
            self->u[i] -= self->defect[i];
    }
}

/* F at p with the row velocities given, into out, which may be the velocities' own array; its norm.
 * Slopes of the projections go to slope [9 blocks]; NULL: they are not wanted. */
static nb_real map(const struct NB(nb_cone_newton) *self, const nb_real *p,
                   const nb_real *velocity, nb_real *out, nb_real *slope)
{
    const struct NB(nb_model) *model = self->model;
    const size_t n = self->op.size, bilateral = 3 * (size_t)model->bilateral_blocks;
    for (size_t i = 0; i < bilateral; ++i)
        out[i] = self->rho[i] * velocity[i];
    for (size_t i = bilateral; i < n; i += 3) {
        nb_real z[3], projection[3], unwanted[9];
        for (size_t r = 0; r < 3; ++r)
            z[r] = p[i + r] - self->rho[i + r] * velocity[i + r];
        NB(nb_cone_product)(z, model->friction[(i - bilateral) / 3], projection,
                            slope ? slope + 3 * i : unwanted);
        for (size_t r = 0; r < 3; ++r)
            out[i + r] = p[i + r] - projection[r];
    }
    return NB(nb_norm)(n, out, model->threads);
}

/* F at p into out; its norm. Slopes of the projections are kept for the matrix. */
static nb_real evaluate(struct NB(nb_cone_newton) *self, const nb_real *p, nb_real *out)
{
    NB(nb_cone_newton_respond)(self, p);
    NB(nb_bsr_multiply)(&self->model->jacobian, self->u, self->velocity, self->model->threads);
    for (size_t i = 0; i < self->op.size; ++i)
        self->velocity[i] += self->base[i] + self->compliance[i] * p[i] +
                             self->weight * (p[i] - self->anchor[i]);
    for (size_t i = 0; i < 3 * (size_t)self->model->bilateral_blocks; ++i)
        self->velocity[i] += NB(nb_model_coupling)(self->model, i, p);
    return map(self, p, self->velocity, out, self->slope);
}

/* Row block i of dF/dp: (1 - P') + P' rho (D + E/h^2 + w), or rho (D + E/h^2 + w) if bilateral. */
static void fill_matrix(struct NB(nb_cone_newton) *self)
{
    const struct NB(nb_bsr) *matrix = self->op.matrix;
    double *value = nb_sparse_lu_values(self->lu);
    for (int i = 0; i < matrix->rows; ++i) {
        const int bilateral = i < self->model->bilateral_blocks;
        const nb_real *rho = self->rho + 3 * (size_t)i;
        const nb_real *slope = self->slope + 9 * (size_t)i;
        nb_real left[9]; /* P' rho */
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                left[3 * r + c] = (bilateral ? (nb_real)(r == c) : slope[3 * r + c]) * rho[c];
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const nb_matrix *a = matrix->value + 9 * (size_t)k;
            const int *position = self->position + 9 * (size_t)k;
            const int own = matrix->column[k] == i;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    nb_real sum = left[3 * r] * (nb_real)a[c] + left[3 * r + 1] * (nb_real)a[3 + c] +
                                  left[3 * r + 2] * (nb_real)a[6 + c];
                    if (own)
                        sum += left[3 * r + c] * self->weight;
                    if (own && !bilateral)
                        sum += (nb_real)(r == c) - slope[3 * r + c];
                    value[position[3 * r + c]] = (double)sum;
                }
        }
    }
}

nb_real NB(nb_cone_newton_evaluate)(struct NB(nb_cone_newton) *self)
{
    return evaluate(self, self->p, self->residual);
}

/* Halves the step until ||F|| falls. Zero if it does not; then p, u and F are as before. */
static int search(struct NB(nb_cone_newton) *self, nb_real *norm)
{
    const size_t n = self->op.size;
    nb_real t = 1;
    for (int halving = 0; halving < HALVINGS; ++halving, t /= 2) {
        for (size_t i = 0; i < n; ++i)
            self->trial[i] = self->p[i] + t * (nb_real)self->step[i];
        const nb_real tried = evaluate(self, self->trial, self->residual_trial);
        if (tried <= (1 - t / 10000) * *norm) {
            memcpy(self->p, self->trial, n * sizeof *self->p);
            memcpy(self->residual, self->residual_trial, n * sizeof *self->residual);
            *norm = tried;
            return 1;
        }
    }
    *norm = evaluate(self, self->p, self->residual);
    return 0;
}

int NB(nb_cone_newton_step)(struct NB(nb_cone_newton) *self, struct nb_run *run, nb_real *norm)
{
    const double begin = nb_seconds();
    fill_matrix(self);
    const enum nb_status status = nb_sparse_lu_update(self->lu, NULL);
    const double factorised = nb_seconds();
    run->assembly_seconds += factorised - begin;
    run->newton_iterations++;
    if (status)
        return 0;
    for (size_t i = 0; i < self->op.size; ++i)
        self->step[i] = -(double)self->residual[i];
    nb_sparse_lu_solve(self->lu, self->step);
    run->linear_iterations++;
    const int better = search(self, norm);
    run->linear_seconds += nb_seconds() - factorised;
    return better;
}

nb_real NB(nb_cone_newton_natural)(struct NB(nb_cone_newton) *self)
{
    nb_real *work = self->residual_trial;
    for (size_t i = 0; i < self->op.size; ++i)
        work[i] = self->velocity[i] - self->weight * (self->p[i] - self->anchor[i]);
    return map(self, self->p, work, work, NULL);
}
