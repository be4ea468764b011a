/* One contact by itself: given U = A p + b with A [9] symmetric positive definite, the impulse p
 * that satisfies Signorini's condition and Coulomb's law exactly. Open where b_n >= 0; stick where
 * p = -A^-1 b lies in the cone; else slip: with U_n = 0 eliminated, U_t = b' + A' p_t, p_t = -s
 * U_t,
 *
 *     U_t(s) = (1 + s A')^-1 b',   g(s) = s |U_t(s)| - mu p_n(s) = 0,   s > 0,
 *
 * where g(0) <= 0 < g(infinity): a bracketed Newton iteration in theta = s a/(1 + s a). */
#ifndef NB_CONE_LOCAL_H
#define NB_CONE_LOCAL_H

#include "solvers/block3.h"

/* x = A^-1 b for a symmetric positive definite 3x3; zero where it is not. */
static inline int NB(nb_local_solve)(const nb_real *a, const nb_real *b, nb_real *x)
{
    const nb_real c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
                  c2 = a[3] * a[7] - a[4] * a[6];
    const nb_real determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
    const nb_real least = NB_REAL(NB_UNIT_ROUNDOFF) * a[0] * a[4] * a[8];
    if (!(determinant > least))
        return 0;
    const nb_real scale = 1 / determinant;
    x[0] = scale * (c0 * b[0] + (a[2] * a[7] - a[1] * a[8]) * b[1] +
                    (a[1] * a[5] - a[2] * a[4]) * b[2]);
    x[1] = scale * (c1 * b[0] + (a[0] * a[8] - a[2] * a[6]) * b[1] +
                    (a[2] * a[3] - a[0] * a[5]) * b[2]);
    x[2] = scale * (c2 * b[0] + (a[1] * a[6] - a[0] * a[7]) * b[1] +
                    (a[0] * a[4] - a[1] * a[3]) * b[2]);
    return 1;
}

/* The slip problem of a contact: tangential block A' = (xx, xy, yy), b', and the normal row. */
struct NB(nb_local_slip) {
    nb_real xx, xy, yy, bx, by;
    nb_real normal, nx, ny; /* p_n = normal + nx p_x + ny p_y */
    nb_real mu;
};

/* g(s), its derivative, and p_t(s). */
static inline nb_real NB(nb_local_slip_value)(const struct NB(nb_local_slip) *c, nb_real s,
                                              nb_real *derivative, nb_real *p)
{
    const nb_real a = 1 + s * c->xx, b = s * c->xy, d = 1 + s * c->yy;
    const nb_real scale = 1 / (a * d - b * b);
    const nb_real ux = scale * (d * c->bx - b * c->by), uy = scale * (a * c->by - b * c->bx);
    const nb_real length = nb_sqrt(ux * ux + uy * uy);
    /* U' = -(1 + s A')^-1 A' U and (s U)' = (1 + s A')^-1 U */
    const nb_real wx = scale * (d * ux - b * uy), wy = scale * (a * uy - b * ux);
    p[1] = -s * ux;
    p[2] = -s * uy;
    p[0] = c->normal + c->nx * p[1] + c->ny * p[2];
    const nb_real along = length > 0 ? (ux * wx + uy * wy) / length : 0;
    *derivative = along + c->mu * (c->nx * wx + c->ny * wy);
    return s * length - c->mu * p[0];
}

static inline void NB(nb_local_slide)(const nb_real *a, const nb_real *b, nb_real mu, nb_real *p)
{
    enum { LIMIT = 60 };
    const nb_real n = 1 / a[0];
    const struct NB(nb_local_slip) c = {
        .xx = a[4] - a[3] * a[1] * n, .xy = a[5] - a[3] * a[2] * n, .yy = a[8] - a[6] * a[2] * n,
        .bx = b[1] - a[3] * b[0] * n, .by = b[2] - a[6] * b[0] * n,
        .normal = -b[0] * n, .nx = -a[1] * n, .ny = -a[2] * n, .mu = mu};
    const nb_real unit = (c.xx + c.yy) / 2, tolerance = 4 * NB_REAL(NB_UNIT_ROUNDOFF);
    nb_real low = 0, high = 1, theta = NB_REAL(0.5), slope;
    for (int k = 0; k < LIMIT; ++k) {
        const nb_real rest = 1 - theta, s = theta / (unit * rest);
        const nb_real g = NB(nb_local_slip_value)(&c, s, &slope, p);
        if (g > 0)
            high = theta;
        else
            low = theta;
        nb_real next = theta - g * unit * rest * rest / slope;
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (nb_abs(next - theta) <= tolerance * theta || high - low <= tolerance * high)
            break;
        theta = next;
    }
}

static inline void NB(nb_local_contact)(const nb_real *a, const nb_real *b, nb_real mu, nb_real *p)
{
    if (b[0] >= 0 || !(a[0] > 0)) {
        p[0] = p[1] = p[2] = 0;
        return;
    }
    const nb_real minus[3] = {-b[0], -b[1], -b[2]};
    if (NB(nb_local_solve)(a, minus, p) && mu * p[0] >= 0 &&
        p[1] * p[1] + p[2] * p[2] <= mu * mu * p[0] * p[0])
        return;
    if (mu > 0) {
        NB(nb_local_slide)(a, b, mu, p);
        return;
    }
    p[0] = -b[0] / a[0];
    p[1] = p[2] = 0;
}

/* Moves p [3] to where its own row is solved, U = velocity at the present p; change [3] is p's. */
static inline void NB(nb_local_row)(const nb_real *block, const nb_real *velocity, int bilateral,
                                    nb_real mu, nb_real *p, nb_real *change)
{
    nb_real next[3], b[3];
    NB(nb_block_apply)(block, p, b);
    for (int r = 0; r < 3; ++r)
        b[r] = velocity[r] - b[r];
    if (bilateral) {
        const nb_real minus[3] = {-b[0], -b[1], -b[2]};
        if (!NB(nb_local_solve)(block, minus, next))
            for (int r = 0; r < 3; ++r)
                next[r] = block[4 * r] > 0 ? p[r] - velocity[r] / (3 * block[4 * r]) : p[r];
    } else {
        NB(nb_local_contact)(block, b, mu, next);
    }
    for (int r = 0; r < 3; ++r) {
        change[r] = next[r] - p[r];
        p[r] = next[r];
    }
}

#endif
