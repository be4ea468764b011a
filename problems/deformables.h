/* Attachments and distances in double: what the linearised step, the time-step loop and the tests
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

/* Moves the world's points of attachments by their drift over one time step. */
void nb_attachments_drift(struct nb_problem *problem);

#endif
