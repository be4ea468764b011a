/* The pattern of W = J H^-1 J^T, two block rows being neighbours where they share a node; and what its filling needs
 * (solvers/delassus/delassus_fill.c): supernodes, the pairs of them that share nodes, and where the nodes of a pair
 * lie in the rows of either. All of it is found once. */
#include "solvers/delassus/delassus.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/large.h"
#include "problems/base/sorted.h"
#include "solvers/block/block3.h"
#include "solvers/delassus/delassus_private.h"

/* What vectors read past the last column. */
enum { PARALLEL_BLOCKS = 20000, TAIL = 32 };

/* Block rows that share a node with row i, in ascending order and with i itself. */
static int neighbours(const struct nb_model *model, int i, int *mark, int *list)
{
    const struct nb_bsr *jacobian = &model->jacobian;
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
static enum nb_status fill_pattern(struct nb_delassus *delassus,
                                   const struct nb_model *model, struct nb_error *error)
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
    status = nb_bsr_allocate(&delassus->matrix, n, n, (int)total, error);
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

static int same_nodes(const struct nb_bsr *jacobian, int i, int j)
{
    const int count = jacobian->start[i + 1] - jacobian->start[i];
    return count > 0 && count == jacobian->start[j + 1] - jacobian->start[j] &&
           !memcmp(jacobian->column + jacobian->start[i], jacobian->column + jacobian->start[j],
                   (size_t)count * sizeof *jacobian->column);
}

static void find_row_supernodes(struct nb_delassus *delassus, const struct nb_bsr *jacobian)
{
    for (int i = 0; i < jacobian->rows; ++i) {
        if (i == 0 || !same_nodes(jacobian, i - 1, i))
            delassus->supernode_start[delassus->supernodes++] = i;
        delassus->supernode_of[i] = delassus->supernodes - 1;
    }
    delassus->supernode_start[delassus->supernodes] = jacobian->rows;
}

/* Columns begin on fours and leave an entry after their last. */
static size_t lay_out_supernodes(struct nb_delassus *delassus, const struct nb_bsr *jacobian)
{
    for (int supernode = 0; supernode < delassus->supernodes; ++supernode) {
        const int i = delassus->supernode_start[supernode], rows = delassus->supernode_start[supernode + 1] - i;
        delassus->supernode_nodes[supernode] = jacobian->start[i + 1] - jacobian->start[i];
        delassus->weighted_length[supernode] = (3 * rows + 4) / 4 * 4;
        delassus->weighted_start[supernode + 1] =
            delassus->weighted_start[supernode] +
            3 * (size_t)delassus->supernode_nodes[supernode] * (size_t)delassus->weighted_length[supernode];
    }
    return delassus->weighted_start[delassus->supernodes];
}

static void lay_out(void *self, struct nb_arena *arena)
{
    struct nb_delassus *delassus = self;
    const size_t rows = (size_t)delassus->matrix.rows;
    NB_ARRAY(arena, delassus->supernode_of, rows);
    NB_ARRAY(arena, delassus->supernode_start, rows + 1);
    NB_ARRAY(arena, delassus->supernode_nodes, rows);
    NB_ARRAY(arena, delassus->pair_start, rows + 1);
    NB_ARRAY(arena, delassus->own_pair, rows);
    NB_ARRAY(arena, delassus->row_block_start, rows + 1);
    NB_ARRAY(arena, delassus->own_row_block, rows);
    NB_ARRAY(arena, delassus->weighted_start, rows + 1);
    NB_ARRAY(arena, delassus->weighted_length, rows);
    NB_ARRAY(arena, delassus->scale, 3 * rows + 1);
}

static enum nb_status find_supernodes(struct nb_delassus *delassus,
                                      const struct nb_model *model, struct nb_error *error)
{
    delassus->memory = nb_arena_allocate(lay_out, delassus);
    if (!delassus->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the supernodes of the Jacobian");
    find_row_supernodes(delassus, &model->jacobian);
    const size_t bytes = (lay_out_supernodes(delassus, &model->jacobian) + TAIL) * sizeof *delassus->weighted;
    delassus->weighted = nb_large_allocate(bytes);
    if (!delassus->weighted)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the weighted Jacobian");
    memset(delassus->weighted, 0, bytes);
    return NB_OK;
}

/* The nodes that block rows i and j share, in segments that are successive in both; counts only where out
 * is NULL. */
static int find_segments(const struct nb_bsr *jacobian, int i, int j, int *out)
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

/* The supernodes that one supernode's rows have as columns; counts only where the lists are not there yet. */
static void list_pairs(struct nb_delassus *delassus, const struct nb_bsr *jacobian, int supernode,
                       int *pairs, int *segments)
{
    const struct nb_bsr *matrix = &delassus->matrix;
    const int i = delassus->supernode_start[supernode], end = matrix->start[i + 1];
    for (int k = matrix->start[i], j, rows; k < end; k += rows, ++*pairs) {
        j = matrix->column[k];
        rows = delassus->supernode_start[delassus->supernode_of[j] + 1] - j;
        if (!delassus->pair) {
            *segments += find_segments(jacobian, i, j, NULL);
            continue;
        }
        struct nb_supernode_pair *pair = delassus->pair + *pairs;
        if (j == i)
            delassus->own_pair[supernode] = *pairs;
        pair->row = j;
        pair->rows = rows;
        pair->right = delassus->weighted_start[delassus->supernode_of[j]];
        pair->length = delassus->weighted_length[delassus->supernode_of[j]];
        pair->first = *segments;
        pair->segments =
            find_segments(jacobian, i, j, delassus->segment + 3 * (size_t)pair->first);
        memcpy(pair->only, delassus->segment + 3 * (size_t)pair->first, sizeof pair->only);
        *segments += pair->segments;
    }
}

static enum nb_status pair_supernodes(struct nb_delassus *delassus, const struct nb_model *model,
                                      struct nb_error *error)
{
    int pairs = 0, segments = 0;
    for (int supernode = 0; supernode < delassus->supernodes; ++supernode)
        list_pairs(delassus, &model->jacobian, supernode, &pairs, &segments);
    delassus->segment = calloc(3 * (size_t)segments + 3, sizeof *delassus->segment);
    delassus->pair = calloc((size_t)pairs + 1, sizeof *delassus->pair);
    if (!delassus->pair || !delassus->segment)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the pairs of supernodes");
    pairs = segments = 0;
    for (int supernode = 0; supernode < delassus->supernodes; ++supernode) {
        list_pairs(delassus, &model->jacobian, supernode, &pairs, &segments);
        delassus->pair_start[supernode + 1] = pairs;
    }
    return NB_OK;
}

/* Whether a supernode is one row that has one segment with each of its columns, as a contact alone between its
 * bodies. */
static int is_one_row(const struct nb_delassus *delassus, int supernode)
{
    int single = delassus->supernode_start[supernode + 1] == delassus->supernode_start[supernode] + 1 &&
                 delassus->supernode_nodes[supernode] <= NB_ROW_BLOCK_NODES &&
                 delassus->weighted_start[delassus->supernodes] <= INT_MAX;
    for (int m = delassus->pair_start[supernode]; single && m < delassus->pair_start[supernode + 1]; ++m)
        single = delassus->pair[m].segments == 1;
    return single;
}

static void list_row_blocks(struct nb_delassus *delassus, int supernode)
{
    struct nb_row_block *out = delassus->row_block + delassus->row_block_start[supernode];
    for (int m = delassus->pair_start[supernode]; m < delassus->pair_start[supernode + 1]; ++m) {
        const struct nb_supernode_pair *pair = delassus->pair + m;
        if (m == delassus->own_pair[supernode])
            delassus->own_row_block[supernode] = (int)(out - delassus->row_block);
        for (int c = 0; c < pair->rows; ++c, ++out) {
            out->right = (int)pair->right + 3 * (pair->length * pair->only[1] + c);
            out->length = pair->length;
            out->left = (short)pair->only[0];
            out->nodes = (short)pair->only[2];
        }
    }
}

static enum nb_status find_row_blocks(struct nb_delassus *delassus, struct nb_error *error)
{
    const int supernodes = delassus->supernodes, *start = delassus->matrix.start;
    for (int supernode = 0; supernode < supernodes; ++supernode) {
        const int i = delassus->supernode_start[supernode];
        delassus->row_block_start[supernode + 1] =
            delassus->row_block_start[supernode] + (is_one_row(delassus, supernode) ? start[i + 1] - start[i] : 0);
    }
    delassus->row_block = calloc((size_t)delassus->row_block_start[supernodes] + 1, sizeof *delassus->row_block);
    if (!delassus->row_block)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the blocks of single rows");
    for (int supernode = 0; supernode < supernodes; ++supernode)
        if (delassus->row_block_start[supernode + 1] > delassus->row_block_start[supernode])
            list_row_blocks(delassus, supernode);
    return NB_OK;
}

enum nb_status nb_delassus_create(struct nb_delassus *delassus,
                                  const struct nb_model *model, struct nb_error *error)
{
    enum nb_simd level;
    memset(delassus, 0, sizeof *delassus);
    enum nb_status status = nb_simd_choose(&level, error);
    if (status)
        return status;
    delassus->kernels = nb_delassus_kernels_of(level);
    status = fill_pattern(delassus, model, error);
    if (!status)
        status = find_supernodes(delassus, model, error);
    if (!status)
        status = pair_supernodes(delassus, model, error);
    if (!status)
        status = find_row_blocks(delassus, error);
    if (status)
        nb_delassus_free(delassus);
    return status;
}

void nb_delassus_free(struct nb_delassus *delassus)
{
    nb_bsr_free(&delassus->matrix);
    free(delassus->memory);
    free(delassus->pair);
    free(delassus->segment);
    free(delassus->row_block);
    free(delassus->weighted);
    free(delassus->mirror);
    free(delassus->product_start);
    free(delassus->product);
    memset(delassus, 0, sizeof *delassus);
}

void nb_weigh_jacobian(const struct nb_model *model, nb_matrix *weighted)
{
    const struct nb_bsr *jacobian = &model->jacobian;
    const int blocks = jacobian->start[jacobian->rows];
#pragma omp parallel for schedule(static) num_threads(model->threads) \
    if (model->threads > 1 && blocks > PARALLEL_BLOCKS)
    for (int k = 0; k < blocks; ++k)
        nb_block_multiply(jacobian->value + 9 * (size_t)k,
                          model->inverse_mass + 9 * (size_t)jacobian->column[k],
                          weighted + 9 * (size_t)k);
}
