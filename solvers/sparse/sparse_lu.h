/* LU factorisation of a square sparse matrix without symmetry: in double KLU, its ordering reused
 * (Davis and Palamadai Natarajan 2010), or UMFPACK where much is to be done (Davis 2004); in single,
 * which neither has, LAPACKE's dense LU. */
#ifndef NB_SPARSE_LU_H
#define NB_SPARSE_LU_H

#include "problems/base/status.h"

struct nb_sparse_lu; /* opaque */

/* Orders a pattern of compressed columns: start [order + 1], row [start[order]] ascending in each
 * column. single != 0 chooses the dense single-precision factor, up to NB_DENSE_LIMIT rows
 * (solvers/sparse/factor.h). The pattern is copied. */
enum nb_status nb_sparse_lu_create(struct nb_sparse_lu **lu, int order, const int *start,
                                   const int *row, int single, struct nb_error *error);

/* Multiplications and additions of a factorisation and two solves, as the ordering tells; of UMFPACK as
 * many as KLU does in the same time. */
double nb_sparse_lu_operations(const struct nb_sparse_lu *lu);

/* Where the caller writes the values, in the order of the pattern, before each factorisation. */
double *nb_sparse_lu_values(struct nb_sparse_lu *lu);

/* Factorises the values. NB_BREAKDOWN where they are singular or not finite. */
enum nb_status nb_sparse_lu_update(struct nb_sparse_lu *lu, struct nb_error *error);

/* x = A^-1 x in place [order]; call it only after a successful update. */
void nb_sparse_lu_solve(struct nb_sparse_lu *lu, double *x);

/* Frees the last factor; an update makes the next one. */
void nb_sparse_lu_forget(struct nb_sparse_lu *lu);

/* The sign of the determinant of what was factorised last, in double: 1 or -1. */
int nb_sparse_lu_sign(const struct nb_sparse_lu *lu);

void nb_sparse_lu_free(struct nb_sparse_lu *lu);

#endif
