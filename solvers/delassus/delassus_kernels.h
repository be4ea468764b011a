/* Block rows, panels and slices of X X^T, for the vector instructions and under the name NB_LEVEL of the file that
 * includes this: delassus_portable.c, delassus_avx2.c, delassus_avx512.c. Nothing else may be defined here that
 * other files call, and no thread started. */
#include "solvers/delassus/delassus_private.h"
#include "solvers/delassus/delassus_tile.h"
#include "solvers/delassus/delassus_weighted_jacobian.h"

/* --- block rows --- */

/* A block, row-major, from the first three lanes of its columns. */
INLINE void store_transposed(nb_matrix *block, four a, four b, four c)
{
    const four start = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const four end = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    const four middle = __builtin_shufflevector(start, c, 3, 5, 3, 5);
    store_four(block, __builtin_shufflevector(start, c, 0, 1, 4, 2));
    store_four(block + 4, __builtin_shufflevector(middle, end, 0, 1, 4, 5));
    block[8] = (nb_matrix)c[2];
}

/* From columns into the block rows i, i + 1, ... of the matrix, from block k of each row on. */
static void scatter_tile(struct nb_bsr *matrix, int i, int rows, int k, int columns,
                         const nb_matrix *from)
{
    for (int row = 0; row < rows; ++row) {
        nb_matrix *block = matrix->value + 9 * (size_t)(matrix->start[i + row] + k);
        const nb_matrix *at = from + 3 * row;
        for (int column = 0; column < columns; ++column, block += 9, at += 9 * rows)
            store_transposed(block, load_four(at), load_four(at + 3 * rows), load_four(at + 6 * rows));
    }
}

/* Up to TILE_ROWS block rows of one supernode, into the block rows. */
static void fill_block_rows(const struct nb_delassus *delassus, int supernode, int i, int end,
                            struct nb_bsr *matrix)
{
    const int rows = end - i;
    nb_matrix out[9 * TILE_ROWS * TILE_ROWS + 4];
    struct tile tile = make_tile(delassus, supernode, i);
    int k = 0;
    tile.out = out;
    tile.length = 3 * (size_t)rows;
    for (int m = delassus->pair_start[supernode]; m < delassus->pair_start[supernode + 1]; ++m) {
        struct nb_supernode_pair pair = delassus->pair[m];
        for (int left = pair.rows; left > 0; left -= pair.rows, k += pair.rows) {
            pair.rows = left < TILE_ROWS ? left : TILE_ROWS;
            fill_tile(rows, &tile, &pair, 1);
            scatter_tile(matrix, i, rows, k, pair.rows, out);
            pair.right += 3 * (size_t)pair.rows;
        }
    }
}

/* The list of the supernode's only row, NULL: it has none. */
INLINE const struct nb_row_block *row_blocks_of(const struct nb_delassus *delassus, int supernode, int *count)
{
    *count = delassus->row_block_start[supernode + 1] - delassus->row_block_start[supernode];
    return *count > 0 ? delassus->row_block + delassus->row_block_start[supernode] : NULL;
}

/* Runs in tiles of TILE_ROWS rows, into a struct nb_bsr. */
static void fill_rows(const struct nb_delassus *delassus, int begin, int end, void *target)
{
    struct nb_bsr *matrix = target;
    for (int supernode = begin, count; supernode < end; ++supernode) {
        const int first = delassus->supernode_start[supernode], stop = delassus->supernode_start[supernode + 1];
        const struct nb_row_block *entry = row_blocks_of(delassus, supernode, &count);
        if (entry) {
            const struct tile tile = make_tile(delassus, supernode, first);
            struct broadcast_row row;
            broadcast(&tile, &row);
            fill_blocks(&tile, &row, entry, count, 0, matrix->value + 9 * (size_t)matrix->start[first]);
            continue;
        }
        for (int i = first; i < stop; i += TILE_ROWS)
            fill_block_rows(delassus, supernode, i, i + TILE_ROWS < stop ? i + TILE_ROWS : stop, matrix);
    }
}

/* --- panels --- */

/* A panel may hold rows of several supernodes, and a supernode lie in several panels. */
static void fill_panel(const struct nb_delassus *delassus, struct NB(nb_panels) *panels, int p)
{
    const int first = panels->row[p], stop = panels->row[p + 1];
    for (int i = first, end, count; i < stop; i = end) {
        const int supernode = delassus->supernode_of[i], begin = delassus->pair_start[supernode];
        const struct nb_row_block *entry = row_blocks_of(delassus, supernode, &count);
        struct tile tile = make_tile(delassus, supernode, i);
        tile.out = panels->value + panels->offset[p] + 3 * (size_t)(i - first);
        tile.length = 3 * (size_t)(stop - first);
        end = delassus->supernode_start[supernode + 1] < stop ? delassus->supernode_start[supernode + 1] : stop;
        if (entry && stop == first + 1) {
            struct broadcast_row row;
            broadcast(&tile, &row);
            fill_blocks(&tile, &row, entry, count, 1, tile.out);
        } else {
            fill_tile(end - i, &tile, delassus->pair + begin,
                       delassus->pair_start[supernode + 1] - begin);
        }
    }
}

/* Of a struct nb_panels. */
static void fill_panels(const struct nb_delassus *delassus, int begin, int end, void *target)
{
    for (int p = begin; p < end; ++p)
        fill_panel(delassus, target, p);
}

/* --- slices --- */

/* The rows of a tile in symmetric slices: where each row's next inner and outer blocks go. */
struct targets {
    int begin, stop;             /* block rows of the slice of the tile's first row */
    nb_matrix *inner[TILE_ROWS], *outer[TILE_ROWS], *diagonal[TILE_ROWS];
};

static struct targets find_targets(const struct NB(nb_slices) *slices, int i, int end)
{
    struct targets targets;
    targets.begin = i - i % slices->length;
    targets.stop = targets.begin + slices->length;
    for (int row = i; row < end; ++row) {
        const size_t inner = (size_t)slices->inner_start[row], outer = (size_t)slices->outer_start[row];
        nb_matrix *first = slices->value + 9 * ((size_t)row + inner + outer);
        targets.diagonal[row - i] = first;
        targets.inner[row - i] = first + 9;
        targets.outer[row - i] = first + 9 + 9 * ((size_t)slices->inner_start[row + 1] - inner);
    }
    return targets;
}

/* Where block (row, column) goes; NULL: nowhere, the one across the diagonal stands for it. */
INLINE nb_matrix *next_target(struct targets *targets, int i, int row, int column)
{
    const int near = column >= targets->begin && column < targets->stop;
    if (column == row)
        return targets->diagonal[row - i];
    if (near && column < row)
        return NULL;
    nb_matrix **next = near ? targets->inner + (row - i) : targets->outer + (row - i);
    nb_matrix *block = *next;
    *next += 9;
    return block;
}

/* Block columns j, j + 1, ... of the rows i to end, from columns. */
static void scatter_columns(struct targets *targets, int i, int end, int j, int columns,
                            const nb_matrix *from)
{
    const size_t length = 3 * (size_t)(end - i);
    for (int row = i; row < end; ++row, from += 3) {
        const nb_matrix *at = from;
        for (int column = j; column < j + columns; ++column, at += 3 * length) {
            nb_matrix *block = next_target(targets, i, row, column);
            if (block)
                store_transposed(block, load_four(at), load_four(at + length), load_four(at + 2 * length));
        }
    }
}

/* Block rows i to end, of one supernode and one slice. */
static void fill_slice_rows(const struct nb_delassus *delassus, int supernode, int i, int end,
                            struct NB(nb_slices) *slices)
{
    const int rows = end - i;
    nb_matrix out[9 * TILE_ROWS * TILE_ROWS + 4];
    struct tile tile = make_tile(delassus, supernode, i);
    struct targets targets = find_targets(slices, i, end);
    tile.out = out;
    tile.length = 3 * (size_t)rows;
    for (int m = delassus->pair_start[supernode]; m < delassus->pair_start[supernode + 1]; ++m) {
        if (m < delassus->own_pair[supernode] && delassus->pair[m].row >= targets.begin)
            m = delassus->own_pair[supernode]; /* rows before these stand for what they share with them */
        struct nb_supernode_pair pair = delassus->pair[m];
        int j = pair.row, left = pair.rows;
        for (; left > 0; left -= pair.rows, j += pair.rows) {
            pair.rows = left < TILE_ROWS ? left : TILE_ROWS;
            fill_tile(rows, &tile, &pair, 1);
            scatter_columns(&targets, i, end, j, pair.rows, out);
            pair.right += 3 * (size_t)pair.rows;
        }
    }
}

/* The supernode's only row. Its columns are ascending: outer ones, those that rows before it stand for, its own, inner
 * ones, and outer ones again. */
static void fill_one_row(const struct nb_delassus *delassus, int supernode, struct NB(nb_slices) *slices)
{
    const int i = delassus->supernode_start[supernode], own = delassus->own_row_block[supernode];
    const int inner = slices->inner_start[i + 1] - slices->inner_start[i];
    const int after = delassus->row_block_start[supernode + 1] - (own + 1 + inner);
    const int before = slices->outer_start[i + 1] - slices->outer_start[i] - after;
    nb_matrix *diagonal = slices->value + nb_slices_offset(slices, i);
    nb_matrix *outer = diagonal + 9 * ((size_t)inner + 1);
    const struct tile tile = make_tile(delassus, supernode, i);
    struct broadcast_row row;
    broadcast(&tile, &row);
    fill_blocks(&tile, &row, delassus->row_block + delassus->row_block_start[supernode], before, 0, outer);
    fill_blocks(&tile, &row, delassus->row_block + own, 1 + inner, 0, diagonal);
    fill_blocks(&tile, &row, delassus->row_block + own + 1 + inner, after, 0, outer + 9 * (size_t)before);
}

/* A supernode in tiles of TILE_ROWS rows that end with a slice. */
static void fill_slice_supernode(const struct nb_delassus *delassus, int supernode, struct NB(nb_slices) *slices)
{
    const int stop = delassus->supernode_start[supernode + 1];
    if (delassus->row_block_start[supernode + 1] > delassus->row_block_start[supernode]) {
        fill_one_row(delassus, supernode, slices);
        return;
    }
    for (int i = delassus->supernode_start[supernode], end; i < stop; i = end) {
        const int next = i - i % slices->length + slices->length;
        end = i + TILE_ROWS < stop ? i + TILE_ROWS : stop;
        end = end < next ? end : next;
        fill_slice_rows(delassus, supernode, i, end, slices);
    }
}

/* Into a struct nb_slices. */
static void fill_slices(const struct nb_delassus *delassus, int begin, int end, void *target)
{
    for (int supernode = begin; supernode < end; ++supernode)
        fill_slice_supernode(delassus, supernode, target);
}

const struct nb_delassus_kernels NB_OF(NB_LEVEL) = {
    .weigh = weigh,
    .rows = fill_rows,
    .panels = fill_panels,
    .slices = fill_slices,
};
