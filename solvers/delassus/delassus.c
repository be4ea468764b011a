#include "solvers/delassus/delassus.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/large.h"
#include "problems/base/sorted.h"
#include "solvers/block/block3.h"
#include "solvers/delassus/delassus_private.h"

/* What vectors read past the last column. */
enum { PARALLEL_BLOCKS = 20000, TAIL = 32 };

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
    nb_sort_ints(list, count);
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

static int same_nodes(const struct NB(nb_bsr) *jacobian, int i, int j)
{
    const int count = jacobian->start[i + 1] - jacobian->start[i];
    return count > 0 && count == jacobian->start[j + 1] - jacobian->start[j] &&
           !memcmp(jacobian->column + jacobian->start[i], jacobian->column + jacobian->start[j],
                   (size_t)count * sizeof *jacobian->column);
}

static void count_runs(struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian)
{
    for (int i = 0; i < jacobian->rows; ++i) {
        if (i == 0 || !same_nodes(jacobian, i - 1, i))
            delassus->run_start[delassus->runs++] = i;
        delassus->run[i] = delassus->runs - 1;
    }
    delassus->run_start[delassus->runs] = jacobian->rows;
}

/* Columns begin on fours and leave an entry after their last. */
static size_t lay_out_runs(struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian)
{
    for (int run = 0; run < delassus->runs; ++run) {
        const int i = delassus->run_start[run], rows = delassus->run_start[run + 1] - i;
        delassus->run_nodes[run] = jacobian->start[i + 1] - jacobian->start[i];
        delassus->weighted_length[run] = (3 * rows + 4) / 4 * 4;
        delassus->weighted_start[run + 1] =
            delassus->weighted_start[run] +
            3 * (size_t)delassus->run_nodes[run] * (size_t)delassus->weighted_length[run];
    }
    return delassus->weighted_start[delassus->runs];
}

static enum nb_status find_runs(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                                struct nb_error *error)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    const size_t rows = (size_t)jacobian->rows;
    delassus->run = calloc(rows + 1, sizeof *delassus->run);
    delassus->run_start = calloc(rows + 1, sizeof *delassus->run_start);
    delassus->run_nodes = calloc(rows + 1, sizeof *delassus->run_nodes);
    delassus->weighted_start = calloc(rows + 1, sizeof *delassus->weighted_start);
    delassus->weighted_length = calloc(rows + 1, sizeof *delassus->weighted_length);
    delassus->scale = calloc(3 * rows + 1, sizeof *delassus->scale);
    if (!delassus->run || !delassus->run_start || !delassus->run_nodes || !delassus->weighted_start ||
        !delassus->weighted_length || !delassus->scale)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the runs of the Jacobian's rows");
    count_runs(delassus, jacobian);
    const size_t bytes = (lay_out_runs(delassus, jacobian) + TAIL) * sizeof *delassus->weighted;
    delassus->weighted = nb_large_allocate(bytes);
    if (!delassus->weighted)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the weighted Jacobian");
    memset(delassus->weighted, 0, bytes);
    return NB_OK;
}

/* The nodes that block rows i and j share, in stretches that are successive in both; counts only where out
 * is NULL. */
static int find_stretches(const struct NB(nb_bsr) *jacobian, int i, int j, int *out)
{
    int count = 0, length = 0;
    int a = jacobian->start[i], b = jacobian->start[j];
    for (; a < jacobian->start[i + 1] && b < jacobian->start[j + 1]; length = 0) {
        while (a + length < jacobian->start[i + 1] && b + length < jacobian->start[j + 1] &&
               jacobian->column[a + length] == jacobian->column[b + length])
            ++length;
        if (length > 0 && out) {
            out[3 * count] = a - jacobian->start[i];
            out[3 * count + 1] = b - jacobian->start[j];
            out[3 * count + 2] = length;
        }
        count += length > 0;
        if (length > 0)
            a += length, b += length;
        else if (jacobian->column[a] < jacobian->column[b])
            ++a;
        else
            ++b;
    }
    return count;
}

/* The runs that one run's rows have as columns; counts only where the lists are not there yet. */
static void couple_run(struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian, int run,
                       int *couples, int *stretches)
{
    const struct NB(nb_bsr) *matrix = &delassus->matrix;
    const int i = delassus->run_start[run], end = matrix->start[i + 1];
    for (int k = matrix->start[i], j, rows; k < end; k += rows, ++*couples) {
        j = matrix->column[k];
        rows = delassus->run_start[delassus->run[j] + 1] - j;
        if (!delassus->couple) {
            *stretches += find_stretches(jacobian, i, j, NULL);
            continue;
        }
        struct NB(nb_couple) *couple = delassus->couple + *couples;
        if (j == i)
            delassus->own[run] = *couples;
        couple->row = j;
        couple->rows = rows;
        couple->right = delassus->weighted_start[delassus->run[j]];
        couple->length = delassus->weighted_length[delassus->run[j]];
        couple->first = *stretches;
        couple->stretches =
            find_stretches(jacobian, i, j, delassus->stretch + 3 * (size_t)couple->first);
        memcpy(couple->only, delassus->stretch + 3 * (size_t)couple->first, sizeof couple->only);
        *stretches += couple->stretches;
    }
}

static enum nb_status couple_runs(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                                  struct nb_error *error)
{
    int couples = 0, stretches = 0;
    for (int run = 0; run < delassus->runs; ++run)
        couple_run(delassus, &model->jacobian, run, &couples, &stretches);
    delassus->couple_start = calloc((size_t)delassus->runs + 1, sizeof *delassus->couple_start);
    delassus->stretch = calloc(3 * (size_t)stretches + 3, sizeof *delassus->stretch);
    delassus->couple = calloc((size_t)couples + 1, sizeof *delassus->couple);
    delassus->own = calloc((size_t)delassus->runs + 1, sizeof *delassus->own);
    if (!delassus->couple_start || !delassus->couple || !delassus->stretch || !delassus->own)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the coupled runs");
    couples = stretches = 0;
    for (int run = 0; run < delassus->runs; ++run) {
        couple_run(delassus, &model->jacobian, run, &couples, &stretches);
        delassus->couple_start[run + 1] = couples;
    }
    return NB_OK;
}

/* Whether a run is one row that has one stretch with each of its columns, as a contact alone between its
 * bodies. */
static int is_single(const struct NB(nb_delassus) *delassus, int run)
{
    int single = delassus->run_start[run + 1] == delassus->run_start[run] + 1 &&
                 delassus->run_nodes[run] <= NB_SINGLE_NODES &&
                 delassus->weighted_start[delassus->runs] <= INT_MAX;
    for (int m = delassus->couple_start[run]; single && m < delassus->couple_start[run + 1]; ++m)
        single = delassus->couple[m].stretches == 1;
    return single;
}

static void list_singles(struct NB(nb_delassus) *delassus, int run)
{
    struct NB(nb_single) *out = delassus->single + delassus->single_start[run];
    for (int m = delassus->couple_start[run]; m < delassus->couple_start[run + 1]; ++m) {
        const struct NB(nb_couple) *couple = delassus->couple + m;
        if (m == delassus->own[run])
            delassus->single_own[run] = (int)(out - delassus->single);
        for (int c = 0; c < couple->rows; ++c, ++out) {
            out->right = (int)couple->right + 3 * (couple->length * couple->only[1] + c);
            out->length = couple->length;
            out->left = (short)couple->only[0];
            out->nodes = (short)couple->only[2];
        }
    }
}

static enum nb_status find_singles(struct NB(nb_delassus) *delassus, struct nb_error *error)
{
    const int runs = delassus->runs, *start = delassus->matrix.start;
    delassus->single_start = calloc((size_t)runs + 1, sizeof *delassus->single_start);
    delassus->single_own = calloc((size_t)runs + 1, sizeof *delassus->single_own);
    if (!delassus->single_start || !delassus->single_own)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the coupled runs");
    for (int run = 0; run < runs; ++run) {
        const int i = delassus->run_start[run];
        delassus->single_start[run + 1] =
            delassus->single_start[run] + (is_single(delassus, run) ? start[i + 1] - start[i] : 0);
    }
    delassus->single = calloc((size_t)delassus->single_start[runs] + 1, sizeof *delassus->single);
    if (!delassus->single)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the coupled runs");
    for (int run = 0; run < runs; ++run)
        if (delassus->single_start[run + 1] > delassus->single_start[run])
            list_singles(delassus, run);
    return NB_OK;
}

enum nb_status NB(nb_delassus_create)(struct NB(nb_delassus) *delassus,
                                      const struct NB(nb_model) *model, struct nb_error *error)
{
    enum nb_simd level;
    memset(delassus, 0, sizeof *delassus);
    enum nb_status status = nb_simd_choose(&level, error);
    if (status)
        return status;
    delassus->kernels = NB(nb_delassus_kernels_of)(level);
    status = fill_pattern(delassus, model, error);
    if (!status)
        status = NB(nb_bsr_mirror)(&delassus->matrix, &delassus->mirror, error);
    if (!status)
        status = fill_products(delassus, model, error);
    if (!status)
        status = find_runs(delassus, model, error);
    if (!status)
        status = couple_runs(delassus, model, error);
    if (!status)
        status = find_singles(delassus, error);
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
    free(delassus->run);
    free(delassus->run_start);
    free(delassus->couple_start);
    free(delassus->couple);
    free(delassus->own);
    free(delassus->stretch);
    free(delassus->single_start);
    free(delassus->single_own);
    free(delassus->single);
    free(delassus->weighted);
    free(delassus->weighted_start);
    free(delassus->weighted_length);
    free(delassus->run_nodes);
    free(delassus->scale);
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
