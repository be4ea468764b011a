/* Interior point iterations towards a step of bodies, which tell where contacts are open, stick and slide
 * before Newton's method of cone.h begins. De Saxce's change of variables makes Coulomb's law
 *
 *     K* contains y = U + (mu |U_T|, 0, 0),   K contains p,   y . p = 0
 *
 * with K the Coulomb cone, and with |U_T| as it was in the iteration before, this is a convex
 * second-order cone programme. An iteration is Mehrotra's predictor and corrector with the scaling of
 * Nesterov and Todd (1998), as Andersen, Dahl and Vandenberghe 2003 describe it, in
 *
 *     x = (mu p_n, p_T),  z = (y_n/mu, y_T),  x o z = tau e:   dp = b - B dU,
 *
 * so that the matrix is that of a Newton step, M - d(J^T p)/du + J^T B S. Mass ratios do not hold it up.
 * The change of |U_T| does: what is left falls slowly in the end, which is Newton's method's part.
 * Acary, Cadoux, Lemarechal and Malick 2011; Acary, Armand, Nguyen and Shpakovych 2023. */
#ifndef NB_CONE_INTERIOR_H
#define NB_CONE_INTERIOR_H

#include "solvers/kernels/cone.h"

struct NB(nb_cone_interior); /* opaque */

/* Whether this step has it: bodies with blocks of inertia, in double precision. */
int NB(nb_cone_interior_fits)(const struct NB(nb_cone) *cone);

/* The cone must outlive it and be one that fits. */
enum nb_status NB(nb_cone_interior_create)(struct NB(nb_cone_interior) **interior,
                                           struct NB(nb_cone) *cone, struct nb_error *error);

/* From the cone's u: forces [N s] far larger than what stops the motion, since heavy bodies may have to
 * be lifted. */
void NB(nb_cone_interior_begin)(struct NB(nb_cone_interior) *interior);

/* One iteration in the cone's (u, p), which it leaves evaluated. Returns ||(F, u)|| there, or infinity
 * where the matrix is singular or no step is left. */
nb_real NB(nb_cone_interior_step)(struct NB(nb_cone_interior) *interior);

void NB(nb_cone_interior_free)(struct NB(nb_cone_interior) *interior);

#endif
