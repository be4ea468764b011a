/* Sparse factorisation of an assembled operator, its symbolic analysis reused over the Newton iterations
 * (solvers/sparse/factor.h). */
#ifndef NB_SPARSE_DIRECT_H
#define NB_SPARSE_DIRECT_H

#include "solvers/sparse/factor.h"
#include "solvers/strategy.h"

#define nb_sparse_direct_free NB(nb_sparse_direct_free)
#define nb_sparse_direct_setup NB(nb_sparse_direct_setup)
#define nb_sparse_direct_solve NB(nb_sparse_direct_solve)
#define nb_sparse_direct_update NB(nb_sparse_direct_update)

/* ldl: L D L^T instead of L L^T, not in single precision, where the factor is dense. name is the solver's. */
enum nb_status nb_sparse_direct_setup(void **self, const struct nb_operator *op, int ldl, const char *name,
                                      struct nb_error *error);
enum nb_status nb_sparse_direct_update(void *self, struct nb_operator *op, struct nb_error *error);
struct nb_linear_report nb_sparse_direct_solve(void *self, const struct nb_linear_task *task);
void nb_sparse_direct_free(void *self);

#endif
