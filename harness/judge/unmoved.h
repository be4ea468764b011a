/* Contacts of a linear step that nothing moves. */
#ifndef NB_UNMOVED_H
#define NB_UNMOVED_H

#include "problems/problem.h"

/* w of a contact that is set aside: a gap that no motion closes [m/s]. */
#define NB_SET_ASIDE 1e300

/* The largest velocity of a linear step's contact rows, of those that are not set aside. */
double nb_unmoved_scale(const struct nb_problem *problem);

/* The normal entry of w or q of a contact; 0 where its normal row is zero and the entry is below zero by rounding of
 * the scale alone. */
double nb_unmoved_velocity(const struct nb_problem *problem, int contact, double scale);

#endif
