/* Acceleration of a fixed point iteration x_{k+1} = T(y_k) by extrapolation to y_{k+1}:
 *
 *     nesterov    y = x_{k+1} + beta (x_{k+1} - x_k), beta from theta_{k+1}^2 = (1 - theta_{k+1})
 *                 theta_k^2; anew where (y_k - x_{k+1})^T (x_{k+1} - x_k) > 0
 *     chebyshev   y = omega (x_{k+1} - y_{k-1}) + y_{k-1}, omega = 1 for ten iterations, then
 *                 2/(2 - rho^2), then 4/(4 - rho^2 omega); rho: the spectral radius of T, a guess
 *
 * Nesterov 1983 with the restart of O'Donoghue and Candes 2015; Wang 2015, A Chebyshev semi-iterative
 * approach for accelerating projective and position-based dynamics. */
#ifndef NB_ACCELERATION_H
#define NB_ACCELERATION_H

#include "solvers/block/matrix.h"
#include "solvers/settings.h"

#define nb_acceleration NB(nb_acceleration)
#define nb_acceleration_restart NB(nb_acceleration_restart)
#define nb_extrapolate NB(nb_extrapolate)
#define nb_nesterov_beta NB(nb_nesterov_beta)

enum nb_momentum_kind { NB_MOMENTUM_NONE, NB_MOMENTUM_NESTEROV, NB_MOMENTUM_CHEBYSHEV };
#define NB_MOMENTUM_SETTING                                                         \
    {.name = "momentum", .value = NB_MOMENTUM_NONE, .choices = "none,nesterov,chebyshev", \
     .meaning = "extrapolation of the iterates"}
#define NB_RADIUS_SETTING                                                            \
    {.name = "radius", .value = 0.99, .minimum = 0, .maximum = 0.9999999,              \
     .meaning = "spectral radius rho of momentum=chebyshev"}

struct nb_acceleration {
    enum nb_momentum_kind kind;
    nb_real radius, theta, omega;
    int iterations;
    nb_real *before; /* [n] x_k, or y_{k-1}; the owner's */
};

/* Before the first iteration; x_0 [n] is y_0 too. */
void nb_acceleration_restart(struct nb_acceleration *acceleration, size_t n, const nb_real *x);

/* y [n]: y_k in, y_{k+1} out, from x = x_{k+1}. */
void nb_extrapolate(struct nb_acceleration *acceleration, size_t n, const nb_real *x, nb_real *y);

/* Nesterov's beta at theta_k, and theta_{k+1}; after a restart they are 0 and 1. */
static inline nb_real nb_nesterov_beta(nb_real theta, nb_real *next)
{
    const nb_real square = theta * theta;
    *next = (-square + theta * nb_sqrt(square + 4)) / 2;
    return theta * (1 - theta) / (square + *next);
}

#endif
