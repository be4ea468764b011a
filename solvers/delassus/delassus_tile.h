/* Entries of X X^T, for the vector instructions of the file that includes this: each the sum of the same products
 * in the same order whatever the rows and columns beside it. Both operands are kept by columns, so that vectors
 * of rows meet one column's entries, which lie side by side. */
#ifndef NB_DELASSUS_TILE_H
#define NB_DELASSUS_TILE_H

#include "solvers/block/product_private.h"
#include "solvers/delassus/delassus.h"
#include "solvers/delassus/delassus_vectors.h"

enum { MOST_NODES = 4, TILE_ROWS = NB_PANEL_ROWS };
/* Vectors of rows that stay in registers over two nodes, and over four. */
#if NB_VECTOR_BYTES == 64
enum { VECTORS_TWO_NODES = 3, VECTORS_FOUR_NODES = 2 };
#else
enum { VECTORS_TWO_NODES = 1, VECTORS_FOUR_NODES = 1 };
#endif

/* Up to TILE_ROWS block rows of one supernode, and where their products go. */
struct tile {
    const nb_matrix *left;     /* the rows by columns                            */
    size_t left_length;        /* entries from one of the columns to the next    */
    int nodes;                 /* a column for each of three directions in each  */
    const nb_matrix *weighted; /* all of X                                       */
    const int *segment;        /* as in struct nb_delassus                       */
    nb_matrix *out;            /* by columns; set by the caller, and             */
    size_t length;             /* entries from one of them to the next: likewise */
};

/* From block row i of one supernode on. */
INLINE struct tile make_tile(const struct nb_delassus *delassus, int supernode, int i)
{
    return (struct tile){
        .left = delassus->weighted + delassus->weighted_start[supernode] +
                3 * (size_t)(i - delassus->supernode_start[supernode]),
        .left_length = (size_t)delassus->weighted_length[supernode],
        .nodes = delassus->supernode_nodes[supernode],
        .weighted = delassus->weighted,
        .segment = delassus->segment,
    };
}

/* --- vectors of rows --- */

/* From row `at` on, over one segment of so many nodes: the left operand stays in registers. Constants at each
 * call but for tile, pair and at; what vectors read past the rows ends in lanes that are dropped. */
INLINE void fill_short(const int height, const int nodes, const struct tile *tile,
                       const struct nb_supernode_pair *pair, const int at)
{
    const int vectors = (height + WIDE - 1) / WIDE;
    const size_t left_length = tile->left_length, length = tile->length;
    const size_t step = (size_t)pair->length;
    const nb_matrix *left = tile->left + 3 * left_length * (size_t)pair->only[0] + at;
    const nb_matrix *right[MOST_NODES];
    nb_matrix *out = tile->out + at;
    wide row[3 * MOST_NODES][VECTORS_TWO_NODES];
#pragma GCC unroll 4
    for (int node = 0; node < nodes; ++node)
        right[node] = tile->weighted + pair->right + 3 * step * (size_t)(pair->only[1] + node);
#pragma GCC unroll 12
    for (int n = 0; n < 3 * nodes; ++n, left += left_length)
#pragma GCC unroll 3
        for (int s = 0; s < vectors; ++s)
            row[n][s] = load(left + WIDE * s);
    for (int c = pair->rows; c > 0; --c) {
        wide sum[3][VECTORS_TWO_NODES] = {{{0}}}; /* a sum of products alone would leave it open which is rounded */
#pragma GCC unroll 12
        for (int n = 0; n < 3 * nodes; ++n)
#pragma GCC unroll 3
            for (int k = 0; k < 3; ++k)
#pragma GCC unroll 3
                for (int s = 0; s < vectors; ++s)
                    sum[k][s] += row[n][s] * (nb_real)right[n / 3][(size_t)(n % 3) * step + (size_t)k];
#pragma GCC unroll 4
        for (int node = 0; node < nodes; ++node)
            right[node] += 3;
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k, out += length)
#pragma GCC unroll 3
            for (int s = 0; s < vectors; ++s)
                store(out + WIDE * s, sum[k][s], height - WIDE * s);
    }
}

/* The same over any segments. */
INLINE void fill_long(const int height, const struct tile *tile,
                      const struct nb_supernode_pair *pair, const int at)
{
    const int vectors = (height + WIDE - 1) / WIDE;
    const size_t step = (size_t)pair->length;
    nb_matrix *out = tile->out + at;
    for (int c = 0; c < pair->rows; ++c) {
        const nb_matrix *other = tile->weighted + pair->right + 3 * (size_t)c;
        wide sum[3][VECTORS_TWO_NODES] = {{{0}}};
        for (int q = pair->first; q < pair->first + pair->segments; ++q) {
            const int *segment = tile->segment + 3 * (size_t)q;
            const nb_matrix *left = tile->left + 3 * tile->left_length * (size_t)segment[0] + at;
            const nb_matrix *right = other + 3 * step * (size_t)segment[1];
            for (int n = 0; n < 3 * segment[2]; ++n, left += tile->left_length, right += step)
#pragma GCC unroll 3
                for (int s = 0; s < vectors; ++s) {
                    const wide row = load(left + WIDE * s);
#pragma GCC unroll 3
                    for (int k = 0; k < 3; ++k)
                        sum[k][s] += row * (nb_real)right[k];
                }
        }
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k, out += tile->length)
#pragma GCC unroll 3
            for (int s = 0; s < vectors; ++s)
                store(out + WIDE * s, sum[k][s], height - WIDE * s);
    }
}

/* One pair, in pieces of at most so many vectors of rows; nodes, of its only segment: 1, 2, 4, or 0
 * for any. */
INLINE void fill_supernode_pair(const int height, const int most, const int nodes, const struct tile *tile,
                                const struct nb_supernode_pair *pair)
{
    const int piece = most * WIDE, left = height % piece;
    int at = 0;
    for (; at + piece <= height; at += piece)
        if (nodes > 0)
            fill_short(piece, nodes, tile, pair, at);
        else
            fill_long(piece, tile, pair, at);
    if (left > 0 && nodes > 0)
        fill_short(left, nodes, tile, pair, at);
    else if (left > 0)
        fill_long(left, tile, pair, at);
}

INLINE void fill_height(const int rows, struct tile tile, const struct nb_supernode_pair *pair,
                        int count)
{
    for (const struct nb_supernode_pair *end = pair + count; pair < end; ++pair) {
        const int nodes = pair->segments == 1 ? pair->only[2] : 0;
        if (nodes == 1)
            fill_supernode_pair(3 * rows, VECTORS_TWO_NODES, 1, &tile, pair);
        else if (nodes == 2)
            fill_supernode_pair(3 * rows, VECTORS_TWO_NODES, 2, &tile, pair);
        else if (nodes == 4)
            fill_supernode_pair(3 * rows, VECTORS_FOUR_NODES, 4, &tile, pair);
        else
            fill_supernode_pair(3 * rows, VECTORS_TWO_NODES, 0, &tile, pair);
        tile.out += 3 * tile.length * (size_t)pair->rows;
    }
}

/* --- any rows --- */

/* The products of so many block rows with so many pairs, one after the other. */
static void fill_tile(int rows, const struct tile *tile, const struct nb_supernode_pair *pair,
                      int count)
{
    switch (rows) {
    case 1: fill_height(1, *tile, pair, count); break;
    case 2: fill_height(2, *tile, pair, count); break;
    case 3: fill_height(3, *tile, pair, count); break;
    case 4: fill_height(4, *tile, pair, count); break;
    case 5: fill_height(5, *tile, pair, count); break;
    case 6: fill_height(6, *tile, pair, count); break;
    case 7: fill_height(7, *tile, pair, count); break;
    default: fill_height(TILE_ROWS, *tile, pair, count);
    }
}

/* --- blocks one by one --- */

#if NB_WIDE >= 8
struct broadcast_row {
    wide each[3 * NB_ROW_BLOCK_NODES][PARTS];
};

INLINE void broadcast(const struct tile *tile, struct broadcast_row *row)
{
    for (int n = 0; n < 3 * tile->nodes; ++n) {
        const wide left = load(tile->left + (size_t)n * tile->left_length);
#pragma GCC unroll 2
        for (int part = 0; part < PARTS; ++part)
            row->each[n][part] = EACH(left, part);
    }
}

INLINE void fill_block(const struct tile *tile, const struct broadcast_row *row,
                       const struct nb_row_block *entry, const int nodes, const int by_columns,
                       nb_matrix *block)
{
    const size_t step = (size_t)entry->length;
    const nb_matrix *right = tile->weighted + entry->right;
    const wide(*each)[PARTS] = row->each + 3 * entry->left;
    wide sum[PARTS] = {{0}};
#pragma GCC unroll 6
    for (int n = 0; n < 3 * nodes; ++n, right += step) {
        const four entries = load_four(right);
#pragma GCC unroll 2
        for (int part = 0; part < PARTS; ++part)
            sum[part] += each[n][part] * REPEAT(entries);
    }
    const wide low = sum[0], high = sum[PARTS - 1];
    store(block, by_columns ? __builtin_shufflevector(low, high, BY_COLUMNS)
                            : __builtin_shufflevector(low, high, BY_ROWS), 8);
    block[8] = (nb_matrix)high[10 % WIDE];
}
#else
struct broadcast_row {
    int none;
};

INLINE void broadcast(const struct tile *tile, struct broadcast_row *row)
{
    (void)tile;
    row->none = 0;
}

/* Three vectors in a row, each the sum of one operand's entries times another's vectors. */
INLINE void fill_block(const struct tile *tile, const struct broadcast_row *row,
                       const struct nb_row_block *entry, const int nodes, const int by_columns,
                       nb_matrix *block)
{
    const nb_matrix *left = tile->left + 3 * tile->left_length * (size_t)entry->left;
    const nb_matrix *right = tile->weighted + entry->right;
    const nb_matrix *along = by_columns ? left : right, *across = by_columns ? right : left;
    const size_t along_step = by_columns ? tile->left_length : (size_t)entry->length;
    const size_t across_step = by_columns ? (size_t)entry->length : tile->left_length;
    four sum[3] = {{0}};
    (void)row;
#pragma GCC unroll 6
    for (int n = 0; n < 3 * nodes; ++n, along += along_step, across += across_step)
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k)
            sum[k] += load_four(along) * (nb_real)across[k];
    store_four(block, sum[0]);
    store_four(block + 3, sum[1]);
    store_four(block + 5, __builtin_shufflevector(sum[1], sum[2], 2, 4, 5, 6));
}
#endif

/* The products of one block row with so many columns: blocks [9 count], by columns or row-major. */
INLINE void fill_blocks(const struct tile *tile, const struct broadcast_row *row,
                        const struct nb_row_block *entry, int count, const int by_columns,
                        nb_matrix *block)
{
    for (const struct nb_row_block *end = entry + count; entry < end; ++entry, block += 9)
        if (entry->nodes == 2) /* a rigid body */
            fill_block(tile, row, entry, 2, by_columns, block);
        else
            fill_block(tile, row, entry, entry->nodes, by_columns, block);
}

#endif
