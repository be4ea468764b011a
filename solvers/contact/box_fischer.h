/* The Fischer reformulation of one contact with box friction (Silcowitz, Niebe and Erleben 2009,
 * equations 21 and 27, with the bounds of (28)):
 *
 *     phi(a, b) = sqrt(a^2 + b^2) - a - b
 *     Phi_n = phi(p_n, y_n)
 *     Phi_t = phi(p_t + mu p_n, phi(-y_t, mu p_n - p_t))       for either tangent
 *
 * p impulses [N s], y velocities times rho [N s], both normal first. Phi = 0 exactly where p_n
 * and y_n satisfy Signorini's condition and either tangent Coulomb's law in one dimension: a box
 * about the friction disk, not the disk. */
#ifndef NB_BOX_FISCHER_H
#define NB_BOX_FISCHER_H

#include "solvers/precision.h"

#define nb_box_fischer NB(nb_box_fischer)
#define nb_box_fischer_kink NB(nb_box_fischer_kink)
#define nb_box_fischer_slope NB(nb_box_fischer_slope)
#define nb_fischer NB(nb_fischer)
#define nb_fischer_slope NB(nb_fischer_slope)

/* phi without cancellation where a + b > 0, and without overflow of the squares. */
static inline nb_real nb_fischer(nb_real a, nb_real b)
{
    const nb_real x = nb_abs(a), y = nb_abs(b), most = nb_max(x, y), least = nb_min(x, y);
    if (!(most > 0))
        return most; /* 0, or not a number */
    const nb_real ratio = least / most, length = most * nb_sqrt(1 + ratio * ratio);
    return a + b > 0 ? -2 * a * (b / (a + b + length)) : length - (a + b);
}

/* slope [2]: its derivatives by a and by b; at (0, 0) their limit along direction [2]. */
static inline void nb_fischer_slope(nb_real a, nb_real b, const nb_real *direction,
                                    nb_real *slope)
{
    nb_real most = nb_max(nb_abs(a), nb_abs(b));
    if (!(most > 0)) {
        a = direction[0];
        b = direction[1];
        most = nb_max(nb_abs(a), nb_abs(b));
    }
    if (!(most > 0)) {
        slope[0] = -1;
        slope[1] = 0;
        return;
    }
    a /= most;
    b /= most;
    const nb_real length = nb_sqrt(a * a + b * b);
    slope[0] = a > 0 ? -b * (b / (length * (length + a))) : a / length - 1;
    slope[1] = b > 0 ? -a * (a / (length * (length + b))) : b / length - 1;
}

/* phi [3] of a contact; with_friction = 0 takes the friction away: p_t = 0. */
static inline void nb_box_fischer(const nb_real *p, const nb_real *y, nb_real mu, int with_friction,
                                  nb_real *phi)
{
    phi[0] = nb_fischer(p[0], y[0]);
    for (int t = 1; t < 3; ++t)
        phi[t] = with_friction ? nb_fischer(p[t] + mu * p[0],
                                      nb_fischer(-y[t], mu * p[0] - p[t]))
                         : -p[t];
}

/* Whether row r of phi has a kink here. */
static inline int nb_box_fischer_kink(const nb_real *p, const nb_real *y, nb_real mu, int r)
{
    if (r == 0)
        return p[0] == 0 && y[0] == 0;
    const nb_real lower = p[r] + mu * p[0], upper = mu * p[0] - p[r];
    return (y[r] == 0 && upper == 0) ||
           (lower == 0 && nb_fischer(-y[r], upper) == 0);
}

/* An element of the B-subdifferential: own [9] = dphi/dp at fixed y, row-major, the bounds'
 * dependence on p_n included, and by_velocity [3] = dphi_r/dy_r. At a kink it is the limit along
 * (dp [3], dy [3]). */
static inline void nb_box_fischer_slope(const nb_real *p, const nb_real *y, nb_real mu,
                                        int with_friction, const nb_real *dp, const nb_real *dy,
                                        nb_real *own, nb_real *by_velocity)
{
    nb_real outer[2], inner[2];
    for (int k = 0; k < 9; ++k)
        own[k] = 0;
    const nb_real normal[2] = {dp[0], dy[0]};
    nb_fischer_slope(p[0], y[0], normal, outer);
    own[0] = outer[0];
    by_velocity[0] = outer[1];
    for (int t = 1; t < 3; ++t) {
        const nb_real upper = mu * p[0] - p[t];
        const nb_real d_inner[2] = {-dy[t], mu * dp[0] - dp[t]};
        nb_fischer_slope(-y[t], upper, d_inner, inner);
        const nb_real d_outer[2] = {dp[t] + mu * dp[0],
                                    inner[0] * d_inner[0] + inner[1] * d_inner[1]};
        nb_fischer_slope(p[t] + mu * p[0], nb_fischer(-y[t], upper), d_outer, outer);
        own[3 * t] = with_friction ? mu * (outer[0] + outer[1] * inner[1]) : 0;
        own[4 * t] = with_friction ? outer[0] - outer[1] * inner[1] : -1;
        by_velocity[t] = with_friction ? -outer[1] * inner[0] : 0;
    }
}

#endif
