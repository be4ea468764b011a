/* Attachments, distances and ties in double: what the linearised step, the time-step loop and the tests
 * need. Solvers evaluate them per precision, the judge a third way (harness/judge/metrics_deformables.c).
 * Tetrahedra are in problems/elements.h. */
#ifndef NB_DEFORMABLES_H
#define NB_DEFORMABLES_H

#include "problems/problem.h"

/* c = x - (x_B + R_B p) [3] of an attachment where the problem stands, and the body's arm R_B p [3]
 * (zero for the world): dc/dt = v - v_B - omega_B x arm. */
void nb_attachment_evaluate(const struct nb_problem *problem, int index, double *value,
                            double *arm);

/* c = |x_a - x_b| - length of a distance, and the unit vector d [3] from b to a (x where they
 * meet): dc/dt = d . (v_a - v_b). */
double nb_distance_evaluate(const struct nb_problem *problem, int index, double *direction);

/* c = sum_k w_k x_k [3] of a tie where the problem stands. */
void nb_tie_evaluate(const struct nb_problem *problem, int index, double *value);

/* s = d E/(h + d E) of a row of compliance E with damping d = damping[index], 0 without: the row is c(q+) - s c(q-) +
 * (1 - s) E lambda = 0 (problems/problem.h). */
double nb_damped_share(const double *damping, int index, double compliance, double time_step);

/* Moves the world's points of attachments by their drift over one time step. */
void nb_attachments_drift(struct nb_problem *problem);

#endif
