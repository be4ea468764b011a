/* A = L J H^-1 J^T L + C, stored as 3x3 blocks (Macklin et al. 2019, 59; they multiply the factors
 * one after the other, see factored.c). */
#include <stdlib.h>
#include <string.h>

#include "solvers/block/product_private.h"
#include "solvers/delassus/delassus.h"
#include "solvers/model/model.h"
#include "solvers/strategy.h"

struct assembled {
    struct NB(nb_delassus) delassus; /* refilled each time; unused where the model holds D */
    struct nb_bsr scaled;        /* a scaled copy of the model's constant D            */
    int *diagonal;                   /* position of each diagonal block [rows]             */
};

static void find_diagonal(const struct nb_bsr *matrix, int *diagonal)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            if (matrix->column[k] == i)
                diagonal[i] = k;
}

static void release(struct nb_operator *op)
{
    struct assembled *self = op->self;
    if (!self)
        return;
    NB(nb_delassus_free)(&self->delassus);
    nb_bsr_free(&self->scaled);
    free(self->diagonal);
    free(self);
    op->self = NULL;
}

static enum nb_status setup(struct nb_operator *op, const struct nb_model *model, struct nb_error *error)
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
        status = nb_bsr_copy_pattern(&self->scaled, &model->delassus, error);
        op->matrix = &self->scaled;
    }
    if (!status)
        find_diagonal(op->matrix, self->diagonal);
    return status;
}

/* scaled = L D L */
static void scale_constant(const struct nb_bsr *from, struct nb_bsr *to, const nb_real *scale)
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

/* C in the diagonal block of row i, whose columns are so many entries apart, and its rows. */
static void add_compliance(struct nb_operator *op, int i, nb_matrix *block, size_t row, size_t column)
{
    for (size_t r = 0; r < 3; ++r) {
        nb_matrix *entry = block + r * (row + column);
        *entry = (nb_matrix)((nb_real)*entry + op->compliance[3 * (size_t)i + r]);
        op->diagonal[3 * (size_t)i + r] = (nb_real)*entry;
    }
    if (i >= op->model->bilateral_blocks)
        return;
    const nb_real *coupling = op->model->bilateral_compliance + 9 * (size_t)i;
    for (size_t r = 0; r < 3; ++r)
        for (size_t c = 0; c < 3; ++c)
            if (r != c) {
                nb_matrix *entry = block + r * row + c * column;
                *entry = (nb_matrix)((nb_real)*entry + coupling[3 * r + c]);
            }
}

/* All of A into the panels of op->direct, and nothing into op->matrix. */
static void update_panels(struct nb_operator *op, struct nb_panels *panels)
{
    struct assembled *self = op->self;
    NB(nb_delassus_fill_panels)(&self->delassus, op->model, op->row_scale, panels);
    for (int p = 0; p < panels->count; ++p) {
        const int first = panels->row[p];
        const size_t column = 3 * (size_t)(panels->row[p + 1] - first);
        for (int i = first; i < panels->row[p + 1]; ++i) {
            const size_t place = 3 * (size_t)(self->diagonal[i] - op->matrix->start[i]);
            nb_matrix *block = panels->value + panels->offset[p] + place * column;
            add_compliance(op, i, block + 3 * (size_t)(i - first), 1, column);
        }
    }
    op->product = op->direct;
}

static void update_slices(struct nb_operator *op, struct nb_slices *slices)
{
    struct assembled *self = op->self;
    NB(nb_delassus_fill_slices)(&self->delassus, op->model, op->row_scale, slices);
    for (int i = 0; i < slices->rows; ++i)
        add_compliance(op, i,
                       slices->value + 9 * ((size_t)i + (size_t)slices->inner_start[i] +
                                            (size_t)slices->outer_start[i]), 3, 1);
    op->product = op->direct;
}

static void update(struct nb_operator *op, const nb_real *row_scale, const nb_real *compliance)
{
    struct assembled *self = op->self;
    op->row_scale = row_scale;
    op->compliance = compliance;
    op->product = NULL;
    const int blocks = op->model->inertia_kind == NB_INERTIA_BLOCKS;
    struct nb_panels *panels = blocks && op->direct ? nb_product_panels(op->direct) : NULL;
    if (panels) {
        update_panels(op, panels);
        return;
    }
    struct nb_slices *slices = blocks && op->direct ? nb_product_slices(op->direct) : NULL;
    if (slices) {
        update_slices(op, slices);
        return;
    }
    if (blocks)
        NB(nb_delassus_fill)(&self->delassus, op->model, row_scale);
    else
        scale_constant(&op->model->delassus, &self->scaled, row_scale);
    for (int i = 0; i < op->matrix->rows; ++i)
        add_compliance(op, i, op->matrix->value + 9 * (size_t)self->diagonal[i], 3, 1);
}

const struct nb_operator_strategy NB(nb_operator_assembled) = {
    .name = "assembled",
    .title = "assembled 3x3 blocks",
    .setup = setup,
    .update = update,
    .apply = nb_operator_multiply,
    .relax = nb_operator_sweep,
    .free = release,
};
