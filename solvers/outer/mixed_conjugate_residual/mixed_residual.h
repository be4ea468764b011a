/* Preconditioned conjugate residuals on the mixed system of solvers/outer/mixed_conjugate_residual/mixed_system.h,
 * whose active set changes on the way (Verschoor and Jalba 2019). The residual is split into
 *
 *     r_u = (f - M u) + J^T p,   r_p = J u + base + C p in active rows
 *
 * so that a change of the set renews the second terms alone and needs no product with M.
 *
 * A contact is open, static (all three rows active) or kinetic (normal row active, and friction
 *
 *     p_t = mu mean(p_n) mean(d) / |mean(d)|,   d = -y_t / |y_t|
 *
 * given from running means over its last N values). Which, is decided by p - rho y, rho =
 * 1/W_ii, as in a primal-dual active set: where p_n - rho y_n <= 0 it is open, else static where
 * |p_t - rho y_t| <= mu p_n. */
#ifndef NB_MIXED_RESIDUAL_H
#define NB_MIXED_RESIDUAL_H

#include "solvers/outer/mixed_conjugate_residual/mixed_system.h"

#define nb_mixed NB(nb_mixed)
#define nb_mixed_iterate NB(nb_mixed_iterate)
#define nb_mixed_norm NB(nb_mixed_norm)
#define nb_mixed_relinearise NB(nb_mixed_relinearise)
#define nb_mixed_residual_create NB(nb_mixed_residual_create)
#define nb_mixed_residual_free NB(nb_mixed_residual_free)
#define nb_mixed_restart NB(nb_mixed_restart)
#define nb_mixed_start NB(nb_mixed_start)
#define nb_mixed_switch NB(nb_mixed_switch)

enum nb_mixed_state { NB_MIXED_OPEN, NB_MIXED_STATIC, NB_MIXED_KINETIC };

struct nb_mixed {
    struct nb_mixed_system system;
    size_t total;           /* 3 nodes + n                                       */
    int average;            /* N                                                 */
    int interval;           /* iterations between looks at the contacts, at most */
    void *memory;           /* of the arrays below                               */
    int *state;             /* [contacts] enum nb_mixed_state                    */
    int *samples;           /* [contacts] values since the contact slides        */
    nb_real *x, *r;         /* [total] (u, p), residual                          */
    nb_real *z, *az;        /* [total] P^-1 r; the system times a direction's seed */
    nb_real *d, *ad, *w;    /* [total] direction, the system times it, P^-1 of that */
    nb_real *mz, *md;       /* [3 nodes] M times the seed, M d                   */
    nb_real *unconstrained; /* [3 nodes] f - M u                                 */
    nb_real *velocity;      /* [n] y                                             */
    nb_real *history;       /* [3 N contacts] p_n and d of sliding contacts      */
};

/* The model must outlive it. */
enum nb_status nb_mixed_residual_create(struct nb_mixed **self, struct nb_model *model,
                                        int precond, int average, struct nb_error *error);
void nb_mixed_residual_free(struct nb_mixed *self);

/* u = 0, p = 0, every contact open. */
void nb_mixed_start(struct nb_mixed *self);

/* J, C and base at the present u, and the residual with them. */
void nb_mixed_relinearise(struct nb_mixed *self);

/* Decides every contact's state and every sliding one's friction; how many changed. A sliding
 * contact whose friction moves by no more than round-off is not a change. */
int nb_mixed_switch(struct nb_mixed *self);

/* Renews the constraints' part of the residual, the preconditioner and the direction. */
void nb_mixed_restart(struct nb_mixed *self);

/* ||r|| in the norm of P^-1. */
nb_real nb_mixed_norm(const struct nb_mixed *self);

/* One iteration, one product with the system. Zero where there is no direction left. */
int nb_mixed_iterate(struct nb_mixed *self, struct nb_run *run);

#endif
