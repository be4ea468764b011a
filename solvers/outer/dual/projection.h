/* What projection methods on the dual problem share: a diagonal metric, the velocities of the cone problem,
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

#include "solvers/outer/dual/dual.h"

#define nb_projection_bounds NB(nb_projection_bounds)
#define nb_metric_update NB(nb_metric_update)
#define nb_metric_eigenvalue NB(nb_metric_eigenvalue)
#define nb_metric_distance NB(nb_metric_distance)
#define nb_open_by_slip NB(nb_open_by_slip)
#define nb_cone_velocity NB(nb_cone_velocity)
#define nb_projected_step NB(nb_projected_step)

/* Their settings; the first rows of their tables. */
enum { NB_PROJECTION_FRICTION, NB_PROJECTION_METRIC, NB_PROJECTION_COMMON };
#define NB_PROJECTION_SETTINGS                                                      \
    [NB_PROJECTION_FRICTION] = {.name = "friction", .choices = "coulomb,associated", \
                                .meaning = "Coulomb's law, or its convex relaxation"}, \
    [NB_PROJECTION_METRIC] = {.name = "metric", .choices = "contact,uniform",       \
                              .meaning = "step lengths a contact, or one for all"}

/* NB_FRICTION_CONE for Coulomb's law. */
static inline enum nb_friction_bounds nb_projection_bounds(const double *value)
{
    return value[NB_PROJECTION_FRICTION] > 0 ? NB_FRICTION_ASSOCIATED : NB_FRICTION_CONE;
}

/* dual->metric = D of the present W, by the settings. */
void nb_metric_update(struct nb_dual *dual);

/* The largest eigenvalue of D^-1 W by power iteration from a fixed start; x, y [n]: work. */
nb_real nb_metric_eigenvalue(struct nb_dual *dual, nb_real *x, nb_real *y);

/* velocity [n] += mu |U_T| e_n, with U_T of slip [n], which may be the same array. */
void nb_open_by_slip(const struct nb_dual *dual, const nb_real *slip, nb_real *velocity);

/* velocity [n] = U^(x), with s as the friction law has it. */
void nb_cone_velocity(struct nb_dual *dual, const nb_real *x, nb_real *velocity);

/* out = P_K(x - rho D^-1 velocity); all [n]; out may be x. */
void nb_projected_step(const struct nb_dual *dual, nb_real rho, const nb_real *x,
                       const nb_real *velocity, nb_real *out);

/* || x - y ||^2 in the metric, or in its inverse. */
nb_real nb_metric_distance(const struct nb_dual *dual, const nb_real *x, const nb_real *y, int inverse);

#endif
