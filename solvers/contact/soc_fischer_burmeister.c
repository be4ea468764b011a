/* Phi and its generalised derivatives by spectral values (Fukushima, Luo and Tseng 2002): with w = x o x + y o y,
 * z = w^(1/2) has the spectral values sqrt(w_0 +- |w_T|), and dPhi/dx = 1 - L_z^-1 L_x with L_x v = x o v. */
#include "solvers/contact/soc_fischer_burmeister.h"

#include <string.h>

#include "solvers/contact/coulomb.h"

/* z = (x o x + y o y)^(1/2) through its spectral values, the smaller one at least `least` times the
 * larger; returns their product z_0^2 - |z_T|^2. */
static nb_real root(const nb_real *x, const nb_real *y, nb_real least, nb_real *z)
{
    const nb_real size = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + y[0] * y[0] + y[1] * y[1] +
                         y[2] * y[2];
    const nb_real w[3] = {size, 2 * (x[0] * x[1] + y[0] * y[1]),
                          2 * (x[0] * x[2] + y[0] * y[2])};
    const nb_real length = NB(nb_length2)(w[1], w[2]);
    const nb_real high = nb_sqrt(w[0] + length);
    const nb_real low = nb_max(least * high, nb_sqrt(nb_max(0, w[0] - length)));
    z[0] = (high + low) / 2;
    for (int r = 1; r < 3; ++r)
        z[r] = length > 0 ? (high - low) / 2 * w[r] / length : 0;
    return low * high;
}

/* out = 1 - L_z^-1 L_x, with L_x v = x o v; z inside the cone. */
static void complement(const nb_real *z, nb_real determinant, const nb_real *x, nb_real *out)
{
    for (int c = 0; c < 3; ++c) {
        nb_real v[3] = {x[c], c == 1 ? x[0] : 0, c == 2 ? x[0] : 0}; /* column c of L_x */
        if (c == 0) {
            v[1] = x[1];
            v[2] = x[2];
        }
        const nb_real first = (z[0] * v[0] - z[1] * v[1] - z[2] * v[2]) / determinant;
        out[c] = (nb_real)(c == 0) - first;
        for (int r = 1; r < 3; ++r)
            out[3 * r + c] = (nb_real)(c == r) - (v[r] - z[r] * first) / z[0];
    }
}

static void frictionless(const nb_real *impulse, nb_real y, nb_real rho, nb_real *phi,
                         nb_real *by_impulse, nb_real *by_velocity)
{
    const nb_real x = impulse[0], length = NB(nb_length2)(x, y);
    phi[0] = x + y > 0 ? 2 * x * (y / (x + y + length)) : x + y - length;
    phi[1] = impulse[1];
    phi[2] = impulse[2];
    if (!by_impulse)
        return;
    memset(by_impulse, 0, 9 * sizeof *by_impulse);
    memset(by_velocity, 0, 9 * sizeof *by_velocity);
    by_impulse[0] = length > 0 ? 1 - x / length : 1;
    by_velocity[0] = length > 0 ? rho * (1 - y / length) : 0;
    by_impulse[4] = by_impulse[8] = 1;
}

void nb_soc_fischer_burmeister(const nb_real *impulse, const nb_real *velocity, nb_real mu, nb_real rho,
                               nb_real *phi, nb_real *by_impulse, nb_real *by_velocity)
{
    if (!(mu > 0)) {
        frictionless(impulse, rho * velocity[0], rho, phi, by_impulse, by_velocity);
        return;
    }
    const nb_real slip = NB(nb_length2)(velocity[1], velocity[2]);
    const nb_real x[3] = {mu * impulse[0], impulse[1], impulse[2]};
    const nb_real y[3] = {rho * (velocity[0] + mu * slip), rho * mu * velocity[1],
                          rho * mu * velocity[2]};
    nb_real z[3], left[9], right[9];
    root(x, y, 0, z);
    for (int r = 0; r < 3; ++r)
        phi[r] = x[r] + y[r] - z[r];
    if (!by_impulse)
        return;
    const nb_real determinant = root(x, y, nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF)), z);
    if (!(z[0] > 0)) { /* x = y = 0: the limit along x alone */
        memset(by_impulse, 0, 9 * sizeof *by_impulse);
        memset(by_velocity, 0, 9 * sizeof *by_velocity);
        by_impulse[0] = mu;
        by_impulse[4] = by_impulse[8] = 1;
        return;
    }
    complement(z, determinant, x, left);
    complement(z, determinant, y, right);
    for (int r = 0; r < 3; ++r) {
        const nb_real turn = slip > 0 ? right[3 * r] / slip : 0;
        by_impulse[3 * r] = left[3 * r] * mu;
        by_velocity[3 * r] = rho * right[3 * r];
        for (int c = 1; c < 3; ++c) {
            by_impulse[3 * r + c] = left[3 * r + c];
            by_velocity[3 * r + c] = rho * mu * (turn * velocity[c] + right[3 * r + c]);
        }
    }
}
