/* The second-order cone L = {x : |(x_1, x_2)| <= x_0} as the cone of squares of a Jordan algebra (Alizadeh and Goldfarb
 * 2003), which is self-dual:
 *
 *     x o y = (x . y, x_0 y_1 + y_0 x_1, x_0 y_2 + y_0 x_2),   det x = x_0^2 - x_1^2 - x_2^2. */
#ifndef NB_SECOND_ORDER_CONE_H
#define NB_SECOND_ORDER_CONE_H

#include "solvers/precision.h"

#define nb_soc_determinant NB(nb_soc_determinant)
#define nb_soc_divide NB(nb_soc_divide)
#define nb_soc_longest_step NB(nb_soc_longest_step)
#define nb_soc_product NB(nb_soc_product)
#define nb_soc_scaling NB(nb_soc_scaling)

/* det x without cancellation. */
nb_real nb_soc_determinant(const nb_real *x);

/* out = x o y; and the out with x o out = y, x in the interior. Both may be y. */
void nb_soc_product(const nb_real *x, const nb_real *y, nb_real *out);
void nb_soc_divide(const nb_real *x, const nb_real *y, nb_real *out);

/* The scaling of Nesterov and Todd 1997: the symmetric V, and its inverse, both [9], with V x = V^-1 y for x and y in
 * the interior. */
void nb_soc_scaling(const nb_real *x, const nb_real *y, nb_real *scale, nb_real *inverse);

/* The largest t <= 1 with x + t step in L. */
nb_real nb_soc_longest_step(const nb_real *x, const nb_real *step);

#endif
