/* Timing applications of the preconditioner: private to linear solvers; struct nb_application_times is in
 * solvers/solve.h. */
#ifndef NB_APPLICATION_H
#define NB_APPLICATION_H

#include <stdbool.h>

struct nb_run;

/* Counts one that begins; true: it is to be timed. And what it took. */
bool nb_application_begins(struct nb_run *run);
void nb_application_took(struct nb_run *run, double seconds);

#endif
