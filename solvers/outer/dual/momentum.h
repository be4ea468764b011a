/* Momentum for a fixed point iteration x_{k+1} = T(y_k), which extrapolates to y_{k+1}:
 *
 *     nesterov    y = x_{k+1} + beta (x_{k+1} - x_k), beta from theta_{k+1}^2 = (1 - theta_{k+1})
 *                 theta_k^2; anew where (y_k - x_{k+1})^T (x_{k+1} - x_k) > 0
 *     chebyshev   y = omega (x_{k+1} - y_{k-1}) + y_{k-1}, omega = 1 for ten iterations, then
 *                 2/(2 - rho^2), then 4/(4 - rho^2 omega); rho: the spectral radius of T, a guess
 *
 * Nesterov 1983 with the restart of O'Donoghue and Candes 2015; Wang 2015, A Chebyshev semi-iterative
 * approach for accelerating projective and position-based dynamics. */
#ifndef NB_MOMENTUM_H
#define NB_MOMENTUM_H

#include "solvers/block/matrix.h"
#include "solvers/settings.h"

enum nb_momentum_kind { NB_MOMENTUM_NONE, NB_MOMENTUM_NESTEROV, NB_MOMENTUM_CHEBYSHEV };
#define NB_MOMENTUM_SETTING                                                         \
    {.name = "momentum", .value = NB_MOMENTUM_NONE, .choices = "none,nesterov,chebyshev", \
     .meaning = "extrapolation of the iterates"}
#define NB_RADIUS_SETTING                                                            \
    {.name = "radius", .value = 0.99, .minimum = 0, .maximum = 0.9999999,              \
     .meaning = "spectral radius rho of momentum=chebyshev"}

struct NB(nb_momentum) {
    enum nb_momentum_kind kind;
    nb_real radius, theta, omega;
    int iterations;
    nb_real *before; /* [n] x_k, or y_{k-1}; the owner's */
};

/* Before the first iteration; x_0 [n] is y_0 too. */
void NB(nb_momentum_restart)(struct NB(nb_momentum) *momentum, size_t n, const nb_real *x);

/* y [n]: y_k in, y_{k+1} out, from x = x_{k+1}. */
void NB(nb_momentum_extrapolate)(struct NB(nb_momentum) *momentum, size_t n, const nb_real *x,
                                 nb_real *y);

#endif
