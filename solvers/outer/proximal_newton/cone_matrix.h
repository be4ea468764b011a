/* The matrix A of a Newton step (cone.h), in 3x3 blocks whose pattern is symmetric, and how A x = b is
 * solved: by an LU factor of A, or by BiCGStab (bicgstab.h) preconditioned by incomplete factors of A without
 * fill, by blocks (block_ilu.h), whose memory stays about that of A.
 *
 * An inexact step leaves r = b - A x, asked to be ||w r|| <= eta ||(F, u)||, where w makes it the energy norm
 * in which the step is judged: it is what the linearised step leaves of the norm (Dembo, Eisenstat and
 * Steihaug 1982; eta: Eisenstat and Walker 1996, in cone.c).
 *
 * By default (auto) BiCGStab tries first where the LU factor is expected to cost more than a
 * hundred of its products, and may spend half of that; where it fails, or its step does not pay, the factor
 * is made, and the next one, two, four ... steps make no attempt. What is expected is counted, never timed, so
 * that the path is always the same. */
#ifndef NB_CONE_MATRIX_H
#define NB_CONE_MATRIX_H

#include "solvers/block/matrix.h"
#include "solvers/solve.h"

enum nb_inner_method { NB_INNER_AUTO, NB_INNER_DIRECT, NB_INNER_BICGSTAB };

struct NB(nb_cone_matrix); /* opaque */

/* For a pattern of compressed scalar columns as in solvers/sparse/sparse_lu.h, whole 3x3 blocks in symmetric
 * places with all on the diagonal; it is copied. NB_UNSUPPORTED where this precision has no LU of that size
 * and one is asked for. Also where this fails *matrix is to be freed. */
enum nb_status NB(nb_cone_matrix_create)(struct NB(nb_cone_matrix) **matrix, int order, const int *start,
                                         const int *row, enum nb_inner_method method, int threads,
                                         struct nb_error *error);
void NB(nb_cone_matrix_free)(struct NB(nb_cone_matrix) *matrix);

/* What earlier steps have taught is forgotten, so that each run takes the same path. */
void NB(nb_cone_matrix_forget)(struct NB(nb_cone_matrix) *matrix);

/* Where the caller writes the values, in the order of the pattern. */
double *NB(nb_cone_matrix_values)(struct NB(nb_cone_matrix) *matrix);

/* Where the caller writes w > 0 [order] before the matrix is used; NULL where nothing will read it. */
nb_real *NB(nb_cone_matrix_weights)(struct NB(nb_cone_matrix) *matrix);

/* Operations of a solve of new values, as the ordering tells; without an LU, of as many products as it may
 * take. */
double NB(nb_cone_matrix_operations)(const struct NB(nb_cone_matrix) *matrix);

/* Of new values, x = A^-1 x in place [order], but for ||w (b - A x)|| <= tolerance where a Krylov method
 * does it. *products: what that took, 0: the factor alone. NB_BREAKDOWN where A is singular or not finite,
 * or more than `most` is left of that norm. */
enum nb_status NB(nb_cone_matrix_solve_within)(struct NB(nb_cone_matrix) *matrix, nb_real tolerance,
                                               nb_real most, double *x, int *products);

/* Whether the step that was solved so has paid. Where the matrix is nearly singular, as of redundant
 * contacts, what a Krylov method leaves may be small and its step yet far away: one that has not paid
 * counts as a failed attempt. */
void NB(nb_cone_matrix_judge)(struct NB(nb_cone_matrix) *matrix, int paid);

/* Whether there is an LU factor, which the rest needs: of new values; x = A^-1 x in place; the sign of the
 * determinant of what was factorised last, 1 or -1. NB_BREAKDOWN where A is singular or not finite. */
int NB(nb_cone_matrix_has_factor)(const struct NB(nb_cone_matrix) *matrix);
enum nb_status NB(nb_cone_matrix_factorise)(struct NB(nb_cone_matrix) *matrix);
void NB(nb_cone_matrix_solve)(const struct NB(nb_cone_matrix) *matrix, double *x);
int NB(nb_cone_matrix_sign)(const struct NB(nb_cone_matrix) *matrix);

#endif
