/* Newton steps of a Delassus operator D whose contacts are redundant, with an unknown for each of its
 * spanning rows (solvers/sparse/spanning_rows.h) in place of one for each row. With D = J M^-1 J^T and B = -dp/dU,
 *
 *     (1 + B D) dp = c     becomes     (M + J^T B J) y = J^T c,   dp = c - B J y,
 *
 * as if the bodies were known (cone_bodies.c). J y is as exact as M is well conditioned: where B is large, dp is
 * to be refined. */
#ifndef NB_REDUCED_ROWS_H
#define NB_REDUCED_ROWS_H

#include "solvers/outer/proximal_newton/cone_matrix.h"
#include "solvers/sparse/spanning_rows.h"

struct NB(nb_reduced_rows) {
    struct nb_spanning_rows span;
    struct NB(nb_cone_matrix) *matrix; /* M + J^T B J                                     */
    size_t entries;                    /* of its pattern                                  */
    size_t *pair_start;                /* [blocks + 1]                                    */
    int *pair_at;                      /* of columns a and b of a block row of J: the matrix'
                                          entry in row a, column b                        */
    int *own;                          /* [rank] place of a row among the columns of its block row */
    double *weighted;                  /* [3 most columns of a block row] B J             */
    double *y;                         /* [rank]                                          */
    double operations;                 /* of a factor, as in cone_matrix.h, and its filling */
};

/* *reduced is NULL where D has no spanning rows, or they take far more memory than D. */
enum nb_status NB(nb_reduced_rows_create)(struct NB(nb_reduced_rows) **reduced, const struct NB(nb_bsr) *D,
                                          int threads, struct nb_error *error);
void NB(nb_reduced_rows_free)(struct NB(nb_reduced_rows) *reduced);

/* The factor for B = middle [9 blocks], without the block rows left out. NB_BREAKDOWN: singular. */
enum nb_status NB(nb_reduced_rows_factorise)(struct NB(nb_reduced_rows) *reduced, const nb_real *middle,
                                             const int *left_out);

/* p [rows], which is c, becomes dp, also that of block rows left out. */
void NB(nb_reduced_rows_solve)(struct NB(nb_reduced_rows) *reduced, const nb_real *middle, nb_real *p);

#endif
