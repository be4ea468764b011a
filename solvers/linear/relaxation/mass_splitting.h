/* Mass splitting: a block diagonal P with x^T A x <= x^T P x, so that Jacobi's iteration with P
 * converges however many contacts a body has (Tonge, Benevolenski and Voroshilov 2012). A body that n
 * contacts touch gives each of them 1/n of its mass:
 *
 *     P_i = A_ii + sum over the nodes of row i of (n - 1) L_i J_in H_n^-1 J_in^T L_i
 *
 * Where the matrix comes without its bodies, or its mass is not in blocks, P is the diagonal matrix of
 * the sums of |A| over each row, which is not below A either (l1 Jacobi: Baker, Falgout, Kolev and
 * Yang 2011). */
#ifndef NB_MASS_SPLITTING_H
#define NB_MASS_SPLITTING_H

#include "solvers/strategy.h"

#define nb_mass_splitting NB(nb_mass_splitting)
#define nb_mass_splitting_apply NB(nb_mass_splitting_apply)
#define nb_mass_splitting_free NB(nb_mass_splitting_free)
#define nb_mass_splitting_setup NB(nb_mass_splitting_setup)
#define nb_mass_splitting_update NB(nb_mass_splitting_update)

struct nb_mass_splitting {
    nb_real *inverse; /* [9 blocks] P_i^-1                                       */
    nb_real *work;    /* [4 n] for the solver                                    */
    void *memory;     /* of both                                                 */
    nb_real low;      /* smallest eigenvalue of P^-1 A by Lanczos, at most 1     */
    int blocks;
};

enum nb_status nb_mass_splitting_setup(void **self, const struct nb_operator *op, struct nb_error *error);
/* P^-1 and low. */
enum nb_status nb_mass_splitting_update(void *self, struct nb_operator *op, struct nb_error *error);
/* z = P^-1 r; context is the struct. */
void nb_mass_splitting_apply(const void *context, const nb_real *r, nb_real *z);
void nb_mass_splitting_free(void *self);

#endif
