/* Coulomb's law of one contact, smoothed, as a point (l) of a homotopy on which it becomes the exact one. With
 * De Saxce's change of variables, x and z in the cone |a_t| <= a_0,
 *
 *     x = (mu p_n, p_T),   z = (U_n/mu + theta s(U_T), U_T),   x o z = tau e
 *     s = sqrt(|U_T|^2 + eps^2) - eps
 *
 * with the Jordan product a o b = (a . b, a_0 b_t + b_0 a_t). theta = 0 is the convex relaxation with a
 * barrier, theta = 1 and tau = eps = 0 the law. As an equation that needs no interior point (Fukushima,
 * Luo and Tseng 2001, after Chen, Harker, Kanzow and Smale),
 *
 *     F = x - f(v) = 0,   v = x - r z,   f(lambda) = (lambda + sqrt(lambda^2 + 4 r tau))/2
 *
 * of the spectral values of v, for any r > 0. Without friction (mu = 0) x = p_n, z = U_n alone. */
#ifndef NB_SMOOTHED_COULOMB_H
#define NB_SMOOTHED_COULOMB_H

#include "solvers/precision.h"

/* In the precision at hand. */
#define nb_smoothed NB(nb_smoothed)
#define nb_smoothed_apply_spectral NB(nb_smoothed_apply_spectral)
#define nb_smoothed_correct NB(nb_smoothed_correct)
#define nb_smoothed_drift NB(nb_smoothed_drift)
#define nb_smoothed_evaluate NB(nb_smoothed_evaluate)
#define nb_smoothed_impulse NB(nb_smoothed_impulse)
#define nb_smoothed_response NB(nb_smoothed_response)
#define nb_smoothed_scale NB(nb_smoothed_scale)
#define nb_smoothed_spectral_value NB(nb_smoothed_spectral_value)
#define nb_smoothed_vector NB(nb_smoothed_vector)
#define nb_smoothed_velocity NB(nb_smoothed_velocity)
#define nb_smoothing NB(nb_smoothing)

/* Where on the homotopy: tau [J], theta, d theta/dl; d tau/dl = -tau, d eps/dl = -eps/2. */
struct nb_smoothing {
    nb_real tau, theta, theta_slope;
};

struct nb_smoothed {
    nb_real mu, r, nu;    /* nu = sqrt(r tau) [N s]                      */
    nb_real along[2];     /* of v's tangential part, length 1            */
    nb_real slide[2];     /* d z_0/d U_T                                 */
    nb_real drift;        /* dz_0/dl at fixed U                          */
    nb_real v[3], map[3]; /* v; F                                        */
    nb_real f[2], g[2];   /* f(lambda), f(-lambda) of v's spectral values */
    nb_real root[2];      /* their sqrt(lambda^2 + 4 nu^2)               */
};

static inline void nb_smoothed_spectral_value(struct nb_smoothed *c, int k, nb_real lambda)
{
    c->root[k] = nb_sqrt(lambda * lambda + 4 * c->nu * c->nu);
    const nb_real most = (c->root[k] + nb_abs(lambda)) / 2, least = c->nu * c->nu / most;
    c->f[k] = lambda > 0 ? most : least;
    c->g[k] = lambda > 0 ? least : most;
}

/* out = the vector of spectral values a and b along v. */
static inline void nb_smoothed_vector(const struct nb_smoothed *c, nb_real a, nb_real b,
                                      nb_real *out)
{
    out[0] = (a + b) / 2;
    out[1] = (a - b) / 2 * c->along[0];
    out[2] = (a - b) / 2 * c->along[1];
}

/* At impulse p [3] and velocity U [3], with the mu and r of c and that eps [m/s]. */
static inline void nb_smoothed_evaluate(struct nb_smoothed *c, const nb_real *p,
                                        const nb_real *U, nb_real eps,
                                        const struct nb_smoothing *at)
{
    const nb_real mu = c->mu, square = U[1] * U[1] + U[2] * U[2];
    const nb_real length = nb_sqrt(square + eps * eps), slip = square / (length + eps);
    const int rubs = mu > 0;
    nb_real projection[3];
    c->nu = nb_sqrt(c->r * at->tau);
    c->slide[0] = rubs ? at->theta * U[1] / length : 0;
    c->slide[1] = rubs ? at->theta * U[2] / length : 0;
    c->drift = rubs ? at->theta_slope * slip + at->theta * (1 - eps / length) * eps / 2 : 0;
    const nb_real x[3] = {rubs ? mu * p[0] : p[0], rubs ? p[1] : 0, rubs ? p[2] : 0};
    const nb_real z[3] = {rubs ? U[0] / mu + at->theta * slip : U[0], rubs ? U[1] : 0,
                          rubs ? U[2] : 0};
    for (int k = 0; k < 3; ++k)
        c->v[k] = x[k] - c->r * z[k];
    const nb_real aside = nb_sqrt(c->v[1] * c->v[1] + c->v[2] * c->v[2]);
    c->along[0] = aside > 0 ? c->v[1] / aside : 1;
    c->along[1] = aside > 0 ? c->v[2] / aside : 0;
    nb_smoothed_spectral_value(c, 0, c->v[0] + aside);
    nb_smoothed_spectral_value(c, 1, c->v[0] - aside);
    nb_smoothed_vector(c, c->f[0], c->f[1], projection);
    for (int k = 0; k < 3; ++k)
        c->map[k] = rubs || k == 0 ? x[k] - projection[k] : 0;
}

/* out = A in, A with the eigenvalues a, b along v and c across. */
static inline void nb_smoothed_apply_spectral(const struct nb_smoothed *c, nb_real a, nb_real b,
                                              nb_real across, const nb_real *in, nb_real *out)
{
    const nb_real *e = c->along;
    const nb_real tangent = e[0] * in[1] + e[1] * in[2];
    const nb_real aside = across * (e[0] * in[2] - e[1] * in[1]);
    const nb_real plus = a * (in[0] + tangent) / 2, minus = b * (in[0] - tangent) / 2;
    out[0] = plus + minus;
    out[1] = (plus - minus) * e[0] - aside * e[1];
    out[2] = (plus - minus) * e[1] + aside * e[0];
}

/* out = -(dF/dx)^-1 dF/dz in: how x answers to a change of z. */
static inline void nb_smoothed_response(const struct nb_smoothed *c, const nb_real *in,
                                        nb_real *out)
{
    nb_smoothed_apply_spectral(c, -c->r * c->f[0] / c->g[0], -c->r * c->f[1] / c->g[1],
                               -c->r * (c->f[0] + c->f[1]) / (c->g[0] + c->g[1]), in, out);
}

/* out = -(dF/dx)^-1 F */
static inline void nb_smoothed_correct(const struct nb_smoothed *c, nb_real *out)
{
    nb_smoothed_apply_spectral(c, -c->root[0] / c->g[0], -c->root[1] / c->g[1],
                               -(c->root[0] + c->root[1]) / (c->g[0] + c->g[1]), c->map, out);
}

/* out = -(dF/dx)^-1 dF/dl: the barrier's part is -f(v), since f(lambda) f(-lambda) = nu^2. */
static inline void nb_smoothed_drift(const struct nb_smoothed *c, nb_real *out)
{
    const nb_real dz[3] = {c->drift, 0, 0};
    nb_real barrier[3];
    nb_smoothed_response(c, dz, out);
    nb_smoothed_vector(c, c->f[0], c->f[1], barrier);
    for (int k = 0; k < 3; ++k)
        out[k] -= barrier[k];
}

/* dp [3] of dx, and dz [3] of dU. */
static inline void nb_smoothed_impulse(const struct nb_smoothed *c, const nb_real *dx,
                                       nb_real *dp)
{
    dp[0] = c->mu > 0 ? dx[0] / c->mu : dx[0];
    dp[1] = c->mu > 0 ? dx[1] : 0;
    dp[2] = c->mu > 0 ? dx[2] : 0;
}

static inline void nb_smoothed_velocity(const struct nb_smoothed *c, const nb_real *dU,
                                        nb_real *dz)
{
    const int rubs = c->mu > 0;
    dz[0] = rubs ? dU[0] / c->mu + c->slide[0] * dU[1] + c->slide[1] * dU[2] : dU[0];
    dz[1] = rubs ? dU[1] : 0;
    dz[2] = rubs ? dU[2] : 0;
}

/* r with which x and r z have the same size on the homotopy, where f and g are theirs. */
static inline nb_real nb_smoothed_scale(const struct nb_smoothed *c)
{
    const nb_real first = c->f[0] / c->g[0];
    return c->r * (c->mu > 0 ? nb_sqrt(first * c->f[1] / c->g[1]) : first);
}

#endif
