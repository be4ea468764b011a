/* The patterns of smoothed aggregation; see multigrid.h. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/sorted.h"
#include "solvers/precond/multigrid/multigrid.h"
#include "solvers/sparse/block_graph.h"

enum { COARSE_ROWS = 60 };

void nb_multigrid_free(struct nb_multigrid *grid)
{
    for (int l = 0; l < NB_MULTIGRID_LEVELS; ++l) {
        struct nb_multigrid_level *level = &grid->level[l];
        nb_bsr_free(&level->owned);
        nb_bsr_free(&level->prolong);
        nb_bsr_free(&level->product);
        free(level->aggregate);
        free(level->memory);
    }
    free(grid->coarse);
    memset(grid, 0, sizeof *grid);
}

/* Rows that are in the same sets get the same aggregate: those between the same two bodies. */
static enum nb_status aggregate_pairs(const struct nb_bsr *matrix, int *aggregate, int *count,
                                      struct nb_error *error)
{
    struct nb_block_sets sets = {0};
    enum nb_status status =
        nb_block_cliques(matrix->rows, matrix->start, matrix->column, &sets, error);
    if (status)
        return status;
    /* Splitting every aggregate by every set in turn: `fresh` renames an aggregate within a set. */
    int *fresh = malloc(((size_t)matrix->rows + 1) * sizeof *fresh);
    int *stamp = calloc((size_t)matrix->rows + 1, sizeof *stamp);
    int *used = calloc((size_t)matrix->rows + 1, sizeof *used);
    if (!fresh || !stamp || !used)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for aggregates");
    *count = matrix->rows > 0;
    for (int i = 0; i < matrix->rows && !status; ++i)
        aggregate[i] = 0;
    for (int s = 0; s < sets.count && !status; ++s)
        for (int m = sets.start[s]; m < sets.start[s + 1]; ++m) {
            int *own = &aggregate[sets.member[m]];
            if (stamp[*own] != s + 1) {
                stamp[*own] = s + 1;
                fresh[*own] = (*count < matrix->rows) ? (*count)++ : *own;
            }
            *own = fresh[*own];
        }
    int numbers = 0; /* aggregates that have lost all rows are closed up */
    for (int i = 0; i < matrix->rows && !status; ++i) {
        if (!used[aggregate[i]])
            used[aggregate[i]] = ++numbers;
        aggregate[i] = used[aggregate[i]] - 1;
    }
    *count = numbers;
    free(fresh);
    free(stamp);
    free(used);
    nb_block_sets_free(&sets);
    return status;
}

/* A row without aggregate takes its free neighbours with it; what is left over joins a neighbour's. */
static void aggregate_neighbours(const struct nb_bsr *matrix, int *aggregate, int *count)
{
    for (int i = 0; i < matrix->rows; ++i)
        aggregate[i] = -1;
    *count = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        int free_around = 1;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            free_around &= aggregate[matrix->column[k]] < 0;
        if (!free_around)
            continue;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            aggregate[matrix->column[k]] = *count;
        aggregate[i] = (*count)++;
    }
    const int roots = *count;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; aggregate[i] < 0 && k < matrix->start[i + 1]; ++k)
            if (aggregate[matrix->column[k]] >= 0 && aggregate[matrix->column[k]] < roots)
                aggregate[i] = aggregate[matrix->column[k]];
    for (int i = 0; i < matrix->rows; ++i)
        if (aggregate[i] < 0)
            aggregate[i] = (*count)++;
}

/* The pattern of a times b, where b is given by rows, or by one column a row. */
static enum nb_status multiply_pattern(const struct nb_bsr *a, const struct nb_bsr *b,
                                       const int *single, int columns, struct nb_bsr *out,
                                       struct nb_error *error)
{
    int *mark = calloc((size_t)columns + 1, sizeof *mark);
    size_t total = 0;
    enum nb_status status = mark ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a pattern");
    for (int pass = 0; pass < 2 && !status; ++pass) {
        int stamp = pass * a->rows;
        size_t at = 0;
        for (int i = 0; i < a->rows; ++i) {
            const size_t first = at;
            ++stamp;
            for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
                const int row = a->column[k];
                const int begin = single ? row : b->start[row], end = single ? row + 1 : b->start[row + 1];
                for (int m = begin; m < end; ++m) {
                    const int column = single ? single[m] : b->column[m];
                    if (mark[column] == stamp)
                        continue;
                    mark[column] = stamp;
                    if (pass)
                        out->column[at] = column;
                    ++at;
                }
            }
            if (pass) {
                nb_sort_ints(out->column + first, (int)(at - first));
                out->start[i + 1] = (int)at;
            }
        }
        total = at;
        if (!pass)
            status = nb_bsr_allocate(out, a->rows, columns, (int)total, error);
    }
    free(mark);
    return status;
}

/* The pattern of P^T (A P): row c collects the rows of A P whose P has column c. */
static enum nb_status coarse_pattern(const struct nb_bsr *prolong, const struct nb_bsr *product,
                                     struct nb_bsr *out, struct nb_error *error)
{
    struct nb_bsr transpose;
    const int blocks = prolong->start[prolong->rows];
    enum nb_status status =
        nb_bsr_allocate(&transpose, prolong->columns, prolong->rows, blocks, error);
    if (status)
        return status;
    for (int k = 0; k < blocks; ++k)
        transpose.start[prolong->column[k] + 1]++;
    for (int c = 0; c < prolong->columns; ++c)
        transpose.start[c + 1] += transpose.start[c];
    for (int i = prolong->rows - 1; i >= 0; --i)
        for (int k = prolong->start[i]; k < prolong->start[i + 1]; ++k)
            transpose.column[--transpose.start[prolong->column[k] + 1]] = i;
    /* Each start has moved down to its row's own beginning, one place late. */
    for (int c = 0; c < prolong->columns; ++c)
        transpose.start[c] = transpose.start[c + 1];
    transpose.start[prolong->columns] = blocks;
    status = multiply_pattern(&transpose, product, NULL, prolong->columns, out, error);
    nb_bsr_free(&transpose);
    return status;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_multigrid_level *level = data;
    const size_t rows = (size_t)level->matrix->rows;
    nb_real **blocks[] = {&level->inverse, &level->shape, &level->tentative};
    nb_real **vectors[] = {&level->x, &level->b, &level->r};
    for (int i = 0; i < 3; ++i) {
        NB_ARRAY(arena, *blocks[i], 9 * rows);
        NB_ARRAY(arena, *vectors[i], 3 * rows);
    }
    NB_ARRAY(arena, level->slot, rows);
}

/* Level l + 1 from level l; *done where coarsening has come to an end. */
static enum nb_status coarsen(struct nb_multigrid *grid, int l, int *done, struct nb_error *error)
{
    struct nb_multigrid_level *level = &grid->level[l];
    const struct nb_bsr *matrix = level->matrix;
    enum nb_status status = NB_OK;
    level->memory = nb_arena_allocate(lay_out, level);
    if (!level->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a level of %d blocks", matrix->rows);
    *done = matrix->rows <= COARSE_ROWS || l + 1 == NB_MULTIGRID_LEVELS;
    if (*done)
        return NB_OK;
    int *aggregate = malloc(((size_t)matrix->rows + 1) * sizeof *aggregate);
    if (!aggregate)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for aggregates");
    level->aggregate = aggregate;
    if (l == 0)
        status = aggregate_pairs(matrix, aggregate, &level->aggregates, error);
    if (!status && (l > 0 || level->aggregates > matrix->rows * 3 / 4))
        aggregate_neighbours(matrix, aggregate, &level->aggregates);
    if (status || level->aggregates > matrix->rows * 9 / 10) {
        *done = 1; /* hardly anything couples: this is the coarsest level */
        free(aggregate);
        level->aggregate = NULL;
        return status;
    }
    status = multiply_pattern(matrix, NULL, aggregate, level->aggregates, &level->prolong, error);
    if (!status)
        status = multiply_pattern(matrix, &level->prolong, NULL, level->aggregates, &level->product,
                                  error);
    if (!status)
        status = coarse_pattern(&level->prolong, &level->product, &grid->level[l + 1].owned, error);
    grid->level[l + 1].matrix = &grid->level[l + 1].owned;
    return status;
}

enum nb_status nb_multigrid_setup(struct nb_multigrid *grid,
                                  const struct nb_bsr *matrix, struct nb_error *error)
{
    int done = 0;
    memset(grid, 0, sizeof *grid);
    grid->level[0].matrix = matrix;
    while (!done) {
        const enum nb_status status = coarsen(grid, grid->levels, &done, error);
        if (status)
            return status;
        grid->levels++;
    }
    const size_t order = 3 * (size_t)grid->level[grid->levels - 1].matrix->rows;
    if (order > 3 * COARSE_ROWS)
        return NB_OK; /* too large for a dense factor: smoothed instead */
    grid->coarse = malloc((order * order + 1) * sizeof *grid->coarse);
    return grid->coarse ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the coarsest level");
}
