/* Dense factorisation of an assembled operator by LAPACK, in the state's precision. */
#ifndef NB_DENSE_DIRECT_H
#define NB_DENSE_DIRECT_H

#include "solvers/strategy.h"

/* pivoted: L D L^T with Bunch and Kaufman's pivots instead of Cholesky. name is the solver's. */
enum nb_status NB(nb_dense_direct_setup)(void **self, const struct NB(nb_operator) *op, int pivoted,
                                         const char *name, struct nb_error *error);
enum nb_status NB(nb_dense_direct_update)(void *self, struct NB(nb_operator) *op,
                                          struct nb_error *error);
struct nb_linear_report NB(nb_dense_direct_solve)(void *self, const struct NB(nb_linear_task) *task);
void NB(nb_dense_direct_free)(void *self);

#endif
