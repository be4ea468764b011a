/* Dense P A = L U with partial pivoting in __float128, of 113 bits (Higham 2002, algorithm 9.2): for
 * reference solutions of systems so ill-conditioned that no factor in double is of use. It takes about
 * 30 n^3 ns. */
#ifndef NB_QUAD_LU_H
#define NB_QUAD_LU_H

#include "problems/base/status.h"
#include "problems/problem.h"

struct nb_quad_lu; /* opaque */

/* NB_BREAKDOWN where a pivot is zero or not a number. */
enum nb_status nb_quad_lu_create(struct nb_quad_lu **lu, const struct nb_csr *matrix,
                                 struct nb_error *error);
/* x becomes A^-1 x [n]. */
void nb_quad_lu_solve(const struct nb_quad_lu *lu, __float128 *x);
void nb_quad_lu_free(struct nb_quad_lu *lu);

#endif
