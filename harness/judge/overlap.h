/* What a step leaves at its end, contacts that it did not have included. */
#ifndef NB_OVERLAP_H
#define NB_OVERLAP_H

#include "problems/problem.h"

/* Raises *penetration [m] to the depth of the deepest contact that is found anew at q+ = q- (+) h u, where the problem
 * is nonlinear, has shapes and u [nb_problem_dofs] is finite; else leaves it. */
enum nb_status nb_overlap_add(const struct nb_problem *problem, const double *u, double *penetration,
                              struct nb_error *error);

#endif
