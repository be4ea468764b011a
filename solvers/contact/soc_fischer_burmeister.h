/* The Fischer-Burmeister function of the second-order cone for one contact (Fukushima, Luo and Tseng
 * 2002), on the cone problem of De Saxce and Feng 1998:
 *
 *     Phi = x + y - (x o x + y o y)^(1/2) = 0  <=>  x in L, y in L, x^T y = 0,   L = {z_0 >= |z_T|},
 *     x = (mu R_n, R_T),   y = rho (U_n + mu |U_T|, mu U_T)
 *
 * with the Jordan product x o y = (x^T y, x_0 y_T + y_0 x_T). R in the Coulomb cone is x in L, and
 * U + (mu |U_T|, 0, 0) in its dual is y in L, so that Phi = 0 exactly where Signorini's condition and
 * Coulomb's law hold. Without friction, mu = 0: Phi_n = phi(R_n, rho U_n) and Phi_T = R_T. */
#ifndef NB_SOC_FISCHER_BURMEISTER_H
#define NB_SOC_FISCHER_BURMEISTER_H

#include "solvers/precision.h"

/* In the precision at hand. */
#define nb_soc_fischer_burmeister NB(nb_soc_fischer_burmeister)

/* phi [3] at R, U [3]. by_impulse, by_velocity [9]: derivatives by R and by U, row-major; both NULL:
 * they are not wanted. Where the root has no derivative, x and y on the same ray of the boundary, its
 * smaller spectral value counts as the square root of the precision times the larger: what a smoothing
 * of the function would give. */
void nb_soc_fischer_burmeister(const nb_real *impulse, const nb_real *velocity, nb_real mu, nb_real rho,
                               nb_real *phi, nb_real *by_impulse, nb_real *by_velocity);

#endif
