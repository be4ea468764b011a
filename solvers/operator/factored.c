/* y = L J H^-1 J^T L x + C x by successive products, nothing assembled (Macklin et al. 2019,
 * section 10). With blocks of inertia a Gauss-Seidel sweep keeps the velocity H^-1 J^T L x up to
 * date, as physics engines do. */
#include <stdlib.h>

#include "problems/base/arena.h"
#include "solvers/delassus/delassus.h"
#include "solvers/model/model.h"
#include "solvers/strategy.h"

struct factored {
    nb_real *impulse;    /* L x [n]                              */
    nb_real *momentum;   /* J^T L x [3 nodes]                    */
    nb_real *velocity;   /* H^-1 J^T L x [3 nodes]               */
    nb_matrix *weighted; /* J H^-1 [9 Jacobian blocks]           */
    void *memory;        /* of these arrays                      */
};

static void release(struct nb_operator *op)
{
    struct factored *self = op->self;
    if (self)
        free(self->memory);
    free(self);
    op->self = NULL;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_operator *op = data;
    struct factored *self = op->self;
    const struct nb_model *model = op->model;
    NB_ARRAY(arena, self->impulse, op->size);
    NB_ARRAY(arena, self->momentum, 3 * (size_t)model->nodes);
    NB_ARRAY(arena, self->velocity, 3 * (size_t)model->nodes);
    NB_ARRAY(arena, self->weighted, 9 * (size_t)model->jacobian.start[model->jacobian.rows]);
}

static enum nb_status setup(struct nb_operator *op, const struct nb_model *model, struct nb_error *error)
{
    struct factored *self = op->self = calloc(1, sizeof *self);
    op->model = model;
    if (self)
        self->memory = nb_arena_allocate(lay_out, op);
    return self && self->memory
               ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the factored operator");
}

static void update(struct nb_operator *op, const nb_real *row_scale, const nb_real *compliance)
{
    struct factored *self = op->self;
    op->row_scale = row_scale;
    op->compliance = compliance;
    if (op->model->inertia_kind == NB_INERTIA_BLOCKS)
        NB(nb_weigh_jacobian)(op->model, self->weighted);
    nb_model_diagonal(op->model, op->diagonal);
    for (size_t i = 0; i < op->size; ++i)
        op->diagonal[i] = row_scale[i] * op->diagonal[i] * row_scale[i] + compliance[i];
}

/* velocity = H^-1 J^T L x; a local problem uses the symmetric part of W, as the matrix does. */
static void compute_velocity(const struct nb_operator *op, const nb_real *x)
{
    const struct factored *self = op->self;
    for (size_t i = 0; i < op->size; ++i)
        self->impulse[i] = op->row_scale[i] * x[i];
    if (op->model->inertia_kind == NB_INERTIA_DELASSUS)
        nb_bsr_multiply(&op->model->delassus, self->impulse, self->velocity, op->threads);
    else
        nb_model_response(op->model, self->impulse, self->momentum, self->velocity);
}

static void apply(const struct nb_operator *op, const nb_real *x, nb_real *y)
{
    const struct factored *self = op->self;
    compute_velocity(op, x);
    nb_bsr_multiply(&op->model->jacobian, self->velocity, y, op->threads);
    for (size_t i = 0; i < op->size; ++i)
        y[i] = op->row_scale[i] * y[i] + op->compliance[i] * x[i];
    for (size_t i = 0; i < 3 * (size_t)op->model->bilateral_blocks; ++i)
        y[i] += nb_model_coupling(op->model, i, x);
}

/* (J velocity) of one scalar row. */
static nb_real row_velocity(const struct nb_model *model, const nb_real *velocity, int block, int r)
{
    const struct nb_bsr *jacobian = &model->jacobian;
    nb_real sum = 0;
    for (int k = jacobian->start[block]; k < jacobian->start[block + 1]; ++k) {
        const nb_matrix *row = jacobian->value + 9 * (size_t)k + 3 * r;
        const nb_real *v = velocity + 3 * (size_t)jacobian->column[k];
        sum += (nb_real)(row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
    }
    return sum;
}

/* The row's impulse acts on its nodes: velocity += H^-1 j^T impulse. */
static void apply_row_impulse(const struct nb_operator *op, int block, int r, nb_real impulse)
{
    const struct factored *self = op->self;
    const struct nb_bsr *jacobian = &op->model->jacobian;
    for (int k = jacobian->start[block]; k < jacobian->start[block + 1]; ++k) {
        const nb_matrix *row = self->weighted + 9 * (size_t)k + 3 * r;
        nb_real *v = self->velocity + 3 * (size_t)jacobian->column[k];
        for (int c = 0; c < 3; ++c)
            v[c] += (nb_real)row[c] * impulse;
    }
}

/* The velocity is computed afresh before each sweep: it then cannot drift away from x. */
static void relax(struct nb_operator *op, const nb_real *b, nb_real *x, nb_real omega, int backward)
{
    const struct factored *self = op->self;
    compute_velocity(op, x);
    for (size_t step = 0; step < op->size; ++step) {
        const size_t i = backward ? op->size - 1 - step : step;
        const int block = (int)(i / 3), r = (int)(i % 3);
        const nb_real row = op->row_scale[i] * row_velocity(op->model, self->velocity, block, r);
        nb_real residual = b[i] - row - op->compliance[i] * x[i];
        if (block < op->model->bilateral_blocks)
            residual -= nb_model_coupling(op->model, i, x);
        const nb_real change = omega * residual / op->diagonal[i];
        x[i] += change;
        apply_row_impulse(op, block, r, op->row_scale[i] * change);
    }
}

static const char *cannot_relax(const struct nb_operator *op)
{
    return op->model->inertia_kind == NB_INERTIA_BLOCKS
               ? NULL
               : "row relaxation on the factored operator needs a mass in 3x3 blocks";
}

const struct nb_operator_strategy NB(nb_operator_factored) = {
    .name = "factored",
    .title = "successive products",
    .setup = setup,
    .update = update,
    .apply = apply,
    .relax = relax,
    .cannot_relax = cannot_relax,
    .free = release,
};
