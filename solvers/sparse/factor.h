/* Factorisation of a symmetric positive definite sparse matrix: CHOLMOD in double, and LAPACKE's
 * dense Cholesky in single, which CHOLMOD of Debian 12 does not have. */
#ifndef NB_FACTOR_H
#define NB_FACTOR_H

#include <stddef.h>

#include "problems/base/status.h"
#include "problems/problem.h"

/* Largest order that the dense single-precision factorisation accepts. */
#define NB_DENSE_LIMIT 8192

struct nb_factor; /* opaque */

/* What is factorised how: in double by CHOLMOD, L L^T, or L D L^T without pivoting, which indefinite matrices pass; in
 * single densely. A factor that is often updated is worth a search for its ordering: by minimum degree and by nested
 * dissection (METIS), the one with fewer operations. */
enum nb_factor_kind { NB_FACTOR_CHOLESKY,
                      NB_FACTOR_SINGLE,
                      NB_FACTOR_LDLT,
                      NB_FACTOR_OFTEN };

/* Symbolic analysis of a symmetric matrix given by its full pattern (values are ignored). */
enum nb_status nb_factor_create(struct nb_factor **factor, int order, const int *start, const int *column,
                                enum nb_factor_kind kind, struct nb_error *error);

/* Where the caller writes the entries of the lower triangle before nb_factor_update: value k of the
 * pattern given to nb_factor_create goes to position index[k] of the returned array, -1 for entries
 * above the diagonal, which are not read. Exactly one of the two arrays is not NULL. */
const int *nb_factor_index(const struct nb_factor *factor);
double *nb_factor_values(struct nb_factor *factor);
float *nb_factor_values_single(struct nb_factor *factor);

/* Numeric factorisation of the written values. NB_BREAKDOWN if not positive definite. */
enum nb_status nb_factor_update(struct nb_factor *factor, struct nb_error *error);

/* Frees the numbers of the last factor in double, not its ordering; an update makes new ones. */
void nb_factor_forget(struct nb_factor *factor);

/* x = A^-1 b; x and b may be the same. [order] */
enum nb_status nb_factor_solve(struct nb_factor *factor, const double *b, double *x,
                               struct nb_error *error);
enum nb_status nb_factor_solve_single(struct nb_factor *factor, const float *b, float *x,
                                      struct nb_error *error);

/* Of the triangular factor, as analysed: half of the multiplications of a solve; and of an update. */
size_t nb_factor_entries(const struct nb_factor *factor);
double nb_factor_operations(const struct nb_factor *factor);

void nb_factor_free(struct nb_factor *factor);

#endif
