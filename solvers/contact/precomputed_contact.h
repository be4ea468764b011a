/* The local problem of one contact (local_contact.h) for many sweeps with the same W: what follows
 * from W alone is computed once, and the alpha >= 0 of a sliding contact, U_T = -alpha R_T, is kept
 * from one visit to the next. With R_n eliminated,
 *
 *     S = W_TT - W_Tn W_nT / W_nn,   b = q_T - W_Tn q_n / W_nn,   (S + alpha) R_T = -b;
 *
 * a contact that slid before takes one step of Newton's method on mu R_n / |R_T| = 1 in alpha a visit,
 * since its neighbours move on anyway, and is projected to the disc; the sweeps' limit is the exact
 * solution. One that begins to slide, and any whose S is singular, is solved exactly. */
#ifndef NB_PRECOMPUTED_CONTACT_H
#define NB_PRECOMPUTED_CONTACT_H

#include "solvers/precision.h"

#define nb_precompute_contact NB(nb_precompute_contact)
#define nb_precomputed_contact NB(nb_precomputed_contact)
#define nb_precomputed_contact_solve NB(nb_precomputed_contact_solve)

struct nb_precomputed_contact {
    nb_real w[9];
    nb_real inverse_normal;     /* 1 / W_nn                      */
    nb_real column[2], row[2];  /* W_Tn / W_nn, W_nT / W_nn      */
    nb_real s[4], inverse[4];   /* S and its inverse             */
    nb_real mu, alpha;          /* alpha of the last visit; 0: it did not slide */
    int regular;                /* the inverse can be used       */
};

/* w [9] of the contact, row-major. */
void nb_precompute_contact(const nb_real *w, nb_real mu, struct nb_precomputed_contact *contact);

/* Moves r [3] to the solution for U = velocity [3] at the present r. */
void nb_precomputed_contact_solve(struct nb_precomputed_contact *contact,
                                  const nb_real *velocity, nb_real *r);

#endif
