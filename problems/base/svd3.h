/* Singular values and eigenvalues of 3x3 matrices in double, row by row, for any finite matrix:
 * regular, reflecting, flat or zero. */
#ifndef NB_SVD3_H
#define NB_SVD3_H

/* F = U diag(s) V^T with rotations U and V (determinant 1) and s_1 >= s_2 >= |s_3|; s_3 has the sign
 * of det F. u, v [9], s [3]; none may overlap f [9]. Small singular values are as accurate as the
 * columns of F allow, since F^T F is never formed. */
void nb_svd3(const double *f, double *u, double *s, double *v);

/* A = V diag(e) V^T of a symmetric matrix [9] (its upper triangle is read), e ascending [3], the
 * columns of v [9] orthonormal. */
void nb_eigen3(const double *a, double *e, double *v);

#endif
