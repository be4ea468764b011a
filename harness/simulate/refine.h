/* Constraint manifold refinement (Otaduy et al. 2009, named by Macklin et al. 2019, section 8.6, and left out there): a
 * contact's normal and points are those of the start of a step, so that what moves along a curved or edged body is held
 * by the wrong plane at its end. Contacts are therefore found anew at q+ = q- (+) h u and the step is solved again from
 * q-, by any method, as often as is asked for or until the contacts stay.
 *
 * A pair has its contacts of the end where it has some within the margin there, else those that it had: what a contact
 * has pushed away is not forgotten, or it would come back. */
#ifndef NB_REFINE_H
#define NB_REFINE_H

#include "problems/problem.h"

/* Replaces the contacts of a prepared step whose velocities u [nb_problem_dofs] are solved; *changed: whether they are
 * others than before. */
enum nb_status nb_refine_contacts(struct nb_problem *problem, const double *u, int *changed, struct nb_error *error);

#endif
