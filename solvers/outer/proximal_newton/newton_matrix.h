/* The matrix A of a Newton step (nonsmooth_system.h), whose pattern is symmetric, and its factors: LU, and where A is
 * symmetric for some B of the contacts Cholesky's, beside it or alone. */
#ifndef NB_NEWTON_MATRIX_H
#define NB_NEWTON_MATRIX_H

#include "problems/base/status.h"
#include "solvers/precision.h"

/* In the precision at hand. */
#define nb_newton_matrix NB(nb_newton_matrix)
#define nb_newton_matrix_create NB(nb_newton_matrix_create)
#define nb_newton_matrix_factorise NB(nb_newton_matrix_factorise)
#define nb_newton_matrix_factorise_symmetric NB(nb_newton_matrix_factorise_symmetric)
#define nb_newton_matrix_free NB(nb_newton_matrix_free)
#define nb_newton_matrix_has_lu NB(nb_newton_matrix_has_lu)
#define nb_newton_matrix_has_symmetric NB(nb_newton_matrix_has_symmetric)
#define nb_newton_matrix_operations NB(nb_newton_matrix_operations)
#define nb_newton_matrix_sign NB(nb_newton_matrix_sign)
#define nb_newton_matrix_solve NB(nb_newton_matrix_solve)
#define nb_newton_matrix_values NB(nb_newton_matrix_values)

/* Both: Cholesky's factor beside an LU in double that is not tiny (NB_TINY_FACTOR). */
enum nb_newton_factors { NB_FACTORS_LU,
                         NB_FACTORS_BOTH,
                         NB_FACTORS_CHOLESKY };

struct nb_newton_matrix; /* opaque */

/* For a pattern of compressed scalar columns as in solvers/sparse/sparse_lu.h, with the whole diagonal; it is
 * copied. Single precision has LU alone, NB_UNSUPPORTED where it has none of that size. Also where this fails *matrix
 * is to be freed. */
enum nb_status nb_newton_matrix_create(struct nb_newton_matrix **matrix, int order, const int *start, const int *row,
                                       enum nb_newton_factors factors, struct nb_error *error);
void nb_newton_matrix_free(struct nb_newton_matrix *matrix);

/* Where the caller writes the values, in the order of the pattern. */
double *nb_newton_matrix_values(struct nb_newton_matrix *matrix);

/* Operations of a factor and a solve, as the ordering tells. */
double nb_newton_matrix_operations(const struct nb_newton_matrix *matrix);

/* Whether there is an LU factor; and Cholesky's. */
int nb_newton_matrix_has_lu(const struct nb_newton_matrix *matrix);
int nb_newton_matrix_has_symmetric(const struct nb_newton_matrix *matrix);

/* Of new values, by LU where there is one; or, of symmetric values, by Cholesky's factor. NB_BREAKDOWN where A is
 * singular, or not positive definite, or not finite. */
enum nb_status nb_newton_matrix_factorise(struct nb_newton_matrix *matrix);
enum nb_status nb_newton_matrix_factorise_symmetric(struct nb_newton_matrix *matrix);

/* x = A^-1 x in place [order] by the last factor; the sign of the determinant of what LU factorised last, 1 or -1. */
void nb_newton_matrix_solve(const struct nb_newton_matrix *matrix, double *x);
int nb_newton_matrix_sign(const struct nb_newton_matrix *matrix);

#endif
