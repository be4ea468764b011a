/* Rows are found by an up-looking factorisation L diag(pivot) L^T of M in the order of minimum degree (Amestoy,
 * Davis and Duff 1996; Davis 2006, chapter 4): a row whose pivot, what the rows before leave of its diagonal
 * entry, is next to nothing depends on them and is left out. Small pivots magnify round-off, and what then is
 * left of a dependent row may not be told from an independent one: rows of large pivots are taken first, in
 * several passes. The three rows of a block go together, one in each lane of a vector. */
#include "solvers/spanning_rows.h"

#include <amd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the diagonal: pivots of rows that depend on others, and of matrices that are not semidefinite,
 * asymmetry, and what the rows found may leave of D x. */
#define DEPENDENT 1e-10
#define FIRST_PASS 1e-2
#define NEXT_PASS 1e-2 /* of the pass before */
#define INDEFINITE -1e-6
#define ASYMMETRIC 1e-11
#define INEXACT 1e-8

typedef double four __attribute__((vector_size(4 * sizeof(double))));

struct matrix {
    int blocks;
    const int *start, *column;
    const double *value;
};

struct column {
    int count, room;
    int *row;
    double *value;
};

struct search {
    struct matrix matrix;
    int most;              /* rows that may be found                            */
    int rank;
    int *index;            /* [3 blocks] of a scalar row among those found, -1  */
    int *row;              /* [most]                                            */
    struct column *lower;  /* [most] columns of L                               */
    double *pivot;         /* [most]                                            */
    int *parent;           /* [most] in the elimination tree; -1: none yet      */
    int *seen, *path, *stack; /* [most]                                         */
    int visit;             /* of a block, so far: what seen counts              */
    char *done;            /* [blocks] nothing is left of its rows              */
    four *x, *left;        /* [most] what is left of the block's rows; their rows of L */
};

static void free_search(struct search *s)
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

static int allocate_search(struct search *s)
{
    const size_t n = (size_t)s->most + 1, vectors = n * sizeof(four);
    s->index = malloc((3 * (size_t)s->matrix.blocks + 1) * sizeof *s->index);
    s->row = malloc(n * sizeof *s->row);
    s->lower = calloc(n, sizeof *s->lower);
    s->pivot = malloc(n * sizeof *s->pivot);
    s->parent = malloc(n * sizeof *s->parent);
    s->seen = malloc(n * sizeof *s->seen);
    s->done = calloc((size_t)s->matrix.blocks + 1, 1);
    s->path = malloc(n * sizeof *s->path);
    s->stack = malloc(n * sizeof *s->stack);
    s->x = aligned_alloc(sizeof(four), vectors);
    s->left = aligned_alloc(sizeof(four), vectors);
    if (!s->index || !s->row || !s->lower || !s->pivot || !s->parent || !s->seen || !s->done || !s->path ||
        !s->stack || !s->x || !s->left)
        return 0;
    memset(s->x, 0, vectors);
    for (int i = 0; i < 3 * s->matrix.blocks; ++i)
        s->index[i] = -1;
    return 1;
}

static const double *find_block(const struct matrix *a, int i, int j)
{
    int low = a->start[i], high = a->start[i + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low == high && a->column[low] == j ? a->value + 9 * (size_t)low : NULL;
}

static int is_symmetric(const struct matrix *a)
{
    for (int i = 0; i < a->blocks; ++i) {
        const double *own = find_block(a, i, i);
        for (int k = a->start[i]; k < a->start[i + 1] && a->column[k] <= i; ++k) {
            const double *block = a->value + 9 * (size_t)k;
            const double *mirror = find_block(a, a->column[k], i);
            const double *other = find_block(a, a->column[k], a->column[k]);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const double size = own[4 * r] * other[4 * c];
                    if (!(fabs(block[3 * r + c] - mirror[3 * c + r]) <= ASYMMETRIC * sqrt(fmax(size, 0))))
                        return 0;
                }
        }
    }
    return 1;
}

/* Of block row i: its entries in the columns found so far into x, the block on the diagonal into own, and the
 * columns of L that it meets onto the end of the stack, in the order of elimination. Returns where they
 * begin. */
static int reach(struct search *s, int i, four *own)
{
    const struct matrix *a = &s->matrix;
    int top = s->most;
    for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
        const double *block = a->value + 9 * (size_t)k;
        const int j = a->column[k];
        for (int c = 0; c < 3; ++c) {
            const four entries = {block[c], block[3 + c], block[6 + c], 0};
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
static void eliminate(struct search *s, int top, four *own)
{
    for (int t = top; t < s->most; ++t) {
        const struct column *lower = s->lower + s->stack[t];
        const four y = s->x[s->stack[t]], left = y / s->pivot[s->stack[t]];
        s->x[s->stack[t]] = (four){0};
        s->left[t] = left;
        for (int k = 0; k < lower->count; ++k)
            s->x[lower->row[k]] -= lower->value[k] * y;
        for (int c = 0; c < 3; ++c)
            own[c] -= left * y[c];
    }
}

static int append(struct column *column, int row, double value)
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
    four own[3], lower[3];
    double diagonal[3]; /* of D */
    int taken;          /* lanes */
    int count, first;   /* of them, and the index of the first one */
};

/* Takes row r of block i into L. Zero: no memory. */
static int take(struct search *s, int i, int r, int top, struct block *block)
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
    const four pivot = block->own[r], left = pivot / pivot[r];
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

enum outcome { FOUND, NONE, NO_MEMORY };

/* Takes what has a relative pivot above least_taken. */
static enum outcome take_block(struct search *s, int i, double least_taken)
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
            return NONE;
        s->done[i] = !(most > DEPENDENT);
        if (!(most > least_taken))
            return FOUND;
        if (s->rank == s->most)
            return NONE;
        if (!take(s, i, r, top, &block))
            return NO_MEMORY;
    }
}

/* x = M^-1 x */
static void solve(const struct search *s, double *x)
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

static enum outcome search(struct search *s)
{
    const struct matrix *a = &s->matrix;
    int *order = malloc(((size_t)a->blocks + 1) * sizeof *order);
    enum outcome outcome = order ? FOUND : NO_MEMORY;
    if (order && amd_order(a->blocks, a->start, a->column, order, NULL, NULL) < AMD_OK)
        outcome = NO_MEMORY;
    int left = a->blocks;
    for (double pass = FIRST_PASS; left > 0 && pass > 0.1 * DEPENDENT; pass *= NEXT_PASS) {
        left = 0;
        for (int k = 0; k < a->blocks && outcome == FOUND; ++k)
            if (!s->done[order[k]]) {
                outcome = take_block(s, order[k], pass);
                left += !s->done[order[k]];
            }
    }
    free(order);
    return outcome;
}

static int compare(const void *left, const void *right)
{
    const int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

void nb_spanning_rows_sort(int *index, int count)
{
    qsort(index, (size_t)count, sizeof *index, compare);
}

/* The columns and values of J. */
static int fill(const struct search *s, struct nb_spanning_rows *rows)
{
    const struct matrix *a = &s->matrix;
    size_t entries = 0;
    for (int k = 0; k < a->start[a->blocks]; ++k)
        for (int c = 0; c < 3; ++c)
            entries += s->index[3 * a->column[k] + c] >= 0;
    rows->row = malloc(((size_t)s->rank + 1) * sizeof *rows->row);
    rows->start = calloc((size_t)a->blocks + 1, sizeof *rows->start);
    rows->column = malloc((entries + 1) * sizeof *rows->column);
    rows->value = malloc((3 * entries + 1) * sizeof *rows->value);
    if (!rows->row || !rows->start || !rows->column || !rows->value)
        return 0;
    memcpy(rows->row, s->row, (size_t)s->rank * sizeof *rows->row);
    rows->blocks = a->blocks;
    rows->rank = s->rank;
    for (int i = 0, at = 0; i < a->blocks; rows->start[++i] = at) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                if (s->index[3 * a->column[k] + c] >= 0)
                    rows->column[at++] = s->index[3 * a->column[k] + c];
        nb_spanning_rows_sort(rows->column + rows->start[i], at - rows->start[i]);
        for (int k = rows->start[i]; k < at; ++k) {
            const int row = s->row[rows->column[k]];
            const double *block = find_block(a, i, row / 3);
            for (int r = 0; r < 3; ++r)
                rows->value[3 * (size_t)k + (size_t)r] = block[3 * r + row % 3];
        }
    }
    return 1;
}

static void multiply(const struct matrix *a, const double *x, double *y)
{
    for (int i = 0; i < a->blocks; ++i)
        for (int r = 0; r < 3; ++r) {
            double sum = 0;
            for (int k = a->start[i]; k < a->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c)
                    sum += a->value[9 * (size_t)k + (size_t)(3 * r + c)] * x[3 * a->column[k] + c];
            y[3 * i + r] = sum;
        }
}

/* y -= J M^-1 J^T x; z [rank] is scratch. */
static void subtract(const struct search *s, const struct nb_spanning_rows *rows, const double *x, double *y,
                     double *z)
{
    memset(z, 0, (size_t)s->rank * sizeof *z);
    for (int i = 0; i < rows->blocks; ++i)
        nb_spanning_rows_add_transposed(rows, i, x + 3 * i, z);
    solve(s, z);
    for (int i = 0; i < rows->blocks; ++i) {
        double part[3];
        nb_spanning_rows_apply(rows, i, z, part);
        for (int r = 0; r < 3; ++r)
            y[3 * i + r] -= part[r];
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Whether J M^-1 J^T x is D x, for one x without structure. A matrix that is not semidefinite may have
 * a Schur complement that is zero on the diagonal only. */
static enum outcome check(const struct search *s, const struct nb_spanning_rows *rows)
{
    const size_t n = 3 * (size_t)s->matrix.blocks;
    double *x = malloc((2 * n + (size_t)s->rank + 1) * sizeof *x), *y = x + n;
    if (!x)
        return NO_MEMORY;
    for (size_t i = 0; i < n; ++i)
        x[i] = sin(1.0 + (double)i);
    multiply(&s->matrix, x, y);
    const double most = largest(y, n);
    subtract(s, rows, x, y, y + n);
    const double off = largest(y, n);
    free(x);
    return off <= INEXACT * most ? FOUND : NONE;
}

enum nb_status nb_spanning_rows_find(struct nb_spanning_rows *rows, int blocks, const int *start,
                                     const int *column, const double *value, struct nb_error *error)
{
    struct search s = {.matrix = {blocks, start, column, value}, .most = 3 * blocks / 2};
    *rows = (struct nb_spanning_rows){0};
    if (blocks == 0 || !is_symmetric(&s.matrix))
        return NB_OK;
    enum outcome outcome = allocate_search(&s) ? search(&s) : NO_MEMORY;
    if (outcome == FOUND)
        outcome = s.rank == 0 ? NONE : fill(&s, rows) ? check(&s, rows) : NO_MEMORY;
    free_search(&s);
    if (outcome != FOUND)
        nb_spanning_rows_free(rows);
    return outcome == NO_MEMORY ? nb_fail(error, NB_OUT_OF_MEMORY,
                                          "no memory for the spanning rows of %d block rows", blocks)
                                : NB_OK;
}

void nb_spanning_rows_free(struct nb_spanning_rows *rows)
{
    free(rows->row);
    free(rows->start);
    free(rows->column);
    free(rows->value);
    *rows = (struct nb_spanning_rows){0};
}
