/* Fischer-Burmeister function (Fischer 1992; Macklin et al. 2019, 23 to 27):
 *
 *     phi(a, b) = a + b - sqrt(a^2 + b^2)
 *
 * For a + b > 0 the plain form cancels; 2 a b / (a + b + sqrt(a^2 + b^2)) does not (design
 * section 2). Derivatives 1 - a/s and 1 - b/s with s = sqrt(a^2 + b^2) are treated likewise. */
#include "solvers/strategy.h"

/* sqrt(a^2 + b^2) without overflow or underflow of the squares. */
static inline nb_real length(nb_real a, nb_real b)
{
    const nb_real x = nb_abs(a), y = nb_abs(b);
    const nb_real large = nb_max(x, y), small = nb_min(x, y);
    if (!(large > 0))
        return large; /* zero, or NaN */
    const nb_real ratio = small / large;
    return large * nb_sqrt(1 + ratio * ratio);
}

static inline nb_real value(nb_real a, nb_real b, nb_real s)
{
    /* The larger is divided first: neither a b nor the quotient can then under- or overflow. */
    return a + b > 0 ? 2 * nb_min(a, b) * (nb_max(a, b) / (a + b + s)) : a + b - s;
}

/* 1 - a/s = b^2 / (s (s + a)) */
static inline nb_real derivative(nb_real a, nb_real b, nb_real s)
{
    return a > 0 ? (b / s) * (b / (s + a)) : 1 - a / s;
}

static void normal(size_t n, const nb_real *a, const nb_real *b, nb_real *phi, nb_real *dphi_da,
                   nb_real *dphi_db)
{
    for (size_t i = 0; i < n; ++i) {
        const nb_real s = length(a[i], b[i]);
        phi[i] = value(a[i], b[i], s);
        dphi_da[i] = s == 0 ? 0 : derivative(a[i], b[i], s); /* the paper's choice at the kink */
        dphi_db[i] = s == 0 ? 1 : derivative(b[i], a[i], s);
    }
}

/* W = (s - psi) / (|lambda_f| + psi / r), psi = phi(s, rho), rho = r (mu lambda_n - |lambda_f|).
 * The numerator is sqrt(s^2 + rho^2) - rho. Far outside the cone the denominator reaches zero or
 * less; W must be large there, never zero. The floor, the root of the unit round-off times its terms,
 * makes W/h about 1e8 (f64) times the diagonal of the Schur matrix: large enough to return lambda_f to
 * zero in one full step, and small enough to leave half of the digits to the rest of the system. */
static void friction(size_t n, const nb_real *slip, const nb_real *force, const nb_real *limit,
                     const nb_real *r, nb_real *compliance)
{
    const nb_real tiny = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF));
    for (size_t i = 0; i < n; ++i) {
        const nb_real s = slip[i], rho = r[i] * (limit[i] - force[i]);
        const nb_real l = length(s, rho);
        const nb_real numerator = rho > 0 ? s * (s / (l + rho)) : l - rho;
        const nb_real denominator = force[i] + value(s, rho, l) / r[i];
        const nb_real least = tiny * (force[i] + limit[i]);
        compliance[i] = numerator / nb_max(denominator, least);
    }
}

const struct NB(nb_ncp) NB(nb_ncp_fischer_burmeister) = {
    .name = "fb",
    .title = "Fischer-Burmeister",
    .source = "Fischer 1992; Macklin et al. 2019, equation 23",
    .normal = normal,
    .friction = friction,
};
