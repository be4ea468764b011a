#include "solvers/kernels/delassus.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/block3.h"

enum { PARALLEL_BLOCKS = 20000 };

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Block rows that share a node with row i, in ascending order and with i itself. */
static int neighbours(const struct NB(nb_model) *model, int i, int *mark, int *list)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    int count = 0;
    mark[i] = i + 1;
    list[count++] = i;
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        const int node = jacobian->column[k];
        for (int m = model->node_start[node]; m < model->node_start[node + 1]; ++m) {
            const int j = model->block_row[model->node_block[m]];
            if (mark[j] != i + 1) {
                mark[j] = i + 1;
                list[count++] = j;
            }
        }
    }
    qsort(list, (size_t)count, sizeof *list, ascending);
    return count;
}

/* Two passes, count and fill, over the same neighbours. */
static enum nb_status fill_pattern(struct NB(nb_delassus) *delassus,
                                   const struct NB(nb_model) *model, struct nb_error *error)
{
    const int n = model->blocks;
    enum nb_status status = NB_OK;
    int *mark = calloc((size_t)n + 1, sizeof *mark);
    int *list = malloc(((size_t)n + 1) * sizeof *list);
    long total = 0;
    if (!mark || !list) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus pattern");
        goto done;
    }
    for (int i = 0; i < n; ++i)
        total += neighbours(model, i, mark, list);
    if (total > 200000000L) {
        status = nb_fail(error, NB_UNSUPPORTED,
                         "the assembled operator would hold %ld blocks; use the factored one", total);
        goto done;
    }
    status = NB(nb_bsr_allocate)(&delassus->matrix, n, n, (int)total, error);
    if (status)
        goto done;
    memset(mark, 0, (size_t)n * sizeof *mark);
    for (int i = 0; i < n; ++i) {
        int *out = delassus->matrix.column + delassus->matrix.start[i];
        const int count = neighbours(model, i, mark, list);
        memcpy(out, list, (size_t)count * sizeof *out);
        delassus->matrix.start[i + 1] = delassus->matrix.start[i] + count;
    }
done:
    free(mark);
    free(list);
    return status;
}

/* Block (j, i) of each block (i, j): rows are visited in order, so that row j's next unvisited
 * column is i. */
static enum nb_status fill_mirror(struct NB(nb_delassus) *delassus, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = &delassus->matrix;
    const int n = matrix->rows;
    int *next = malloc(((size_t)n + 1) * sizeof *next);
    delassus->mirror = malloc(((size_t)matrix->start[n] + 1) * sizeof *delassus->mirror);
    if (!next || !delassus->mirror) {
        free(next);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus pattern");
    }
    memcpy(next, matrix->start, (size_t)n * sizeof *next);
    for (int i = 0; i < n; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            delassus->mirror[k] = next[matrix->column[k]]++;
    free(next);
    return NB_OK;
}

/* Pairs of Jacobian blocks of rows i and j in the same node; both lists ascend by node. Counts only
 * where out is NULL. */
static int match_nodes(const struct NB(nb_bsr) *jacobian, int i, int j, int *out)
{
    int count = 0;
    int a = jacobian->start[i], b = jacobian->start[j];
    while (a < jacobian->start[i + 1] && b < jacobian->start[j + 1]) {
        if (jacobian->column[a] < jacobian->column[b]) {
            ++a;
        } else if (jacobian->column[a] > jacobian->column[b]) {
            ++b;
        } else {
            if (out) {
                out[2 * count] = a;
                out[2 * count + 1] = b;
            }
            ++count, ++a, ++b;
        }
    }
    return count;
}

static enum nb_status fill_products(struct NB(nb_delassus) *delassus,
                                    const struct NB(nb_model) *model, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = &delassus->matrix;
    const int blocks = matrix->start[matrix->rows];
    size_t total = 0;
    delassus->product_start = calloc((size_t)blocks + 1, sizeof *delassus->product_start);
    if (!delassus->product_start)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus products");
    for (int pass = 0; pass < 2; ++pass) {
        size_t at = 0;
        for (int i = 0; i < matrix->rows; ++i)
            for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
                if (matrix->column[k] <= i)
                    at += (size_t)match_nodes(&model->jacobian, i, matrix->column[k],
                                              pass ? delassus->product + 2 * at : NULL);
                delassus->product_start[k + 1] = (int)at;
            }
        total = at;
        if (pass == 0) {
            delassus->product = malloc((2 * total + 1) * sizeof *delassus->product);
            if (!delassus->product)
                return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus products");
        }
    }
    return NB_OK;
}

enum nb_status NB(nb_delassus_create)(struct NB(nb_delassus) *delassus,
                                      const struct NB(nb_model) *model, struct nb_error *error)
{
    memset(delassus, 0, sizeof *delassus);
    const size_t blocks = (size_t)model->jacobian.start[model->jacobian.rows];
    enum nb_status status = fill_pattern(delassus, model, error);
    if (!status)
        status = fill_mirror(delassus, error);
    if (!status)
        status = fill_products(delassus, model, error);
    if (!status) {
        delassus->weighted = malloc((9 * blocks + 1) * sizeof *delassus->weighted);
        if (!delassus->weighted)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the weighted Jacobian");
    }
    if (status)
        NB(nb_delassus_free)(delassus);
    return status;
}

void NB(nb_delassus_free)(struct NB(nb_delassus) *delassus)
{
    NB(nb_bsr_free)(&delassus->matrix);
    free(delassus->mirror);
    free(delassus->product_start);
    free(delassus->product);
    free(delassus->weighted);
    memset(delassus, 0, sizeof *delassus);
}

void NB(nb_weigh_jacobian)(const struct NB(nb_model) *model, nb_matrix *weighted)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    const int blocks = jacobian->start[jacobian->rows];
#pragma omp parallel for schedule(static) num_threads(model->threads) \
    if (model->threads > 1 && blocks > PARALLEL_BLOCKS)
    for (int k = 0; k < blocks; ++k)
        NB(nb_block_multiply)(jacobian->value + 9 * (size_t)k,
                              model->inverse_mass + 9 * (size_t)jacobian->column[k],
                              weighted + 9 * (size_t)k);
}

/* Block k of row i with column j <= i, and its mirror. */
static void fill_block(struct NB(nb_delassus) *delassus, const nb_matrix *jacobian,
                       const nb_real *scale, int i, int k)
{
    nb_real sum[9] = {0};
    for (int m = delassus->product_start[k]; m < delassus->product_start[k + 1]; ++m)
        NB(nb_block_add_product)(delassus->weighted + 9 * (size_t)delassus->product[2 * m],
                                 jacobian + 9 * (size_t)delassus->product[2 * m + 1], sum);
    const nb_real *left = scale + 3 * (size_t)i;
    const nb_real *right = scale + 3 * (size_t)delassus->matrix.column[k];
    nb_matrix *out = delassus->matrix.value + 9 * (size_t)k;
    nb_matrix *mirror = delassus->matrix.value + 9 * (size_t)delassus->mirror[k];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            mirror[3 * c + r] = out[3 * r + c] = (nb_matrix)(left[r] * sum[3 * r + c] * right[c]);
}

void NB(nb_delassus_fill)(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                          const nb_real *scale)
{
    const struct NB(nb_bsr) *matrix = &delassus->matrix;
    NB(nb_weigh_jacobian)(model, delassus->weighted);
#pragma omp parallel for schedule(dynamic, 64) num_threads(model->threads) \
    if (model->threads > 1 && matrix->start[matrix->rows] > PARALLEL_BLOCKS)
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1] && matrix->column[k] <= i; ++k)
            fill_block(delassus, model->jacobian.value, scale, i, k);
}
