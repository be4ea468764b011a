/* The Cholesky factor (solvers/sparse/factor.h) of a symmetric matrix of 3x3 blocks, in the precision at hand. */
#ifndef NB_BLOCK_FACTOR_H
#define NB_BLOCK_FACTOR_H

#include "solvers/block/matrix.h"
#include "solvers/sparse/factor.h"

#define nb_scalar_pattern NB(nb_scalar_pattern)
#define nb_block_factor_create NB(nb_block_factor_create)
#define nb_block_factor_set NB(nb_block_factor_set)
#define nb_block_factor_solve NB(nb_block_factor_solve)

/* The scalar rows of a block pattern: start [3 rows + 1], column [9 blocks], ascending where the blocks are. */
void nb_scalar_pattern(const struct nb_bsr *pattern, int *start, int *column);

/* The analysis of that pattern; ldl: in double L D L^T instead of L L^T. The caller frees *factor. */
enum nb_status nb_block_factor_create(struct nb_factor **factor, const struct nb_bsr *pattern,
                                      int ldl, struct nb_error *error);

/* Block k of the pattern, in row i, = block [9]; what lies above the diagonal is not read. To be followed by
 * nb_factor_update. */
void nb_block_factor_set(struct nb_factor *factor, const struct nb_bsr *pattern, int i, int k,
                         const nb_real *block);

/* x [order] = A^-1 x */
enum nb_status nb_block_factor_solve(struct nb_factor *factor, nb_real *x);

#endif
