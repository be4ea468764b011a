/* The sparse LU factor of a matrix of 3x3 blocks whose block pattern is symmetric, filled block by
 * block: solvers/sparse/sparse_lu.h in block sparse rows. */
#ifndef NB_BLOCK_LU_H
#define NB_BLOCK_LU_H

#include "solvers/block/matrix.h"
#include "solvers/sparse/sparse_lu.h"

#define nb_block_columns NB(nb_block_columns)
#define nb_block_columns_create NB(nb_block_columns_create)
#define nb_block_columns_free NB(nb_block_columns_free)
#define nb_block_lu NB(nb_block_lu)
#define nb_block_lu_create NB(nb_block_lu_create)
#define nb_block_lu_free NB(nb_block_lu_free)
#define nb_block_lu_set NB(nb_block_lu_set)
#define nb_block_lu_shift NB(nb_block_lu_shift)

/* The scalar pattern of a matrix of 3x3 blocks by columns, as a sparse LU takes it: column 3 j + c
 * lists the scalar rows of the blocks (i, j). */
struct nb_block_columns {
    int order;     /* 3 block rows */
    int *start;    /* [order + 1] */
    int *row;      /* [start[order]] */
    int *position; /* of entry e of block k in the columns' values: position[9 k + e] */
};

enum nb_status nb_block_columns_create(struct nb_block_columns *self, const struct nb_bsr *pattern,
                                       struct nb_error *error);
void nb_block_columns_free(struct nb_block_columns *self);

struct nb_block_lu {
    struct nb_sparse_lu *lu;
    int *position; /* of entry e of block k in the factor's values: position[9 k + e] */
    int order;
};

/* NB_UNSUPPORTED where this precision has no LU of that size. */
enum nb_status nb_block_lu_create(struct nb_block_lu *self,
                                  const struct nb_bsr *pattern, struct nb_error *error);
void nb_block_lu_free(struct nb_block_lu *self);

/* Block k of the pattern = block [9]. */
void nb_block_lu_set(struct nb_block_lu *self, int k, const nb_real *block);

/* Adds shift to the whole diagonal of values already set. */
void nb_block_lu_shift(struct nb_block_lu *self, const struct nb_bsr *pattern, double shift);

#endif
