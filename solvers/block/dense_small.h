/* Cholesky factors of small dense symmetric matrices, row-major, in place: no library call, no workspace.
 * A pivot that is the rounding of its diagonal entry is raised to it, so that nearly singular blocks of
 * redundant contacts still give a positive definite factor. */
#ifndef NB_DENSE_SMALL_H
#define NB_DENSE_SMALL_H

#include "solvers/precision.h"

#define nb_dense_factor NB(nb_dense_factor)
#define nb_dense_solve NB(nb_dense_solve)

/* a [n x n], lower triangle read and overwritten by L with the inverse of its diagonal. Returns n, or the
 * first row whose diagonal entry is not positive and finite. */
int nb_dense_factor(int n, nb_real *a);

/* x = (L L^T)^-1 x */
void nb_dense_solve(int n, const nb_real *l, nb_real *x);

#endif
