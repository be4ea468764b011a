/* The Delassus operator J H^-1 J^T in 3x3 blocks, assembled from blocks of inertia: a fixed pattern,
 * refilled without allocation. */
#ifndef NB_DELASSUS_H
#define NB_DELASSUS_H

#include "solvers/matrix.h"
#include "solvers/model.h"

struct NB(nb_delassus) {
    struct NB(nb_bsr) matrix;  /* full pattern with every diagonal block        */
    int *mirror;               /* position of block (j, i) for block (i, j), [blocks] */
    int *product_start;        /* products of each block with j <= i, [blocks + 1] */
    int *product;              /* pairs of Jacobian blocks that meet in a node, [2 products] */
    nb_matrix *weighted;       /* J H^-1, block by block of J, [9 Jacobian blocks] */
};

enum nb_status NB(nb_delassus_create)(struct NB(nb_delassus) *delassus,
                                      const struct NB(nb_model) *model, struct nb_error *error);
void NB(nb_delassus_free)(struct NB(nb_delassus) *delassus);

/* matrix = L J H^-1 J^T L with the model's present Jacobian; scale [3 blocks] is diag L. */
void NB(nb_delassus_fill)(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                          const nb_real *scale);

/* weighted [9 Jacobian blocks] = J H^-1 */
void NB(nb_weigh_jacobian)(const struct NB(nb_model) *model, nb_matrix *weighted);

#endif
