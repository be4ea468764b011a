/* The sliding case by a safeguarded Newton method: with R_n eliminated, (S + alpha) R_T = -b, and alpha is the root of
 * mu R_n / |R_T| = 1, which a bracket that shrinks in every step encloses. What round-off leaves of a singular S
 * is told from a pivot, so that redundant directions stick (Bonnefon and Daviet 2011). */
#include "solvers/contact/local_contact.h"

#include <math.h>

#include "solvers/contact/coulomb.h"

enum { ROOT_LIMIT = 300 };

#define MARGIN NB_REAL(8) /* a pivot of so many round-offs may be nothing but round-off */

/* The sliding case, with R_n eliminated. */
struct slide {
    nb_real s00, s01, s10, s11, b0, b1; /* S [1/kg], b [m/s]     */
    nb_real w0, w1, wnn, qn, mu;        /* W_nT, W_nn, q_n       */
    nb_real least, least_b;             /* round-off of S, of b   */
};

static struct slide eliminate(const nb_real *w, const nb_real *q, nb_real mu)
{
    const nb_real f0 = w[3] / w[0], f1 = w[6] / w[0];
    struct slide s = {.s00 = w[4] - f0 * w[1], .s01 = w[5] - f0 * w[2], .s10 = w[7] - f1 * w[1],
                      .s11 = w[8] - f1 * w[2], .b0 = q[1] - f0 * q[0], .b1 = q[2] - f1 * q[0],
                      .w0 = w[1], .w1 = w[2], .wnn = w[0], .qn = q[0], .mu = mu};
    const nb_real unit = 8 * NB_REAL(NB_UNIT_ROUNDOFF);
    s.least = unit * (nb_abs(w[4]) + nb_abs(w[8]));
    s.least_b = unit * (nb_abs(q[1]) + nb_abs(q[2]) + (nb_abs(f0) + nb_abs(f1)) * nb_abs(q[0]));
    return s;
}

/* S + alpha, eliminated. */
struct factor {
    int first;                      /* the row of the larger diagonal entry                  */
    nb_real ratio, beside;          /* what of it is taken from the other; its entry there   */
    nb_real inverse, inverse_other; /* of the pivots                                         */
};

/* No pivot is smaller than what round-off may have left of a singular S: a solution may then hold
 * anything of the null space, as it is free to, but (S + alpha) x is y where that can be. */
static struct factor factorise(const struct slide *s, nb_real alpha)
{
    const nb_real a = s->s00 + alpha, c = s->s11 + alpha;
    const int first = a >= c ? 0 : 1;
    const nb_real inverse = 1 / nb_max(s->least, first ? c : a);
    const nb_real ratio = (first ? s->s01 : s->s10) * inverse;
    const nb_real beside = first ? s->s10 : s->s01, other = (first ? a : c) - ratio * beside;
    return (struct factor){first, ratio, beside, inverse, 1 / nb_max(s->least, other)};
}

/* x = (S + alpha)^-1 y */
static void solve2(const struct factor *f, const nb_real *y, nb_real *x)
{
    const int i = f->first, j = 1 - i;
    const nb_real other = (y[j] - f->ratio * y[i]) * f->inverse_other;
    x[i] = (y[i] - f->beside * other) * f->inverse;
    x[j] = other;
}

/* R at alpha; mu R_n - |R_T| in units of |R_T|, and its derivative by alpha. */
static nb_real excess(const struct slide *s, nb_real alpha, nb_real *r, nb_real *slope)
{
    const struct factor factor = factorise(s, alpha);
    const nb_real b[2] = {-s->b0, -s->b1};
    nb_real change[2]; /* its negative */
    solve2(&factor, b, r + 1);
    solve2(&factor, r + 1, change);
    r[0] = -(s->qn + s->w0 * r[1] + s->w1 * r[2]) / s->wnn;
    const nb_real per_length = 1 / nb_length2(r[1], r[2]);
    const nb_real normal_change = (s->w0 * change[0] + s->w1 * change[1]) / s->wnn;
    const nb_real length_change = -(r[1] * change[0] + r[2] * change[1]) * per_length;
    *slope = s->mu * (normal_change - r[0] * length_change * per_length) * per_length;
    return s->mu * r[0] * per_length - 1;
}

/* Leaves the sliding solution in r; guess: of alpha, or 0. An alpha of round-off is none: there a
 * singular S sticks, with a force inside the cone that need not be unique. */
static void slide(const struct slide *s, nb_real guess, nb_real *r)
{
    const nb_real resolution = 2 * NB_REAL(NB_UNIT_ROUNDOFF);
    const nb_real scale = nb_abs(s->s00) + nb_abs(s->s11);
    nb_real low = 0, high = (nb_real)INFINITY, slope;
    nb_real alpha = scale > 0 ? scale : s->wnn;
    if (guess > s->least && guess < scale * (scale / s->least))
        alpha = guess;
    for (int k = 0; k < ROOT_LIMIT; ++k) {
        const nb_real value = excess(s, alpha, r, &slope);
        const nb_real next = alpha - value / slope;
        if (nb_abs(value) <= 2 * resolution || nb_abs(next - alpha) <= resolution * alpha)
            break;
        if (value > 0)
            high = alpha;
        else
            low = alpha;
        const nb_real middle = isinf(high) ? 2 * low : low + (high - low) / 2;
        alpha = nb_max(s->least, next > low && next < high ? next : middle);
        if (alpha == low || alpha == high)
            break;
    }
    nb_project_disc(r + 1, s->mu * r[0]); /* round-off only */
}

/* S x = -b. Where S is singular to round-off and b in its range, x is the smallest solution, -b/tr S
 * for the one eigenvalue that is left: dividing what round-off leaves of b by a pivot of round-off
 * would add any amount of the null space, and lose a force that the cone holds. */
static void solve_stick(const struct slide *s, nb_real *x)
{
    const struct factor factor = factorise(s, 0);
    const nb_real b[2] = {-s->b0, -s->b1}, trace = s->s00 + s->s11;
    if (factor.inverse_other * s->least < 1 / MARGIN || !(trace > s->least)) {
        solve2(&factor, b, x);
        return;
    }
    x[0] = b[0] / trace;
    x[1] = b[1] / trace;
    const nb_real left = nb_abs(s->s00 * x[0] + s->s01 * x[1] - b[0]) +
                         nb_abs(s->s10 * x[0] + s->s11 * x[1] - b[1]);
    if (left > MARGIN * (s->least_b + s->least * nb_length2(x[0], x[1])))
        solve2(&factor, b, x);
}

void nb_local_contact(const nb_real *w, const nb_real *q, nb_real mu, nb_real guess,
                      nb_real *r)
{
    r[0] = r[1] = r[2] = 0;
    if (!(q[0] < 0) || !(w[0] > 0))
        return;
    r[0] = -q[0] / w[0];
    if (!(mu > 0))
        return;
    const struct slide s = eliminate(w, q, mu);
    if (s.b0 == 0 && s.b1 == 0)
        return; /* pressed straight on: it sticks without friction */
    nb_real stick[3];
    solve_stick(&s, stick + 1);
    stick[0] = -(q[0] + w[1] * stick[1] + w[2] * stick[2]) / w[0];
    if (nb_length2(stick[1], stick[2]) <= mu * stick[0]) {
        for (int k = 0; k < 3; ++k)
            r[k] = stick[k];
        return;
    }
    slide(&s, guess, r);
}
