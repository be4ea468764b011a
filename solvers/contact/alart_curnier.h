/* The Alart-Curnier map of one contact (Alart and Curnier 1991), with z = R - rho U:
 *
 *     F_n = R_n - max(0, z_n)
 *     F_t = R_t - P_D(mu max(0, z_n))(z_t)
 *
 * P_D(r) projects on the disk of radius r. R = h lambda [N s], U [m/s], both normal first; F [N s].
 * F = 0 exactly where R and U satisfy Signorini's condition and Coulomb's law, for any rho > 0. */
#ifndef NB_ALART_CURNIER_H
#define NB_ALART_CURNIER_H

#include "solvers/precision.h"

#define nb_cone_product NB(nb_cone_product)

/* projection [3] = P(z), and slope [9] an element of its generalised Jacobian dP/dz. */
static inline void nb_cone_product(const nb_real *z, nb_real mu, nb_real *projection,
                                   nb_real *slope)
{
    for (int k = 0; k < 9; ++k)
        slope[k] = 0;
    projection[0] = projection[1] = projection[2] = 0;
    if (!(z[0] > 0))
        return;
    const nb_real radius = mu * z[0], length = nb_sqrt(z[1] * z[1] + z[2] * z[2]);
    projection[0] = z[0];
    slope[0] = 1;
    if (length <= radius) {
        projection[1] = z[1];
        projection[2] = z[2];
        slope[4] = slope[8] = 1;
        return;
    }
    const nb_real t1 = z[1] / length, t2 = z[2] / length, ratio = radius / length;
    projection[1] = radius * t1;
    projection[2] = radius * t2;
    slope[3] = mu * t1;
    slope[6] = mu * t2;
    slope[4] = ratio * t2 * t2;
    slope[8] = ratio * t1 * t1;
    slope[5] = slope[7] = -ratio * t1 * t2;
}

#endif
