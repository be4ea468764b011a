/* Sweeps of projected Gauss-Seidel over the rows of a dual step, in place on p:
 *
 *     p_i <- P_i(p_i - omega U_i / W_ii)
 *
 * with U_i from the newest p. Bilateral rows are not projected; normals go to R_n >= 0; tangents to
 * the box |R_ti| <= mu R_n, one after the other, or both at once to the disc |R_T| <= mu R_n, then
 * with the largest eigenvalue of their block for both, so that the force opposes the slip. A row
 * without response, W_ii <= 0, is left as it is. bounds: NB_FRICTION_BOX, _CONE or _NONE. */
#ifndef NB_CONTACT_SWEEP_H
#define NB_CONTACT_SWEEP_H

#include "solvers/outer/dual/dual_step.h"

void NB(nb_contact_sweep)(struct NB(nb_dual_step) *step, nb_real omega,
                          enum nb_friction_bounds bounds);

/* U [3] of block row i; returns its diagonal block [9], or NULL where it has none. */
const nb_matrix *NB(nb_row_velocity)(const struct NB(nb_dual_step) *step, int i, nb_real *velocity);

#endif
