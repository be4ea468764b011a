/* A = L J H^-1 J^T L + C, stored as 3x3 blocks (Macklin et al. 2019, 59; they multiply the factors
 * one after the other, see factored.c). */
#include <stdlib.h>
#include <string.h>

#include "solvers/kernels/delassus.h"
#include "solvers/kernels/product.h"
#include "solvers/model.h"
#include "solvers/strategy.h"

struct assembled {
    struct NB(nb_delassus) delassus; /* refilled each time; unused where the model holds D */
    struct NB(nb_bsr) scaled;        /* a scaled copy of the model's constant D            */
    int *diagonal;                   /* position of each diagonal block [rows]             */
};

static void find_diagonal(const struct NB(nb_bsr) *matrix, int *diagonal)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            if (matrix->column[k] == i)
                diagonal[i] = k;
}

static enum nb_status copy_pattern(const struct NB(nb_bsr) *from, struct NB(nb_bsr) *to,
                                   struct nb_error *error)
{
    const int blocks = from->start[from->rows];
    const enum nb_status status = NB(nb_bsr_allocate)(to, from->rows, from->columns, blocks, error);
    if (status)
        return status;
    memcpy(to->start, from->start, ((size_t)from->rows + 1) * sizeof *to->start);
    memcpy(to->column, from->column, (size_t)blocks * sizeof *to->column);
    return NB_OK;
}

static void release(struct NB(nb_operator) *op)
{
    struct assembled *self = op->self;
    if (!self)
        return;
    NB(nb_delassus_free)(&self->delassus);
    NB(nb_bsr_free)(&self->scaled);
    free(self->diagonal);
    free(self);
    op->self = NULL;
}

static enum nb_status setup(struct NB(nb_operator) *op, const struct NB(nb_model) *model,
                            struct nb_error *error)
{
    enum nb_status status = NB_OK;
    struct assembled *self = calloc(1, sizeof *self);
    op->self = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the assembled operator");
    self->diagonal = calloc((size_t)model->blocks + 1, sizeof *self->diagonal);
    if (!self->diagonal)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the assembled operator");
    if (model->inertia_kind == NB_INERTIA_BLOCKS) {
        status = NB(nb_delassus_create)(&self->delassus, model, error);
        op->matrix = &self->delassus.matrix;
    } else {
        status = copy_pattern(&model->delassus, &self->scaled, error);
        op->matrix = &self->scaled;
    }
    if (!status)
        find_diagonal(op->matrix, self->diagonal);
    return status;
}

/* scaled = L D L */
static void scale_constant(const struct NB(nb_bsr) *from, struct NB(nb_bsr) *to,
                           const nb_real *scale)
{
    for (int i = 0; i < from->rows; ++i)
        for (int k = from->start[i]; k < from->start[i + 1]; ++k)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    to->value[9 * (size_t)k + (size_t)(3 * r + c)] =
                        (nb_matrix)(scale[3 * i + r] *
                                    (nb_real)from->value[9 * (size_t)k + (size_t)(3 * r + c)] *
                                    scale[3 * from->column[k] + c]);
}

/* What of C is not on its diagonal. */
static void add_coupling(const nb_real *compliance, nb_matrix *block)
{
    for (int k = 0; k < 9; ++k)
        if (k % 4)
            block[k] = (nb_matrix)((nb_real)block[k] + compliance[k]);
}

static void update(struct NB(nb_operator) *op, const nb_real *row_scale,
                   const nb_real *compliance)
{
    struct assembled *self = op->self;
    op->row_scale = row_scale;
    op->compliance = compliance;
    op->product = NULL;
    if (op->model->inertia_kind == NB_INERTIA_BLOCKS)
        NB(nb_delassus_fill)(&self->delassus, op->model, row_scale);
    else
        scale_constant(&op->model->delassus, &self->scaled, row_scale);
    for (int i = 0; i < op->matrix->rows; ++i) {
        nb_matrix *block = op->matrix->value + 9 * (size_t)self->diagonal[i];
        for (int r = 0; r < 3; ++r) {
            block[4 * r] = (nb_matrix)((nb_real)block[4 * r] + compliance[3 * i + r]);
            op->diagonal[3 * i + r] = (nb_real)block[4 * r];
        }
        if (i < op->model->bilateral_blocks)
            add_coupling(op->model->bilateral_compliance + 9 * (size_t)i, block);
    }
}

static void apply(const struct NB(nb_operator) *op, const nb_real *x, nb_real *y)
{
    if (op->product)
        NB(nb_product_multiply)(op->product, x, y);
    else
        NB(nb_bsr_multiply)(op->matrix, x, y, op->threads);
}

static void relax(struct NB(nb_operator) *op, const nb_real *b, nb_real *x, nb_real omega,
                  int backward)
{
    NB(nb_bsr_relax)(op->matrix, op->diagonal, b, x, omega, backward);
}

const struct NB(nb_operator_strategy) NB(nb_operator_assembled) = {
    .name = "assembled",
    .title = "assembled 3x3 blocks",
    .setup = setup,
    .update = update,
    .apply = apply,
    .relax = relax,
    .free = release,
};
