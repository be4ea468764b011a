/* Chebyshev polynomial of D^-1 A (Johnson, Micchelli and Paul 1983; Saad 2003, section 12.3.2): `degree`
 * steps of the semi-iteration from zero, over [high / ratio, high] with high from Lanczos. On that interval
 * and below it the polynomial is positive, so that P is positive definite as long as high bounds the
 * spectrum: a fifth is added for that. */
#include "solvers/linear/engine/polynomial.h"

static const struct nb_setting settings[] = {
    NB_DEGREE_SETTING,
    {.name = "ratio", .value = 30, .minimum = 1.1, .maximum = 1e6,
     .meaning = "largest over smallest eigenvalue that the polynomial is made for"},
    {.name = NULL}};

static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    const struct NB(nb_polynomial) *polynomial = self;
    const nb_real high = NB_REAL(1.2) * polynomial->spectrum.high;
    const nb_real low = high / (nb_real)op->precond_setting[1];
    const nb_real middle = (high + low) / 2, half = (high - low) / 2;
    const nb_real *inverse = polynomial->inverse;
    nb_real *product = polynomial->work, *step = product + op->size, sigma = half / middle;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = step[i] = inverse[i] * r[i] / middle;
    for (int k = 1; k <= (int)op->precond_setting[0]; ++k) {
        const nb_real next = 1 / (2 * middle / half - sigma);
        op->strategy->apply(op, z, product);
        for (size_t i = 0; i < op->size; ++i) {
            step[i] = next * sigma * step[i] + 2 * next / half * inverse[i] * (r[i] - product[i]);
            z[i] += step[i];
        }
        sigma = next;
    }
}

const struct NB(nb_precond) NB(nb_precond_chebyshev) = {
    .name = "chebyshev",
    .title = "Chebyshev polynomial",
    .source = "Johnson, Micchelli and Paul 1983; Saad 2003, section 12.3.2",
    .settings = settings,
    .setup = NB(nb_polynomial_setup),
    .update = NB(nb_polynomial_update),
    .apply = apply,
    .free = NB(nb_polynomial_free),
    .products_only = 1,
};
