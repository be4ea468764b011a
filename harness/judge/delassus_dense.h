/* The Delassus matrix of a step's contacts, dense: A = J M^-1 J^T of the linearised step (A_ncp
 * of Silcowitz, Niebe and Erleben 2009, equation 11), or W of a local problem. */
#ifndef NB_DELASSUS_DENSE_H
#define NB_DELASSUS_DENSE_H

#include "problems/problem.h"

/* Rows that are formed densely, at most. */
enum { NB_DELASSUS_DENSE_LIMIT = 6000 };

/* *matrix [*rows square], row-major, symmetric [1/kg]; the caller frees it. NB_UNSUPPORTED with
 * the sizes where the step is too large. */
enum nb_status nb_delassus_dense(const struct nb_problem *problem, double **matrix, int *rows,
                                 struct nb_error *error);

/* values [rows] = the eigenvalues, ascending; matrix is overwritten. */
enum nb_status nb_eigenvalues(double *matrix, int rows, double *values, struct nb_error *error);

#endif
