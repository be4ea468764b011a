/* Attachments and distances in double: what the linearised step, the time-step loop and the tests
 * need. Solvers evaluate them per precision, the judge a third way (harness/metrics_deformables.c).
 * Tetrahedra are in problems/elements.h. */
#ifndef NB_DEFORMABLES_H
#define NB_DEFORMABLES_H

#include "problems/problem.h"

/* Moves the world's points of attachments by their drift over one time step. */
void nb_attachments_drift(struct nb_problem *problem);

#endif
