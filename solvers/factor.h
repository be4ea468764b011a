/* Factorisation of a symmetric positive definite sparse matrix: CHOLMOD in double, and LAPACKE's
 * dense Cholesky in single, which CHOLMOD of Debian 12 does not have. */
#ifndef NB_FACTOR_H
#define NB_FACTOR_H

#include "problems/problem.h"
#include "solvers/status.h"

/* Largest order that the dense single-precision factorisation accepts. */
#define NB_DENSE_LIMIT 8192

struct nb_factor; /* opaque */

/* Symbolic analysis of a symmetric matrix given by its full pattern (values are ignored);
 * single != 0 chooses the dense single-precision factor. */
enum nb_status nb_factor_create(struct nb_factor **factor, int order, const int *start,
                                const int *column, int single, struct nb_error *error);

/* Where the caller writes the entries of the lower triangle before nb_factor_update: value k of the
 * pattern given to nb_factor_create goes to position index[k] of the returned array, -1 for entries
 * above the diagonal, which are not read. Exactly one of the two arrays is not NULL. */
const int *nb_factor_index(const struct nb_factor *factor);
double *nb_factor_values(struct nb_factor *factor);
float *nb_factor_values_single(struct nb_factor *factor);

/* Numeric factorisation of the written values. NB_BREAKDOWN if not positive definite. */
enum nb_status nb_factor_update(struct nb_factor *factor, struct nb_error *error);

/* x = A^-1 b; x and b may be the same. [order] */
enum nb_status nb_factor_solve(struct nb_factor *factor, const double *b, double *x,
                               struct nb_error *error);
enum nb_status nb_factor_solve_single(struct nb_factor *factor, const float *b, float *x,
                                      struct nb_error *error);

void nb_factor_free(struct nb_factor *factor);

#endif
