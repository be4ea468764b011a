/* Neumann polynomial (Dubois, Greenbaum and Rodrigue 1979; Saad 2003, section 12.3.1):
 *
 *     P^-1 = omega sum_{k <= degree} (1 - omega D^-1 A)^k D^-1,  omega = 1 / lambda_max(D^-1 A)
 *
 * With this omega every power is positive semidefinite, and P^-1 positive definite. */
#include "solvers/linear/engine/polynomial.h"

static const struct nb_setting settings[] = {NB_DEGREE_SETTING, {.name = NULL}};

/* z_{k+1} = z_k + omega D^-1 (r - A z_k) adds one power each time. */
static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    const struct NB(nb_polynomial) *polynomial = self;
    const nb_real omega = 1 / polynomial->spectrum.high, *inverse = polynomial->inverse;
    nb_real *product = polynomial->work;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = omega * inverse[i] * r[i];
    for (int k = 0; k < (int)op->precond_setting[0]; ++k) {
        op->strategy->apply(op, z, product);
        for (size_t i = 0; i < op->size; ++i)
            z[i] += omega * inverse[i] * (r[i] - product[i]);
    }
}

const struct NB(nb_precond) NB(nb_precond_neumann) = {
    .name = "neumann",
    .title = "Neumann polynomial",
    .source = "Dubois, Greenbaum and Rodrigue 1979; Saad 2003, section 12.3.1",
    .settings = settings,
    .setup = NB(nb_polynomial_setup),
    .update = NB(nb_polynomial_update),
    .apply = apply,
    .free = NB(nb_polynomial_free),
    .products_only = 1,
};
