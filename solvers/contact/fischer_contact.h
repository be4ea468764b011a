/* The Fischer-Burmeister function of one contact and its friction compliance
 * (solvers/ncp/fischer_burmeister.c). */
#ifndef NB_FISCHER_CONTACT_H
#define NB_FISCHER_CONTACT_H

#include "solvers/precision.h"

#define nb_fischer_derivative NB(nb_fischer_derivative)
#define nb_fischer_friction NB(nb_fischer_friction)
#define nb_fischer_length NB(nb_fischer_length)
#define nb_fischer_normal NB(nb_fischer_normal)
#define nb_fischer_value NB(nb_fischer_value)

/* sqrt(a^2 + b^2) without overflow or underflow of the squares. */
NB_BOTH nb_real nb_fischer_length(nb_real a, nb_real b)
{
    const nb_real x = nb_abs(a), y = nb_abs(b);
    const nb_real large = nb_max(x, y), small = nb_min(x, y);
    if (!(large > 0))
        return large; /* zero, or NaN */
    const nb_real ratio = small / large;
    return large * nb_sqrt(1 + ratio * ratio);
}

NB_BOTH nb_real nb_fischer_value(nb_real a, nb_real b, nb_real s)
{
    /* The larger is divided first: neither a b nor the quotient can then under- or overflow. */
    return a + b > 0 ? 2 * nb_min(a, b) * (nb_max(a, b) / (a + b + s)) : a + b - s;
}

/* 1 - a/s = b^2 / (s (s + a)) */
NB_BOTH nb_real nb_fischer_derivative(nb_real a, nb_real b, nb_real s)
{
    return a > 0 ? (b / s) * (b / (s + a)) : 1 - a / s;
}

/* phi, dphi/da, dphi/db; the paper's choice of derivatives at the kink. */
NB_BOTH void nb_fischer_normal(nb_real a, nb_real b, nb_real *phi, nb_real *dphi_da,
                               nb_real *dphi_db)
{
    const nb_real s = nb_fischer_length(a, b);
    *phi = nb_fischer_value(a, b, s);
    *dphi_da = s == 0 ? 0 : nb_fischer_derivative(a, b, s);
    *dphi_db = s == 0 ? 1 : nb_fischer_derivative(b, a, s);
}

/* Gamma = (s - psi) / (|lambda_f| + psi / r), psi = phi(s, rho), rho = r (mu lambda_n - |lambda_f|).
 * The numerator is sqrt(s^2 + rho^2) - rho. Far outside the cone the denominator reaches zero or
 * less; Gamma must be large there, never zero. The floor, the root of the unit round-off times its terms,
 * makes Gamma/h about 1e8 (f64) times the diagonal of the Schur matrix: large enough to return lambda_f to
 * zero in one full step, and small enough to leave half of the digits to the rest of the system. */
NB_BOTH nb_real nb_fischer_friction(nb_real s, nb_real force, nb_real limit, nb_real r)
{
    const nb_real tiny = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF));
    const nb_real rho = r * (limit - force), l = nb_fischer_length(s, rho);
    const nb_real numerator = rho > 0 ? s * (s / (l + rho)) : l - rho;
    const nb_real denominator = force + nb_fischer_value(s, rho, l) / r;
    return numerator / nb_max(denominator, tiny * (force + limit));
}

#endif
