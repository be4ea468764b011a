/* One generalised Newton step on the Fischer reformulation of a step with box friction (Silcowitz,
 * Niebe and Erleben 2009, section 3):
 *
 *     H dp = -Phi(p),  p += alpha dp,  Psi(p + alpha dp) <= (1 - 2 alpha c) Psi(p)
 *     Psi = ||Phi||^2/2
 *
 * with H = dPhi/dp + dPhi/dy rho W an element of the B-subdifferential, alpha = 1, 1/2, 1/4, ...
 * Three departures from the paper. Velocities enter as rho y, rho = 1/W_ii, so that both
 * arguments of phi are impulses and units do not matter. H - epsilon takes the place of H, since
 * redundant contacts make H nearly singular (the paper names this "matrix damping"; epsilon = 0
 * is its method). And where H is singular, or its step does not lower Psi, of which the paper
 * says nothing, the step is -H^T Phi, as in Billups 1995. Bilateral rows ask for y = 0. */
#ifndef NB_FISCHER_NEWTON_H
#define NB_FISCHER_NEWTON_H

#include "solvers/block/block_lu.h"
#include "solvers/model/step_rows.h"

#define nb_fischer NB(nb_fischer)
#define nb_fischer_create NB(nb_fischer_create)
#define nb_fischer_evaluate NB(nb_fischer_evaluate)
#define nb_fischer_free NB(nb_fischer_free)
#define nb_fischer_linearise NB(nb_fischer_linearise)
#define nb_fischer_settings NB(nb_fischer_settings)
#define nb_fischer_start NB(nb_fischer_start)
#define nb_fischer_step NB(nb_fischer_step)
#define nb_fischer_subdifferential NB(nb_fischer_subdifferential)

struct nb_fischer_settings {
    int conjugate;   /* solve for dp by conjugate gradients on differences of Phi, not by LU */
    int conjugate_iterations; /* at most, a Newton step                        */
    int searching;   /* 0: full steps without a test                           */
    int halvings;    /* of a step, at most                                     */
    int staggered;   /* first without friction, then with it                   */
    int scaled;      /* rho = 1/W_ii; 0: rho = 1, the paper's                  */
    double damping;  /* epsilon >= 0; raised to 16 units of the precision if not 0 */
};

struct nb_fischer {
    struct nb_step_rows rows;
    struct nb_block_lu lu;         /* not set up where the settings want conjugate gradients */
    struct nb_fischer_settings settings;
    int with_friction;                   /* 0: the friction is taken away                          */
    void *memory;                  /* of the arrays below                                    */
    double *step;                  /* [n] dp                                                 */
    nb_real *rho;                  /* [n] 1/W_ii                                             */
    nb_real *p, *trial;            /* [n] impulses                                           */
    nb_real *velocity;             /* [n] rho y at the point evaluated last                  */
    nb_real *phi, *phi_trial;      /* [n]                                                    */
    nb_real *by_velocity, *direction, *product; /* [n] dPhi/dy; dp and rho dy at kinks       */
    nb_real *own;                  /* [9 blocks] dPhi/dp at fixed y                          */
    nb_real *residual, *search;    /* [n] of the conjugate gradients                         */
};

/* The model must outlive it. */
enum nb_status nb_fischer_create(struct nb_fischer **self, struct nb_model *model,
                                 const struct nb_fischer_settings *settings, int threads,
                                 struct nb_error *error);
void nb_fischer_free(struct nb_fischer *self);

/* p = 0, u = u~. */
void nb_fischer_start(struct nb_fischer *self);

/* The gaps, W and rho at the present u. */
void nb_fischer_linearise(struct nb_fischer *self);

/* ||Phi(p)||; leaves Phi in phi, and u with p. */
nb_real nb_fischer_evaluate(struct nb_fischer *self);

/* The element of the B-subdifferential at p, after an evaluation, as own and by_velocity. */
void nb_fischer_subdifferential(struct nb_fischer *self);

/* One step from p with ||Phi|| = *norm. Zero where Psi does not fall, p and u are as before then.
 * Counts and times itself in run. */
int nb_fischer_step(struct nb_fischer *self, struct nb_run *run,
                    struct nb_linear_report *report, nb_real *norm);

#endif
