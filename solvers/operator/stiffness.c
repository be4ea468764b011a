/* The Newton system by velocities: of [H -(L J)^T; L J C] (x, p) = (0, b) the impulses are eliminated in the place of
 * the velocities (Macklin et al. 2019, 64, after 59),
 *
 *     K x = J^T L C^-1 b,   K = H + J^T L C^-1 L J,   p = C^-1 (b - L J x),
 *
 * stored as 3x3 blocks of nodes. It asks for a C without zeros, which hard contacts have of the identity shift alone:
 * the stiffer rows are, the worse is K's condition, and the better that of the Schur complement.
 * Pads of soft contacts (solvers/model/rows/pads.c) are no nodes of K: what they are of L J H^-1 J^T L stands in C. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/block/product_private.h"
#include "solvers/model/model.h"
#include "solvers/sparse/clique_pattern.h"
#include "solvers/strategy.h"

struct stiffness {
    const struct nb_model *model; /* borrowed; op->model is NULL, for op has no rows of contacts */
    int nodes;                    /* those without pads                                          */
    struct nb_bsr matrix;         /* K [nodes x nodes]                                           */
    const nb_real *row_scale;     /* L of the last update [rows], borrowed                       */
    int *pair_start, *pair_at;    /* [blocks + 1], and of nodes a, b of a block row: K's block   */
    int *diagonal;                /* position of each diagonal block [nodes]                     */
    nb_real *weight;              /* C^-1 [9 blocks]                                             */
    nb_real *row;                 /* scratch [3 blocks]                                          */
    void *memory;                 /* of the arrays above                                         */
};

static void release(struct nb_operator *op)
{
    struct stiffness *self = op->self;
    if (!self)
        return;
    nb_bsr_free(&self->matrix);
    free(self->memory);
    free(self);
    op->self = NULL;
}

/* Block of row i in its contact's pad, the row's last one; -1: there is none. */
static int pad_of(const struct nb_model *model, int i)
{
    const int last = model->jacobian.start[i + 1] - 1;
    return last >= model->jacobian.start[i] && model->jacobian.column[last] >= model->nodes - model->pads ? last : -1;
}

/* The blocks of row i end here, but for that. */
static int end_of(const struct nb_model *model, int i)
{
    const int pad = pad_of(model, i);
    return pad < 0 ? model->jacobian.start[i + 1] : pad;
}

static int pairs_of(const struct nb_model *model, int row)
{
    const int nodes = end_of(model, row) - model->jacobian.start[row];
    return nodes * nodes;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct stiffness *self = data;
    const struct nb_model *model = self->model;
    size_t pairs = 0;
    for (int i = 0; i < model->blocks; ++i)
        pairs += (size_t)pairs_of(model, i);
    NB_ARRAY(arena, self->pair_start, model->blocks + 1);
    NB_ARRAY(arena, self->pair_at, pairs);
    NB_ARRAY(arena, self->diagonal, self->nodes);
    NB_ARRAY(arena, self->weight, 9 * (size_t)model->blocks);
    NB_ARRAY(arena, self->row, 3 * (size_t)model->blocks);
}

/* K's pattern is symmetric: by columns as by rows. */
static enum nb_status copy_pattern(struct stiffness *self, const struct nb_clique_pattern *pattern,
                                   struct nb_error *error)
{
    const int nodes = self->nodes;
    const enum nb_status status = nb_bsr_allocate(&self->matrix, nodes, nodes, pattern->start[nodes], error);
    if (status)
        return status;
    for (int i = 0; i < nodes; ++i) {
        self->matrix.start[i + 1] = pattern->start[i + 1];
        self->diagonal[i] = nb_clique_pattern_find(pattern, i, i);
    }
    for (int k = 0; k < pattern->start[nodes]; ++k)
        self->matrix.column[k] = pattern->row[k];
    return NB_OK;
}

static void place_pairs(struct stiffness *self, const struct nb_clique_pattern *pattern)
{
    const struct nb_bsr *jacobian = &self->model->jacobian;
    for (int i = 0, at = 0; i < self->model->blocks; ++i) {
        for (int a = jacobian->start[i]; a < end_of(self->model, i); ++a)
            for (int b = jacobian->start[i]; b < end_of(self->model, i); ++b)
                self->pair_at[at++] = nb_clique_pattern_find(pattern, jacobian->column[b], jacobian->column[a]);
        self->pair_start[i + 1] = at;
    }
}

static enum nb_status find_pattern(struct stiffness *self, struct nb_error *error)
{
    const struct nb_model *model = self->model;
    const struct nb_bsr *jacobian = &model->jacobian;
    const size_t nodes = (size_t)self->nodes, blocks = (size_t)model->blocks;
    struct nb_clique_pattern pattern = {0};
    int *own = malloc((2 * nodes + 1 + blocks + 1 + (size_t)jacobian->start[blocks]) * sizeof *own);
    int *start = own + nodes, *row_start = start + nodes + 1, *column = row_start + blocks + 1;
    if (!own)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the stiffness operator");
    for (int i = 0; i <= self->nodes; ++i)
        start[i] = i;
    for (int i = 0; i < self->nodes; ++i)
        own[i] = i;
    row_start[0] = 0;
    for (int i = 0; i < model->blocks; ++i) {
        row_start[i + 1] = row_start[i];
        for (int a = jacobian->start[i]; a < end_of(model, i); ++a)
            column[row_start[i + 1]++] = jacobian->column[a];
    }
    enum nb_status status = nb_clique_pattern_create(&pattern, self->nodes, model->blocks, row_start, column, start,
                                                     own, error);
    if (!status)
        status = copy_pattern(self, &pattern, error);
    if (!status)
        place_pairs(self, &pattern);
    nb_clique_pattern_free(&pattern);
    free(own);
    return status;
}

static enum nb_status setup(struct nb_operator *op, const struct nb_model *model, struct nb_error *error)
{
    if (model->inertia_kind != NB_INERTIA_BLOCKS)
        return nb_fail(error, NB_UNSUPPORTED, "the operator stiffness needs a mass in 3x3 blocks");
    struct stiffness *self = op->self = calloc(1, sizeof *self);
    if (self) {
        self->model = model;
        self->nodes = model->nodes - model->pads;
        self->memory = nb_arena_allocate(lay_out, self);
    }
    if (!self || !self->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the stiffness operator");
    op->model = NULL;
    op->size = 3 * (size_t)self->nodes;
    op->matrix = &self->matrix;
    return find_pattern(self, error);
}

/* C^-1 of bilateral rows, which may be coupled, relative to C's largest entry, so that no product leaves the range. */
static void invert_coupled(const struct nb_model *model, int i, const nb_real *compliance, nb_real *out)
{
    nb_real block[9], most = 0;
    for (size_t k = 0; k < 9; ++k) {
        block[k] = k % 4 == 0 ? compliance[k / 4] : model->bilateral_compliance[9 * (size_t)i + k];
        most = nb_max(most, nb_abs(block[k]));
    }
    for (size_t k = 0; k < 9; ++k)
        block[k] /= most;
    nb_block_invert(block, out);
    for (size_t k = 0; k < 9; ++k)
        out[k] /= most;
}

/* What a row's pad is of L J H^-1 J^T L */
static nb_real pad_compliance(const struct nb_model *model, int i, size_t k, nb_real scale)
{
    const int pad = pad_of(model, i);
    if (pad < 0)
        return 0;
    const nb_real slope = scale * (nb_real)model->jacobian.value[9 * (size_t)pad + 4 * k];
    return slope * slope * model->inverse_mass[9 * (size_t)model->jacobian.column[pad] + 4 * k];
}

static void find_weights(struct stiffness *self, const nb_real *compliance)
{
    for (int i = 0; i < self->model->blocks; ++i) {
        nb_real *weight = self->weight + 9 * (size_t)i;
        const nb_real *own = compliance + 3 * (size_t)i, *scale = self->row_scale + 3 * (size_t)i;
        if (i < self->model->bilateral_blocks) {
            invert_coupled(self->model, i, own, weight);
            continue;
        }
        memset(weight, 0, 9 * sizeof *weight);
        for (size_t k = 0; k < 3; ++k)
            weight[4 * k] = 1 / (own[k] + pad_compliance(self->model, i, k, scale[k]));
    }
}

/* The blocks J_a^T L C^-1 L J_b of one block row. */
static void add_row(struct stiffness *self, int i, const nb_real *row_scale)
{
    const struct nb_bsr *jacobian = &self->model->jacobian;
    const nb_real *weight = self->weight + 9 * (size_t)i, *scale = row_scale + 3 * (size_t)i;
    const int *at = self->pair_at + self->pair_start[i];
    const int end = end_of(self->model, i);
    for (int a = jacobian->start[i]; a < end; ++a) {
        nb_real left[9] = {0}; /* J_a^T L C^-1 L */
        for (size_t r = 0; r < 3; ++r)
            for (size_t k = 0; k < 3; ++k)
                for (size_t c = 0; c < 3; ++c)
                    left[3 * r + c] += (nb_real)jacobian->value[9 * (size_t)a + 3 * k + r] * scale[k] *
                                       weight[3 * k + c] * scale[c];
        for (int b = jacobian->start[i]; b < end; ++b, ++at)
            for (size_t e = 0; e < 9; ++e) {
                nb_real sum = 0;
                for (size_t k = 0; k < 3; ++k)
                    sum += left[3 * (e / 3) + k] * (nb_real)jacobian->value[9 * (size_t)b + 3 * k + e % 3];
                nb_matrix *entry = &self->matrix.value[9 * (size_t)*at + e];
                *entry = (nb_matrix)((nb_real)*entry + sum);
            }
    }
}

static void add_inertia(struct stiffness *self, int node, nb_real *diagonal)
{
    nb_real inertia[9] = {0};
    nb_matrix *block = self->matrix.value + 9 * (size_t)self->diagonal[node];
    nb_block_invert_spd(self->model->inverse_mass + 9 * (size_t)node, inertia);
    for (size_t e = 0; e < 9; ++e) {
        block[e] = (nb_matrix)((nb_real)block[e] + inertia[e]);
        if (e % 4 == 0)
            diagonal[3 * (size_t)node + e / 4] = (nb_real)block[e];
    }
}

static void update(struct nb_operator *op, const nb_real *row_scale, const nb_real *compliance)
{
    struct stiffness *self = op->self;
    const struct nb_model *model = self->model;
    self->row_scale = row_scale;
    op->product = NULL;
    find_weights(self, compliance);
    for (size_t k = 0; k < 9 * (size_t)self->matrix.start[self->nodes]; ++k)
        self->matrix.value[k] = 0;
    for (int i = 0; i < model->blocks; ++i)
        add_row(self, i, row_scale);
    for (int node = 0; node < self->nodes; ++node)
        add_inertia(self, node, op->diagonal);
}

/* out = J^T L C^-1 b */
static void condense(const struct nb_operator *op, const nb_real *b, nb_real *out)
{
    const struct stiffness *self = op->self;
    for (size_t i = 0; i < (size_t)self->model->blocks; ++i) {
        nb_block_apply(self->weight + 9 * i, b + 3 * i, self->row + 3 * i);
        for (size_t r = 3 * i; r < 3 * i + 3; ++r)
            self->row[r] *= self->row_scale[r];
    }
    nb_model_gather(self->model, self->row, out);
}

/* s = H^-1 J^T L p of the pads */
static void move_pads(const struct stiffness *self, const nb_real *p, nb_real *x)
{
    const struct nb_model *model = self->model;
    for (int i = model->bilateral_blocks; i < model->blocks; ++i) {
        const int pad = pad_of(model, i);
        for (size_t k = 0; pad >= 0 && k < 3; ++k) {
            const size_t node = (size_t)model->jacobian.column[pad], row = 3 * (size_t)i + k;
            x[3 * node + k] = model->inverse_mass[9 * node + 4 * k] *
                              (nb_real)model->jacobian.value[9 * (size_t)pad + 4 * k] * self->row_scale[row] * p[row];
        }
    }
}

/* p = C^-1 (b - L J x), of J without the pads */
static void recover(const struct nb_operator *op, nb_real *x, const nb_real *b, nb_real *p)
{
    const struct stiffness *self = op->self;
    memset(x + op->size, 0, 3 * (size_t)self->model->pads * sizeof *x);
    nb_bsr_multiply(&self->model->jacobian, x, self->row, op->threads);
    for (size_t i = 0; i < 3 * (size_t)self->model->blocks; ++i)
        self->row[i] = b[i] - self->row_scale[i] * self->row[i];
    for (size_t i = 0; i < (size_t)self->model->blocks; ++i)
        nb_block_apply(self->weight + 9 * i, self->row + 3 * i, p + 3 * i);
    move_pads(self, p, x);
}

const struct nb_operator_strategy NB(nb_operator_stiffness) = {
    .name = "stiffness",
    .title = "stiffness form",
    .setup = setup,
    .update = update,
    .apply = nb_operator_multiply,
    .relax = nb_operator_sweep,
    .condense = condense,
    .recover = recover,
    .free = release,
};
