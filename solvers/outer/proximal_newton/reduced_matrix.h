/* Newton steps of a Delassus operator W whose contacts are redundant, with an unknown for each of its
 * basis rows (solvers/sparse/row_basis.h) in place of one for each row. With W = J M^-1 J^T and B = -dp/dU,
 *
 *     (1 + B W) dp = c     becomes     (M + J^T B J) y = J^T c,   dp = c - B J y,
 *
 * as if the bodies were known (primal_system.c). J y is as exact as M is well conditioned: where B is large, dp is
 * to be refined. */
#ifndef NB_REDUCED_MATRIX_H
#define NB_REDUCED_MATRIX_H

#include "solvers/block/matrix.h"
#include "solvers/outer/proximal_newton/newton_matrix.h"
#include "solvers/sparse/row_basis.h"

/* In the precision at hand. */
#define nb_reduced_matrix NB(nb_reduced_matrix)
#define nb_reduced_matrix_create NB(nb_reduced_matrix_create)
#define nb_reduced_matrix_factorise NB(nb_reduced_matrix_factorise)
#define nb_reduced_matrix_free NB(nb_reduced_matrix_free)
#define nb_reduced_matrix_solve NB(nb_reduced_matrix_solve)

struct nb_reduced_matrix {
    struct nb_row_basis span;
    struct nb_newton_matrix *matrix; /* M + J^T B J                                     */
    int most;                          /* columns of a block row of J at most               */
    void *memory;                      /* holds the arrays below but for pair_start         */
    size_t entries;                    /* of its pattern                                  */
    size_t *pair_start;                /* [blocks + 1]                                    */
    int *pair_at;                      /* of columns a and b of a block row of J: the matrix'
                                          entry in row a, column b                        */
    int *own;                          /* [rank] place of a row among the columns of its block row */
    double *weighted;                  /* [3 most columns of a block row] B J             */
    double *y;                         /* [rank]                                          */
    double operations;                 /* of a factor, as in newton_matrix.h, and its filling */
};

/* *reduced is NULL where W has no basis rows, or they take far more memory than W. */
enum nb_status nb_reduced_matrix_create(struct nb_reduced_matrix **reduced, const struct NB(nb_bsr) * W,
                                        struct nb_error *error);
void nb_reduced_matrix_free(struct nb_reduced_matrix *reduced);

/* The factor for B = contact_tangent [9 blocks], without the block rows left out. NB_BREAKDOWN: singular. */
enum nb_status nb_reduced_matrix_factorise(struct nb_reduced_matrix *reduced, const nb_real *contact_tangent,
                                           const int *left_out);

/* p [rows], which is c, becomes dp, also that of block rows left out. */
void nb_reduced_matrix_solve(struct nb_reduced_matrix *reduced, const nb_real *contact_tangent, nb_real *p);

#endif
