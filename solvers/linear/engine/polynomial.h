/* Polynomial preconditioners z = p(D^-1 A) D^-1 r, D = diag A: only products, in any operator form. */
#ifndef NB_POLYNOMIAL_H
#define NB_POLYNOMIAL_H

#include "solvers/linear/engine/lanczos.h"
#include "solvers/strategy.h"

struct NB(nb_polynomial) {
    struct NB(nb_spectrum) spectrum; /* of D^-1 A, by Lanczos */
    nb_real *inverse;                /* [n] D^-1              */
    nb_real *work;                   /* [4 n]                 */
};

enum nb_status NB(nb_polynomial_setup)(void **self, const struct NB(nb_operator) *op,
                                       struct nb_error *error);
enum nb_status NB(nb_polynomial_update)(void *self, const struct NB(nb_operator) *op,
                                        struct nb_error *error);
void NB(nb_polynomial_free)(void *self);

/* The row of the table of settings, the first one. */
#define NB_DEGREE_SETTING                                                    \
    {.name = "degree", .value = 4, .minimum = 1, .maximum = 64, .whole = 1,  \
     .meaning = "products with the matrix in one application"}

#endif
