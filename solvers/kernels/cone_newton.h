/* Semismooth Newton on the Alart-Curnier map of a whole step, with a proximal term (Alart and Curnier
 * 1991; Rockafellar 1976):
 *
 *     F(p; U) = 0,   U = D p + q + w (p - p_k),   D = J H^-1 J^T
 *
 * p = h lambda [N s], one impulse a row; bilateral rows ask for U + (E/h^2) p = 0 instead. The matrix
 * is not symmetric where contacts slip, and regular for w > 0. */
#ifndef NB_CONE_NEWTON_H
#define NB_CONE_NEWTON_H

#include "solvers/model.h"
#include "solvers/sparse_lu.h"
#include "solvers/strategy.h"

struct NB(nb_cone_newton) {
    struct NB(nb_model) *model;
    struct NB(nb_operator) op;   /* D + E/h^2, assembled, unscaled                  */
    struct nb_sparse_lu *lu;
    int *position;               /* of each scalar entry of op.matrix in lu's values */
    double *step;                /* [n]                                             */
    nb_real *storage;            /* owns the arrays below                           */
    nb_real *ones, *compliance;  /* [n] 1; diag E/h^2                               */
    nb_real *rho;                /* [n] 1/diag; one value for both tangents         */
    nb_real *p, *trial, *anchor; /* [n] impulses: current, tried, p_k               */
    nb_real *base;               /* [n] U where J u is left out                     */
    nb_real *velocity;           /* [n] U + w (p - p_k)                             */
    nb_real *residual, *residual_trial; /* [n] F                                    */
    nb_real *slope;              /* [9 blocks] dP/dz                                */
    nb_real *u, *defect, *momentum; /* [3 nodes]; u belongs to the p evaluated last */
    nb_real weight;              /* w                                               */
    nb_real median;              /* of the diagonal of D [1/kg]                     */
};

/* The model must outlive it. NB_UNSUPPORTED where this precision has no LU of that size. */
enum nb_status NB(nb_cone_newton_create)(struct NB(nb_cone_newton) **newton,
                                         struct NB(nb_model) *model, int threads,
                                         struct nb_error *error);
void NB(nb_cone_newton_free)(struct NB(nb_cone_newton) *newton);

/* J, D, E, rho and the gaps at the present u. */
void NB(nb_cone_newton_linearise)(struct NB(nb_cone_newton) *newton);

/* Brings u to p: M u = f + J^T p. */
void NB(nb_cone_newton_respond)(struct NB(nb_cone_newton) *newton, const nb_real *p);

/* ||F|| at p with the proximal term; leaves F in residual, and u with p. */
nb_real NB(nb_cone_newton_evaluate)(struct NB(nb_cone_newton) *newton);

/* ||F|| without the proximal term, at the point evaluated last. */
nb_real NB(nb_cone_newton_natural)(struct NB(nb_cone_newton) *newton);

/* One Newton step from p with ||F|| = *norm, halved until ||F|| falls. Zero if it does not, or if the
 * matrix is singular: then p, u and F are as before. Counts and times itself in run. */
int NB(nb_cone_newton_step)(struct NB(nb_cone_newton) *newton, struct nb_run *run, nb_real *norm);

#endif
