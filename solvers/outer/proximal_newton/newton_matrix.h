/* The matrix A of a Newton step (nonsmooth_system.h), in 3x3 blocks whose pattern is symmetric, and how A x = b is
 * solved: by an LU factor of A, or by BiCGStab (bicgstab.h) preconditioned by incomplete factors of A without
 * fill, by blocks (block_ilu.h), whose memory stays about that of A.
 *
 * An inexact step leaves r = b - A x, asked to be ||w r|| <= eta ||(F, u)||, where w makes it the energy norm
 * in which the step is judged: it is what the linearised step leaves of the norm (Dembo, Eisenstat and
 * Steihaug 1982; eta: Eisenstat and Walker 1996, in nonsmooth_system.c).
 *
 * By default (auto) BiCGStab tries first where the LU factor is expected to cost more than a
 * hundred of its products, and may spend half of that; where it fails, or its step does not pay, the factor
 * is made, and the next one, two, four ... steps make no attempt. What is expected is counted, never timed, so
 * that the path is always the same. */
#ifndef NB_NEWTON_MATRIX_H
#define NB_NEWTON_MATRIX_H

#include "solvers/block/matrix.h"
#include "solvers/solve.h"

/* In the precision at hand. */
#define nb_newton_matrix NB(nb_newton_matrix)
#define nb_newton_matrix_add_symmetric NB(nb_newton_matrix_add_symmetric)
#define nb_newton_matrix_create NB(nb_newton_matrix_create)
#define nb_newton_matrix_factorise NB(nb_newton_matrix_factorise)
#define nb_newton_matrix_factorise_symmetric NB(nb_newton_matrix_factorise_symmetric)
#define nb_newton_matrix_forget NB(nb_newton_matrix_forget)
#define nb_newton_matrix_free NB(nb_newton_matrix_free)
#define nb_newton_matrix_has_factor NB(nb_newton_matrix_has_factor)
#define nb_newton_matrix_has_symmetric NB(nb_newton_matrix_has_symmetric)
#define nb_newton_matrix_operations NB(nb_newton_matrix_operations)
#define nb_newton_matrix_report_step NB(nb_newton_matrix_report_step)
#define nb_newton_matrix_sign NB(nb_newton_matrix_sign)
#define nb_newton_matrix_solve NB(nb_newton_matrix_solve)
#define nb_newton_matrix_solve_within NB(nb_newton_matrix_solve_within)
#define nb_newton_matrix_values NB(nb_newton_matrix_values)
#define nb_newton_matrix_weights NB(nb_newton_matrix_weights)

/* Symmetric: by Cholesky's factor alone, where the matrix is symmetric for a symmetric B of each contact. */
enum nb_inner_method { NB_INNER_AUTO,
                       NB_INNER_DIRECT,
                       NB_INNER_BICGSTAB,
                       NB_INNER_SYMMETRIC };

struct nb_newton_matrix; /* opaque */

/* For a pattern of compressed scalar columns as in solvers/sparse/sparse_lu.h, whole 3x3 blocks in symmetric
 * places with all on the diagonal; it is copied. NB_UNSUPPORTED where this precision has no LU of that size
 * and one is asked for. Also where this fails *matrix is to be freed. */
enum nb_status nb_newton_matrix_create(struct nb_newton_matrix **matrix, int order, const int *start,
                                       const int *row, enum nb_inner_method method, int threads,
                                       struct nb_error *error);
void nb_newton_matrix_free(struct nb_newton_matrix *matrix);

/* What earlier steps have taught is forgotten, so that each run takes the same path. */
void nb_newton_matrix_forget(struct nb_newton_matrix *matrix);

/* Where the caller writes the values, in the order of the pattern. */
double *nb_newton_matrix_values(struct nb_newton_matrix *matrix);

/* Where the caller writes w > 0 [order] before the matrix is used; NULL where nothing will read it. */
nb_real *nb_newton_matrix_weights(struct nb_newton_matrix *matrix);

/* Operations of a solve of new values, as the ordering tells; without an LU, of as many products as it may
 * take. */
double nb_newton_matrix_operations(const struct nb_newton_matrix *matrix);

/* Of new values, x = A^-1 x in place [order], but for ||w (b - A x)|| <= tolerance where a Krylov method
 * does it. *products: what that took, 0: the factor alone. NB_BREAKDOWN where A is singular or not finite,
 * or more than `most` is left of that norm. */
enum nb_status nb_newton_matrix_solve_within(struct nb_newton_matrix *matrix, nb_real tolerance,
                                             nb_real most, double *x, int *products);

/* Whether the step that was solved so has paid. Where the matrix is nearly singular, as of redundant
 * contacts, what a Krylov method leaves may be small and its step yet far away: one that has not paid
 * counts as a failed attempt. */
void nb_newton_matrix_report_step(struct nb_newton_matrix *matrix, int paid);

/* Whether there is a factor, which the rest needs: of new values; x = A^-1 x in place by the last one; the sign of
 * the determinant of what LU factorised last, 1 or -1. NB_BREAKDOWN where A is singular or not finite. */
int nb_newton_matrix_has_factor(const struct nb_newton_matrix *matrix);
enum nb_status nb_newton_matrix_factorise(struct nb_newton_matrix *matrix);
void nb_newton_matrix_solve(const struct nb_newton_matrix *matrix, double *x);
int nb_newton_matrix_sign(const struct nb_newton_matrix *matrix);

/* Cholesky's factor of the same pattern beside an LU in double that is not tiny (NB_TINY_FACTOR); whether there
 * is one; and of new values, which are symmetric. NB_BREAKDOWN where they are not positive definite. */
enum nb_status nb_newton_matrix_add_symmetric(struct nb_newton_matrix *matrix, const int *start, const int *row,
                                              struct nb_error *error);
int nb_newton_matrix_has_symmetric(const struct nb_newton_matrix *matrix);
enum nb_status nb_newton_matrix_factorise_symmetric(struct nb_newton_matrix *matrix);

#endif
