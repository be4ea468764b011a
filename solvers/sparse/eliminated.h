/* The diagonal of the contacts' Delassus operator with the bilateral rows eliminated: how far a contact's bodies give
 * way to its impulse where their joints and elements hold them. */
#ifndef NB_ELIMINATED_H
#define NB_ELIMINATED_H

#include "problems/base/status.h"
#include "problems/problem.h"

/* diagonal [3 contacts] [1/kg] of
 *
 *     J (K^-1 - K^-1 G (G^T K^-1 G + D)^-1 G^T K^-1) J^T   at q-,
 *
 * K = M + h^2 J_e^T E^-1 J_e with the rows of compliance E > 0 folded into it, elements by their whole tangent, and G^T
 * the rows without. D >= 0 is a millionth of what those rows have alone: it bears redundant rows, and leaves a contact
 * that joints hold wholly a millionth of its own diagonal. Of a local problem [W V; V^T R]: of W - V (R + D)^-1 V^T.
 *
 * NB_UNSUPPORTED where the step cannot be linearised, a compliance being too small to be folded in. */
enum nb_status nb_eliminated_diagonal(const struct nb_problem *problem, double *diagonal, struct nb_error *error);

#endif
