/* Rows are found by an up-looking factorisation L diag(pivot) L^T of M in the order of minimum degree (Amestoy,
 * Davis and Duff 1996; Davis 2006, chapter 4): a row whose pivot, what the rows before leave of its diagonal
 * entry, is next to nothing depends on them and is left out. Small pivots magnify round-off, and what then is
 * left of a dependent row may not be told from an independent one: rows of large pivots are taken first, in
 * several passes. The three rows of a block go together, one in each lane of a vector. */
#include "solvers/sparse/row_basis_search.h"

#include <amd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the diagonal: pivots of rows that depend on others, and of matrices that are not semidefinite. */
#define DEPENDENT 1e-10
#define FIRST_PASS 1e-2
#define NEXT_PASS 1e-2 /* of the pass before */
#define INDEFINITE -1e-6

void nb_row_basis_search_free(struct nb_row_basis_search *s)
{
    for (int i = 0; s->lower && i < s->most; ++i) {
        free(s->lower[i].row);
        free(s->lower[i].value);
    }
    free(s->index);
    free(s->row);
    free(s->lower);
    free(s->pivot);
    free(s->parent);
    free(s->seen);
    free(s->done);
    free(s->path);
    free(s->stack);
    free(s->x);
    free(s->left);
}

static int allocate_search(struct nb_row_basis_search *s)
{
    const size_t n = (size_t)s->most + 1, vectors = n * sizeof(nb_lanes);
    s->index = malloc((3 * (size_t)s->matrix.blocks + 1) * sizeof *s->index);
    s->row = malloc(n * sizeof *s->row);
    s->lower = calloc(n, sizeof *s->lower);
    s->pivot = malloc(n * sizeof *s->pivot);
    s->parent = malloc(n * sizeof *s->parent);
    s->seen = malloc(n * sizeof *s->seen);
    s->done = calloc((size_t)s->matrix.blocks + 1, 1);
    s->path = malloc(n * sizeof *s->path);
    s->stack = malloc(n * sizeof *s->stack);
    s->x = aligned_alloc(sizeof(nb_lanes), vectors);
    s->left = aligned_alloc(sizeof(nb_lanes), vectors);
    if (!s->index || !s->row || !s->lower || !s->pivot || !s->parent || !s->seen || !s->done || !s->path ||
        !s->stack || !s->x || !s->left)
        return 0;
    memset(s->x, 0, vectors);
    for (int i = 0; i < 3 * s->matrix.blocks; ++i)
        s->index[i] = -1;
    return 1;
}

/* Of block row i: its entries in the columns found so far into x, the block on the diagonal into own, and the
 * columns of L that it meets onto the end of the stack, in the order of elimination. Returns where they
 * begin. */
static int reach(struct nb_row_basis_search *s, int i, nb_lanes *own)
{
    const struct nb_row_basis_matrix *a = &s->matrix;
    int top = s->most;
    for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
        const double *block = a->value + 9 * (size_t)k;
        const int j = a->column[k];
        for (int c = 0; c < 3; ++c) {
            const nb_lanes entries = {block[c], block[3 + c], block[6 + c], 0};
            int at = s->index[3 * j + c], length = 0;
            if (j == i)
                own[c] = entries;
            if (at < 0)
                continue;
            s->x[at] = entries;
            for (; at >= 0 && s->seen[at] != s->visit; at = s->parent[at]) {
                s->path[length++] = at;
                s->seen[at] = s->visit;
            }
            while (length > 0)
                s->stack[--top] = s->path[--length];
        }
    }
    return top;
}

/* own becomes what the rows found so far leave of it. */
static void eliminate(struct nb_row_basis_search *s, int top, nb_lanes *own)
{
    for (int t = top; t < s->most; ++t) {
        const struct nb_row_basis_column *lower = s->lower + s->stack[t];
        const nb_lanes y = s->x[s->stack[t]], left = y / s->pivot[s->stack[t]];
        s->x[s->stack[t]] = (nb_lanes){0};
        s->left[t] = left;
        for (int k = 0; k < lower->count; ++k)
            s->x[lower->row[k]] -= lower->value[k] * y;
        for (int c = 0; c < 3; ++c)
            own[c] -= left * y[c];
    }
}

static int append(struct nb_row_basis_column *column, int row, double value)
{
    if (column->count == column->room) {
        const int room = 2 * column->room + 8;
        int *rows = realloc(column->row, (size_t)room * sizeof *rows);
        if (rows)
            column->row = rows;
        double *values = realloc(column->value, (size_t)room * sizeof *values);
        if (values)
            column->value = values;
        if (!rows || !values)
            return 0;
        column->room = room;
    }
    column->row[column->count] = row;
    column->value[column->count++] = value;
    return 1;
}

/* What is left of a block's rows, column by column, and their rows of L among themselves. */
struct block {
    nb_lanes own[3], lower[3];
    double diagonal[3]; /* of W */
    int taken;          /* lanes */
    int count, first;   /* of them, and the index of the first one */
};

/* Takes row r of block i into L. Zero: no memory. */
static int take(struct nb_row_basis_search *s, int i, int r, int top, struct block *block)
{
    const int index = s->rank++;
    for (int t = top; t < s->most; ++t) {
        if (!append(s->lower + s->stack[t], index, s->left[t][r]))
            return 0;
        if (s->parent[s->stack[t]] < 0)
            s->parent[s->stack[t]] = index;
    }
    for (int k = 0; k < block->count; ++k)
        if (!append(s->lower + block->first + k, index, block->lower[k][r]))
            return 0;
    if (block->count > 0)
        s->parent[index - 1] = index;
    const nb_lanes pivot = block->own[r], left = pivot / pivot[r];
    for (int c = 0; c < 3; ++c)
        block->own[c] -= left * pivot[c];
    block->lower[block->count++] = left;
    block->taken |= 1 << r;
    s->pivot[index] = pivot[r];
    s->parent[index] = s->seen[index] = -1;
    s->row[index] = 3 * i + r;
    s->index[3 * i + r] = index;
    return 1;
}

/* The row of a block that depends least on those found so far; *least is the smallest pivot, relative. */
static int choose(const struct block *block, double *most, double *least)
{
    int best = 0;
    *most = *least = 0;
    for (int r = 0; r < 3; ++r) {
        const double diagonal = block->diagonal[r];
        const double pivot = diagonal > 0 ? block->own[r][r] / diagonal : block->own[r][r];
        if (block->taken & 1 << r)
            continue;
        if (pivot > *most) {
            *most = pivot;
            best = r;
        }
        *least = fmin(*least, pivot);
    }
    return best;
}

/* Takes what has a relative pivot above least_taken. */
static enum nb_row_basis_outcome take_block(struct nb_row_basis_search *s, int i, double least_taken)
{
    struct block block = {.first = s->rank};
    s->visit++;
    const int top = reach(s, i, block.own);
    for (int r = 0; r < 3; ++r) {
        block.diagonal[r] = block.own[r][r];
        block.taken |= (s->index[3 * i + r] >= 0) << r;
    }
    eliminate(s, top, block.own);
    for (;;) {
        double most, least;
        const int r = choose(&block, &most, &least);
        if (!(least >= INDEFINITE))
            return NB_ROW_BASIS_NONE;
        s->done[i] = !(most > DEPENDENT);
        if (!(most > least_taken))
            return NB_ROW_BASIS_FOUND;
        if (s->rank == s->most)
            return NB_ROW_BASIS_NONE;
        if (!take(s, i, r, top, &block))
            return NB_ROW_BASIS_NO_MEMORY;
    }
}

enum nb_row_basis_outcome nb_row_basis_search(struct nb_row_basis_search *s)
{
    const struct nb_row_basis_matrix *a = &s->matrix;
    if (!allocate_search(s))
        return NB_ROW_BASIS_NO_MEMORY;
    int *order = malloc(((size_t)a->blocks + 1) * sizeof *order);
    enum nb_row_basis_outcome outcome = order ? NB_ROW_BASIS_FOUND : NB_ROW_BASIS_NO_MEMORY;
    if (order && amd_order(a->blocks, a->start, a->column, order, NULL, NULL) < AMD_OK)
        outcome = NB_ROW_BASIS_NO_MEMORY;
    int left = a->blocks;
    for (double pass = FIRST_PASS; left > 0 && pass > 0.1 * DEPENDENT; pass *= NEXT_PASS) {
        left = 0;
        for (int k = 0; k < a->blocks && outcome == NB_ROW_BASIS_FOUND; ++k)
            if (!s->done[order[k]]) {
                outcome = take_block(s, order[k], pass);
                left += !s->done[order[k]];
            }
    }
    free(order);
    return outcome;
}

void nb_row_basis_solve(const struct nb_row_basis_search *s, double *x)
{
    for (int j = 0; j < s->rank; ++j)
        for (int k = 0; k < s->lower[j].count; ++k)
            x[s->lower[j].row[k]] -= s->lower[j].value[k] * x[j];
    for (int j = s->rank; j-- > 0;) {
        x[j] /= s->pivot[j];
        for (int k = 0; k < s->lower[j].count; ++k)
            x[j] -= s->lower[j].value[k] * x[s->lower[j].row[k]];
    }
}
