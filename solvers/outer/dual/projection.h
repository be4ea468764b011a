/* What projection methods on a dual step share: a diagonal metric, the velocities of the cone problem,
 * and projected steps.
 *
 *     p <- P_K(p - rho D^-1 U^),   U^ = U + mu s e_n,   s = |U_T|
 *
 * K is the product of the Coulomb cones; bilateral rows are not projected. With s = |U_T| (De Saxce and
 * Feng 1998) a fixed point solves Signorini's condition with Coulomb's law. With s = 0 it is the
 * minimum of p^T W p / 2 + q^T p over K, a convex problem whose sliding opens the contact by mu |U_T|
 * (Anitescu 2006).
 *
 * D has one value a contact, so that P_K stays the Euclidean projection, the mean of its three diagonal
 * entries of W, and one a bilateral row; or the mean over all rows. */
#ifndef NB_PROJECTION_H
#define NB_PROJECTION_H

#include "solvers/outer/dual/dual_step.h"

enum nb_friction_law { NB_LAW_COULOMB, NB_LAW_ASSOCIATED };
#define NB_LAW_SETTING                                                        \
    {.name = "friction", .value = NB_LAW_COULOMB, .choices = "coulomb,associated", \
     .meaning = "Coulomb's law, or its convex relaxation"}

enum nb_metric { NB_METRIC_CONTACT, NB_METRIC_UNIFORM };
#define NB_METRIC_SETTING                                                \
    {.name = "metric", .value = NB_METRIC_CONTACT, .choices = "contact,uniform", \
     .meaning = "step lengths a contact, or one for all"}

static inline enum nb_friction_bounds NB(nb_law_bounds)(double law)
{
    return law > 0 ? NB_FRICTION_ASSOCIATED : NB_FRICTION_CONE;
}

/* metric [n] of the present W. */
void NB(nb_metric)(const struct NB(nb_dual_step) *step, enum nb_metric kind, nb_real *metric);

/* The largest eigenvalue of D^-1 W by power iteration from a fixed start; work [2 n]. */
nb_real NB(nb_metric_eigenvalue)(struct NB(nb_dual_step) *step, const nb_real *metric,
                                 nb_real *work);

/* velocity [n] += mu |U_T| e_n, with U_T of slip [n], which may be the same array. */
void NB(nb_open_by_slip)(const struct NB(nb_dual_step) *step, const nb_real *slip,
                         nb_real *velocity);

/* out = P_K(x - rho D^-1 velocity); all [n]; out may be x. */
void NB(nb_projected_step)(const struct NB(nb_dual_step) *step, const nb_real *metric, nb_real rho,
                           const nb_real *x, const nb_real *velocity, nb_real *out);

/* || x - y ||^2 in the metric, or in its inverse. */
nb_real NB(nb_metric_distance)(const struct NB(nb_dual_step) *step, const nb_real *metric,
                               const nb_real *x, const nb_real *y, int inverse);

#endif
