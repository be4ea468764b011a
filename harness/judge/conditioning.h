/* The systems that primal and dual descent precondition, of a step's bilateral rows alone, linearised at
 * q-, and their condition numbers:
 *
 *     primal  M + h^2 J^T K J        (126)
 *     dual    h^2 J M^-1 J^T + E     (127),  E = K^-1 the compliances
 *
 * Macklin et al. 2020, Primal/Dual Descent Methods for Dynamics; in Macklin's thesis section 5.3. */
#ifndef NB_CONDITIONING_H
#define NB_CONDITIONING_H

#include "problems/problem.h"

/* All velocities and rows, or one dimension of them: translations along an axis of the world, and the
 * rows that meet no other velocity. */
enum nb_axis_kept { NB_KEEP_X, NB_KEEP_Y, NB_KEEP_Z, NB_KEEP_ALL };

/* Condition numbers in the 2-norm. Every row that is kept needs a compliance above 0, and there must be
 * some: NB_BAD_INPUT otherwise. */
enum nb_status nb_conditioning(const struct nb_problem *problem, enum nb_axis_kept axis,
                               double *primal, double *dual, struct nb_error *error);

#endif
