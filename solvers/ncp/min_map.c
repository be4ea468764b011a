/* Minimum map (Macklin et al. 2019, 18 to 22 and appendix A): phi(a, b) = min(a, b), active where
 * a <= b; Gamma = 0 inside the cone, else (s - rho) / (mu lambda_n). */
#include "solvers/contact/minimum_contact.h"
#include "solvers/strategy.h"

static void normal(size_t n, const nb_real *a, const nb_real *b, nb_real *phi, nb_real *dphi_da,
                   nb_real *dphi_db)
{
    for (size_t i = 0; i < n; ++i)
        nb_minimum_normal(a[i], b[i], phi + i, dphi_da + i, dphi_db + i);
}

static void friction(size_t n, const nb_real *slip, const nb_real *force, const nb_real *limit,
                     const nb_real *r, nb_real *compliance)
{
    for (size_t i = 0; i < n; ++i)
        compliance[i] = nb_minimum_friction(slip[i], force[i], limit[i], r[i]);
}

const struct nb_ncp NB(nb_ncp_min_map) = {
    .name = "min",
    .title = "minimum map",
    .source = "Macklin et al. 2019, equation 18",
    .normal = normal,
    .friction = friction,
};
