/* The exact solution of one contact's own problem: R [3] and U = W R + q with W [9] positive definite
 * or semi-definite, symmetric or nearly so, such that Signorini's condition and Coulomb's law hold,
 *
 *     0 <= U_n  _|_  R_n >= 0,   |R_T| <= mu R_n,   U_T = -alpha R_T, alpha >= 0,
 *     and alpha = 0 unless |R_T| = mu R_n.
 *
 * The three cases in turn (as Bonnefon and Daviet 2011 and Siconos' enumerative solver): q_n >= 0
 * gives R = 0; sticking, R = -W^-1 q, if that lies in the cone; sliding otherwise. Eliminating R_n
 * with U_n = 0 leaves a 2x2 matrix S and
 *
 *     (S + alpha) R_T = -b,   R_n = -(q_n + W_nT R_T) / W_nn,   mu R_n / |R_T| = 1,
 *
 * a quartic in alpha. Its left side is below 1 at alpha = 0 and without bound as alpha grows, since
 * q_n < 0: a root exists, and Newton's method kept inside a shrinking bracket finds it. Without
 * response, W_nn <= 0, R = 0. */
#ifndef NB_LOCAL_CONTACT_H
#define NB_LOCAL_CONTACT_H

#include "solvers/precision.h"

#define nb_local_contact NB(nb_local_contact)

/* guess: of alpha, as |U_T|/|R_T| of an earlier solution; 0: none. It costs or saves steps only. */
void nb_local_contact(const nb_real *w, const nb_real *q, nb_real mu, nb_real guess,
                      nb_real *r);

#endif
