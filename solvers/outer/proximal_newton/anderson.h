/* Anderson acceleration of Gauss-Seidel sweeps (Anderson 1965; Walker and Ni 2011). A sweep takes p to
 * G(p); with f = G(p) - p of the last sweeps, and differences of successive ones,
 *
 *     p <- G(p) - sum_j gamma_j dG_j,   gamma = argmin || f - sum_j gamma_j df_j ||,
 *
 * in the norm ||f||^2 = sum f_i^2 / rho_i of energies. Where f grows, as when contacts open or slide that
 * did not, the sweeps before are forgotten. p may leave its cones: the next sweep, which moves each contact
 * to where its neighbours want it, brings it back. Velocities that follow from p by an affine map are
 * taken along with the same weights. Real numbers only; nothing is allocated between create and free. */
#ifndef NB_ANDERSON_H
#define NB_ANDERSON_H

#include <stddef.h>

#include "problems/base/status.h"
#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/precision.h"

/* In the precision at hand. */
#define nb_anderson NB(nb_anderson)
#define nb_anderson_create NB(nb_anderson_create)
#define nb_anderson_free NB(nb_anderson_free)
#define nb_anderson_restart NB(nb_anderson_restart)
#define nb_anderson_step NB(nb_anderson_step)

struct nb_anderson {
    size_t rows, length;             /* of p; of p and what is taken along           */
    void *memory;                    /* holds the arrays below                       */
    nb_real *begin;                  /* [rows] where the sweep began                 */
    nb_real *end, *change;           /* [length], [rows] G and f of the sweep before */
    nb_real *d_end[NB_ANDERSON_WINDOW], *d_change[NB_ANDERSON_WINDOW];
    nb_sum gram[NB_ANDERSON_WINDOW][NB_ANDERSON_WINDOW]; /* of d_change              */
    int count;                       /* sweeps that are remembered, but for the last */
    int begun, filled;               /* begin is known; end and change are           */
    nb_real size;                    /* ||f||^2 of the sweep before                  */
};

/* others: velocities that are taken along, or 0. */
enum nb_status nb_anderson_create(struct nb_anderson *anderson, size_t rows, size_t others, struct nb_error *error);
void nb_anderson_free(struct nb_anderson *anderson);

/* Forgets all sweeps. */
void nb_anderson_restart(struct nb_anderson *anderson);

/* Before a sweep, p [rows] and u [others] as the one before left them, size = ||f||^2 of it, rho [rows]:
 * accelerates p and u. The first call since a restart keeps them as they are. */
void nb_anderson_step(struct nb_anderson *anderson, const nb_real *rho, nb_real size, nb_real *p, nb_real *u);

#endif
