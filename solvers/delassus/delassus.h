/* The Delassus operator J H^-1 J^T in 3x3 blocks, assembled from blocks of inertia: a fixed pattern,
 * refilled without allocation. */
#ifndef NB_DELASSUS_H
#define NB_DELASSUS_H

#include "solvers/block/matrix.h"
#include "solvers/model/model.h"

/* A run and another one with nodes of its own. Nodes that are successive in both are a stretch: the place of
 * the first in the rows of either, and how many. */
struct NB(nb_couple) {
    size_t right;              /* the other run's first entry in `weighted`            */
    int length;                /* and its column length there                          */
    int row, rows;             /* its first block row, and how many: columns here      */
    int stretches, first;      /* their number; the first one in `stretch`             */
    int only[3];               /* the stretch where there is one: a rigid body, or two */
};

/* What a run of one row has with one block column, where that is one stretch. */
struct NB(nb_single) {
    int right, length;         /* of the column's row in `weighted`: the entry where the stretch begins, and
                                * entries from one column there to the next            */
    short left, nodes;         /* the stretch's place in the row of the run, and its length */
};
enum { NB_SINGLE_NODES = 8 };  /* of a run that has them; at most                      */

struct NB(nb_delassus_kernels); /* solvers/delassus/delassus_private.h */

struct NB(nb_delassus) {
    struct NB(nb_bsr) matrix;  /* full pattern with every diagonal block        */
    int *mirror;               /* position of block (j, i) for block (i, j), [blocks] */
    int *product_start;        /* products of each block with j <= i, [blocks + 1] */
    int *product;              /* pairs of Jacobian blocks that meet in a node, [2 products] */
    int runs;                  /* of successive block rows with the same nodes      */
    int *run, *run_start;      /* that of each block row [rows], first row of each [runs + 1] */
    int *couple_start;         /* [runs + 1] runs that share a node with each run, ascending */
    struct NB(nb_couple) *couple;
    int *own;                  /* each run's couple with itself [runs]              */
    int *stretch;              /* of couples that have several: as in struct nb_couple [3 stretches] */
    int *single_start;         /* [runs + 1] a run's block columns one by one, or none  */
    int *single_own;           /* among them the diagonal block of each run that has any [runs] */
    struct NB(nb_single) *single;
    nb_matrix *weighted;       /* X = L J G with H^-1 = G G^T: the runs one after the other, by columns,   */
    size_t *weighted_start;    /* [runs + 1] each run's first entry; 3 of its nodes' columns, of which each   */
    int *weighted_length;      /* [runs] has so many entries, a multiple of four and more than the run's rows */
    nb_real *scale;            /* [3 rows + 1] diag L, and what vectors read past it                          */
    int *run_nodes;            /* [runs] nodes in each of its rows                                            */
    const struct NB(nb_delassus_kernels) *kernels; /* of the level that was chosen at creation */
};

/* NB_BAD_INPUT where NCPBENCH_SIMD names no level (problems/base/simd.h). */
enum nb_status NB(nb_delassus_create)(struct NB(nb_delassus) *delassus,
                                      const struct NB(nb_model) *model, struct nb_error *error);
void NB(nb_delassus_free)(struct NB(nb_delassus) *delassus);

/* matrix = L J H^-1 J^T L with the model's present Jacobian; scale [3 blocks] is diag L. */
void NB(nb_delassus_fill)(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                          const nb_real *scale);

/* The same into the panels of a product (solvers/block/product_private.h); matrix keeps the values that
 * it had. */
struct NB(nb_panels);
void NB(nb_delassus_fill_panels)(const struct NB(nb_delassus) *delassus,
                                 const struct NB(nb_model) *model, const nb_real *scale,
                                 struct NB(nb_panels) *panels);

/* And into its slices. */
struct NB(nb_slices);
void NB(nb_delassus_fill_slices)(const struct NB(nb_delassus) *delassus,
                                 const struct NB(nb_model) *model, const nb_real *scale,
                                 struct NB(nb_slices) *slices);

/* weighted [9 Jacobian blocks] = J H^-1 */
void NB(nb_weigh_jacobian)(const struct NB(nb_model) *model, nb_matrix *weighted);

#endif
