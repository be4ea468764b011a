/* X = L J G by columns, for the vector instructions of the file that includes this. */
#ifndef NB_DELASSUS_WEIGHTED_JACOBIAN_H
#define NB_DELASSUS_WEIGHTED_JACOBIAN_H

#include "solvers/delassus/delassus.h"
#include "solvers/delassus/delassus_vectors.h"

/* Three rows of L J G in one node, by columns; G by rows, of which a diagonal one's diagonal alone is read. */
INLINE void weigh_block(const nb_matrix *block, four scale, const nb_real *root, const int diagonal,
                        size_t length, nb_matrix *out)
{
    const four low = load_four(block), middle = load_four(block + 4), high = load_four(block + 5);
    const four column[3] = {__builtin_shufflevector(low, middle, 0, 3, 6, 6),
                            __builtin_shufflevector(low, middle, 1, 4, 7, 7),
                            __builtin_shufflevector(low, high, 2, 4, 7, 7)};
#pragma GCC unroll 3
    for (int n = 0; n < 3; ++n, out += length) {
        four sum = column[n] * root[4 * n];
        if (!diagonal) {
            sum = column[0] * root[n];
            sum += column[1] * root[3 + n];
            sum += column[2] * root[6 + n];
        }
        store_four(out, sum * scale);
    }
}

/* One column of blocks, so many entries apart. The fourth lane falls on what is written next, or between the
 * columns. */
INLINE void weigh_blocks(const nb_matrix *block, size_t step, int rows, const nb_real *scale,
                         const nb_real *given, const int diagonal, size_t length, nb_matrix *out)
{
    nb_real root[9]; /* else each store might have changed it */
#pragma GCC unroll 9
    for (int e = 0; e < 9; ++e)
        root[e] = diagonal && e % 4 ? 0 : given[e];
    for (; rows > 0; --rows, block += step, scale += 3, out += 3)
        weigh_block(block, *(const four_loose *)(const void *)scale, root, diagonal, length, out);
}

/* By its bits: comparisons of numbers take longer than the weighing of a block. */
INLINE int is_diagonal(const nb_real *root)
{
    real_bits all = 0;
#pragma GCC unroll 7
    for (int e = 1; e < 8; ++e) {
        real_bits entry;
        memcpy(&entry, root + e, sizeof entry);
        all |= e == 4 ? 0 : entry;
    }
    return all << 1 == 0;
}

INLINE void weigh_supernode(const struct nb_delassus *delassus, const struct nb_model *model, int supernode)
{
    const int first = delassus->supernode_start[supernode], rows = delassus->supernode_start[supernode + 1] - first;
    const int begin = model->jacobian.start[first], nodes = delassus->supernode_nodes[supernode];
    const int *column = model->jacobian.column + begin;
    const size_t step = 9 * (size_t)nodes, length = (size_t)delassus->weighted_length[supernode];
    const nb_matrix *block = model->jacobian.value + 9 * (size_t)begin;
    const nb_real *scale = delassus->scale + 3 * (size_t)first;
    nb_matrix *out = delassus->weighted + delassus->weighted_start[supernode];
    for (int k = 0; k < nodes; ++k, block += 9, out += 3 * length) {
        const nb_real *root = model->inverse_root + 9 * (size_t)column[k];
        if (is_diagonal(root))
            weigh_blocks(block, step, rows, scale, root, 1, length, out);
        else
            weigh_blocks(block, step, rows, scale, root, 0, length, out);
    }
}

static void weigh(const struct nb_delassus *delassus, const struct nb_model *model, int begin,
                  int end)
{
    for (int supernode = begin; supernode < end; ++supernode)
        weigh_supernode(delassus, model, supernode);
}

#endif
