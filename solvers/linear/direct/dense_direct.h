/* Dense factorisation of an assembled operator by LAPACK, in the state's precision. */
#ifndef NB_DENSE_DIRECT_H
#define NB_DENSE_DIRECT_H

#include "solvers/strategy.h"

#define nb_dense_direct_free NB(nb_dense_direct_free)
#define nb_dense_direct_setup NB(nb_dense_direct_setup)
#define nb_dense_direct_solve NB(nb_dense_direct_solve)
#define nb_dense_direct_update NB(nb_dense_direct_update)

/* pivoted: L D L^T with Bunch and Kaufman's pivots instead of Cholesky. name is the solver's. */
enum nb_status nb_dense_direct_setup(void **self, const struct nb_operator *op, int pivoted,
                                     const char *name, struct nb_error *error);
enum nb_status nb_dense_direct_update(void *self, struct nb_operator *op, struct nb_error *error);
struct nb_linear_report nb_dense_direct_solve(void *self, const struct nb_linear_task *task);
void nb_dense_direct_free(void *self);

#endif
