/* LU of the whole Newton system, velocities included (Macklin et al. 2019, 53), instead of its Schur
 * complement:
 *
 *     [ 1    -H^-1 J^T L ] [ v ]   [ 0 ]
 *     [ L J       C      ] [ p ] = [ b ],    so that  (L J H^-1 J^T L + C) p = b.
 *
 * The Schur complement of elastic bodies is far denser than its parts: all elements about a particle
 * meet in it, while here the ordering eliminates them first. Where only the operator is known (a system
 * from a file, a general mass), it is that which is factorised. */
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block_lu.h"
#include "solvers/delassus/delassus.h"
#include "solvers/model/model.h"
#include "solvers/strategy.h"

struct kkt {
    const struct nb_bsr *pattern; /* own, or the operator's matrix          */
    struct nb_bsr own;            /* nodes first, then block rows           */
    struct nb_block_lu lu;
    nb_matrix *weighted;              /* [9 Jacobian blocks] J H^-1             */
    double *x;                        /* [3 nodes + n]                          */
    int nodes;                        /* 0: the pattern is the operator's       */
};

static void release(void *self)
{
    struct kkt *kkt = self;
    if (!kkt)
        return;
    nb_block_lu_free(&kkt->lu);
    nb_bsr_free(&kkt->own);
    free(kkt->weighted);
    free(kkt->x);
    free(kkt);
}

static enum nb_status lay_out(struct kkt *kkt, const struct nb_model *model, struct nb_error *error)
{
    const struct nb_bsr *jacobian = &model->jacobian;
    const int nodes = model->nodes, all = nodes + model->blocks;
    const enum nb_status status = nb_bsr_allocate(
        &kkt->own, all, all, all + 2 * jacobian->start[jacobian->rows], error);
    if (status)
        return status;
    int at = 0;
    for (int i = 0; i < nodes; ++i) {
        kkt->own.column[at++] = i;
        for (int m = model->node_start[i]; m < model->node_start[i + 1]; ++m)
            kkt->own.column[at++] = nodes + model->block_row[model->node_block[m]];
        kkt->own.start[i + 1] = at;
    }
    for (int i = 0; i < model->blocks; ++i) {
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
            kkt->own.column[at++] = jacobian->column[k];
        kkt->own.column[at++] = nodes + i;
        kkt->own.start[nodes + i + 1] = at;
    }
    kkt->pattern = &kkt->own;
    kkt->nodes = nodes;
    return NB_OK;
}

static enum nb_status allocate(struct kkt *kkt, const struct nb_operator *op, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    size_t blocks = 0;
    if (op->model && op->model->inertia_kind == NB_INERTIA_BLOCKS) {
        blocks = (size_t)op->model->jacobian.start[op->model->jacobian.rows];
        status = lay_out(kkt, op->model, error);
    } else if (op->matrix) {
        kkt->pattern = op->matrix;
    } else {
        return nb_fail(error, NB_UNSUPPORTED,
                       "kkt needs a mass in 3x3 blocks or the assembled operator");
    }
    if (status)
        return status;
    kkt->weighted = malloc((9 * blocks + 1) * sizeof *kkt->weighted);
    kkt->x = malloc((3 * (size_t)kkt->pattern->rows + 1) * sizeof *kkt->x);
    return kkt->weighted && kkt->x ? NB_OK
                                   : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the LU factor");
}

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    struct kkt *kkt = calloc(1, sizeof *kkt);
    *self = NULL;
    if (!kkt)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the LU factor");
    enum nb_status status = allocate(kkt, op, error);
    if (!status)
        status = nb_block_lu_create(&kkt->lu, kkt->pattern, error);
    if (status) {
        release(kkt);
        return status;
    }
    *self = kkt;
    return NB_OK;
}

/* Rows of the nodes: 1 and -H^-1 J^T L. */
static void fill_nodes(struct kkt *kkt, const struct nb_operator *op)
{
    static const nb_real one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const struct nb_model *model = op->model;
    NB(nb_weigh_jacobian)(model, kkt->weighted);
    for (int i = 0, at = 0; i < kkt->nodes; ++i) {
        nb_block_lu_set(&kkt->lu, at++, one);
        for (int m = model->node_start[i]; m < model->node_start[i + 1]; ++m, ++at) {
            const int k = model->node_block[m];
            const nb_real *scale = op->row_scale + 3 * (size_t)model->block_row[k];
            nb_real block[9];
            for (size_t e = 0; e < 9; ++e)
                block[e] = -scale[e % 3] *
                           (nb_real)kkt->weighted[9 * (size_t)k + 3 * (e % 3) + e / 3];
            nb_block_lu_set(&kkt->lu, at, block);
        }
    }
}

/* Block rows: L J and C. */
static void fill_rows(struct kkt *kkt, const struct nb_operator *op)
{
    const struct nb_model *model = op->model;
    const struct nb_bsr *jacobian = &model->jacobian;
    for (int i = 0, at = kkt->own.start[kkt->nodes]; i < model->blocks; ++i) {
        const nb_real *scale = op->row_scale + 3 * (size_t)i;
        nb_real block[9] = {0};
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            for (size_t e = 0; e < 9; ++e)
                block[e] = scale[e / 3] * (nb_real)jacobian->value[9 * (size_t)k + e];
            nb_block_lu_set(&kkt->lu, at++, block);
        }
        for (size_t e = 0; e < 9; ++e)
            block[e] = e % 4 == 0 ? op->compliance[3 * (size_t)i + e / 3]
                       : i < model->bilateral_blocks
                           ? model->bilateral_compliance[9 * (size_t)i + e]
                           : 0;
        nb_block_lu_set(&kkt->lu, at++, block);
    }
}

static void fill_matrix(struct kkt *kkt)
{
    for (int k = 0; k < kkt->pattern->start[kkt->pattern->rows]; ++k) {
        nb_real block[9];
        for (size_t e = 0; e < 9; ++e)
            block[e] = (nb_real)kkt->pattern->value[9 * (size_t)k + e];
        nb_block_lu_set(&kkt->lu, k, block);
    }
}

static enum nb_status update(void *self, struct nb_operator *op, struct nb_error *error)
{
    struct kkt *kkt = self;
    if (kkt->pattern == &kkt->own) {
        fill_nodes(kkt, op);
        fill_rows(kkt, op);
    } else {
        fill_matrix(kkt);
    }
    return nb_sparse_lu_update(kkt->lu.lu, error);
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct kkt *kkt = self;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const size_t n = task->op->size, first = 3 * (size_t)kkt->nodes;
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    memset(kkt->x, 0, first * sizeof *kkt->x);
    for (size_t i = 0; i < n; ++i)
        kkt->x[first + i] = (double)task->b[i];
    nb_sparse_lu_solve(kkt->lu.lu, kkt->x);
    for (size_t i = 0; i < n; ++i)
        task->x[i] = (nb_real)kkt->x[first + i];
    if (!isfinite((double)nb_norm(n, task->x, task->op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    if (task->observe)
        task->observe(task->observe_context, 1, task->x);
    return report;
}

const struct nb_linear NB(nb_linear_kkt) = {
    .name = "kkt",
    .title = "LU of the whole Newton system",
    .source = "Davis and Palamadai Natarajan 2010 (KLU); LAPACK sgetrf in f32",
    .direct = 1,
    .setup = setup,
    .update = update,
    .solve = solve,
    .free = release,
};
