/* The extreme eigenvalues of P^-1 A from a few Lanczos steps, as the coefficients of conjugate gradients
 * give them (Saad 2003, section 6.7.3), from a fixed start. */
#ifndef NB_LANCZOS_H
#define NB_LANCZOS_H

#include "solvers/strategy.h"

#define nb_lanczos NB(nb_lanczos)
#define nb_lanczos_diagonal NB(nb_lanczos_diagonal)
#define nb_lanczos_precond NB(nb_lanczos_precond)
#define nb_spectrum NB(nb_spectrum)

enum { NB_LANCZOS_STEPS = 24 }; /* at most */

struct nb_spectrum {
    nb_real low;  /* smallest Ritz value: not below the smallest eigenvalue                     */
    nb_real high; /* largest Ritz value plus its residual: in practice not below the largest one */
    int products; /* with A                                                                     */
};

/* z = P^-1 r; context as given. */
typedef void nb_lanczos_precond(const void *context, const nb_real *r, nb_real *z);

/* work [4 n]. Both bounds are 1 where no step is possible. */
struct nb_spectrum nb_lanczos(const struct nb_operator *op, nb_lanczos_precond *precond, const void *context,
                              int steps, nb_real *work);

/* With P = diag A. work [4 n]. */
struct nb_spectrum nb_lanczos_diagonal(const struct nb_operator *op, int steps, nb_real *work);

#endif
