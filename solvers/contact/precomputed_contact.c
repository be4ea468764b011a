/* Relaxation of one contact with what follows from W computed before: stick by the inverse of S, the contact with R_n
 * eliminated; slide by one Newton step of alpha on mu R_n / |R_T| = 1 a visit, else by the exact solution. */
#include "solvers/contact/precomputed_contact.h"

#include <math.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/contact/coulomb.h"
#include "solvers/contact/local_contact.h"

/* A step of alpha beyond this factor is left to the bracketed solution. */
#define FARTHEST 8

void nb_precompute_contact(const nb_real *w, nb_real mu, struct nb_precomputed_contact *contact)
{
    memset(contact, 0, sizeof *contact);
    memcpy(contact->w, w, sizeof contact->w);
    contact->mu = mu;
    if (!(w[0] > 0))
        return;
    contact->inverse_normal = 1 / w[0];
    nb_real *s = contact->s;
    for (int i = 0; i < 2; ++i) {
        contact->column[i] = w[3 + 3 * i] / w[0];
        contact->row[i] = w[1 + i] / w[0];
        for (int j = 0; j < 2; ++j)
            s[2 * i + j] = w[4 + 3 * i + j] - contact->column[i] * w[1 + j];
    }
    const nb_real determinant = s[0] * s[3] - s[1] * s[2];
    const nb_real least = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF)) * w[4] * w[8];
    contact->regular = mu > 0 && s[0] > 0 && s[3] > 0 && determinant > least;
    if (!contact->regular)
        return;
    contact->inverse[0] = s[3] / determinant;
    contact->inverse[1] = -s[1] / determinant;
    contact->inverse[2] = -s[2] / determinant;
    contact->inverse[3] = s[0] / determinant;
}

static nb_real normal_impulse(const struct nb_precomputed_contact *c, nb_real qn, const nb_real *r)
{
    return -(qn * c->inverse_normal + c->row[0] * r[1] + c->row[1] * r[2]);
}

/* r at alpha; returns 1 / det(S + alpha). */
static nb_real slide_at(const struct nb_precomputed_contact *c, nb_real alpha, nb_real qn,
                        const nb_real *b, nb_real *r)
{
    const nb_real a = c->s[0] + alpha, d = c->s[3] + alpha;
    const nb_real inverse = 1 / (a * d - c->s[1] * c->s[2]);
    r[1] = (c->s[1] * b[1] - d * b[0]) * inverse;
    r[2] = (c->s[2] * b[0] - a * b[1]) * inverse;
    r[0] = normal_impulse(c, qn, r);
    return inverse;
}

/* One Newton step of alpha on mu R_n / |R_T| - 1, which without coupling is linear in alpha; zero
 * where it leads too far. */
static int slide(struct nb_precomputed_contact *c, nb_real qn, const nb_real *b, nb_real *r)
{
    const nb_real alpha = c->alpha, inverse = slide_at(c, alpha, qn, b, r);
    /* y = dR_T/dalpha = -(S + alpha)^-1 R_T, its part along R_T, and dR_n/dalpha */
    const nb_real y[2] = {(c->s[1] * r[2] - (c->s[3] + alpha) * r[1]) * inverse,
                          (c->s[2] * r[1] - (c->s[0] + alpha) * r[2]) * inverse};
    const nb_real per_length = 1 / nb_length2(r[1], r[2]);
    const nb_real ratio = c->mu * r[0] * per_length;
    const nb_real slope = -c->mu * (c->row[0] * y[0] + c->row[1] * y[1]) -
                          ratio * per_length * (r[1] * y[0] + r[2] * y[1]);
    const nb_real next = alpha - (ratio - 1) / (per_length * slope);
    if (!(next > alpha / FARTHEST && next < FARTHEST * alpha))
        return 0;
    c->alpha = next;
    slide_at(c, next, qn, b, r);
    if (!(r[0] > 0))
        return 0;
    nb_project_disc(r + 1, c->mu * r[0]);
    return 1;
}

static void solve_exactly(struct nb_precomputed_contact *c, const nb_real *q, const nb_real *b,
                          nb_real *r)
{
    nb_local_contact(c->w, q, c->mu, c->alpha, r);
    const nb_real square = r[1] * r[1] + r[2] * r[2];
    const nb_real moved[2] = {c->s[0] * r[1] + c->s[1] * r[2] + b[0],
                              c->s[2] * r[1] + c->s[3] * r[2] + b[1]};
    const nb_real alpha = square > 0 ? -(moved[0] * r[1] + moved[1] * r[2]) / square : 0;
    c->alpha = alpha > 0 && isfinite(alpha) ? alpha : 0;
}

void nb_precomputed_contact_solve(struct nb_precomputed_contact *c, const nb_real *velocity,
                                  nb_real *r)
{
    nb_real q[3];
    nb_block_apply(c->w, r, q);
    for (int k = 0; k < 3; ++k)
        q[k] = velocity[k] - q[k];
    if (!(q[0] < 0) || !(c->inverse_normal > 0)) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    const nb_real b[2] = {q[1] - c->column[0] * q[0], q[2] - c->column[1] * q[0]};
    if (!c->regular) {
        solve_exactly(c, q, b, r);
        return;
    }
    r[1] = -(c->inverse[0] * b[0] + c->inverse[1] * b[1]);
    r[2] = -(c->inverse[2] * b[0] + c->inverse[3] * b[1]);
    r[0] = normal_impulse(c, q[0], r);
    const nb_real radius = c->mu * r[0];
    if (radius >= 0 && r[1] * r[1] + r[2] * r[2] <= radius * radius)
        return;
    if (!(c->alpha > 0) || !slide(c, q[0], b, r))
        solve_exactly(c, q, b, r);
}
