/* Many copies of one step side by side, as one step of so many independent parts: what a batch of
 * simulations is to a solver. */
#ifndef NB_COPIES_H
#define NB_COPIES_H

#include "problems/problem.h"

/* *out: `copies` of a nonlinear step of rigid bodies in a square pattern, x fastest, far enough apart not
 * to touch. What is fixed to the world stays with its copy in contacts and joints; shapes of the world are
 * kept once. A global linear step is joined with itself (problems/join.h). NB_UNSUPPORTED for particles and local
 * steps. On failure *out is cleared. */
enum nb_status nb_problem_repeat(const struct nb_problem *problem, int copies, struct nb_problem *out,
                                 struct nb_error *error);

/* How far a shape reaches from the origin of its frame [m]; a plane does not. */
double nb_shape_reach(const struct nb_shape *shape);

#endif
