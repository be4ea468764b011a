/* Fischer-Burmeister function (Fischer 1992; Macklin et al. 2019, 23 to 27):
 *
 *     phi(a, b) = a + b - sqrt(a^2 + b^2)
 *
 * For a + b > 0 the plain form cancels; 2 a b / (a + b + sqrt(a^2 + b^2)) does not
 * (docs/theory/design.md, section 2). Derivatives 1 - a/s and 1 - b/s with s = sqrt(a^2 + b^2) are treated
 * likewise. */
#include "solvers/contact/fischer_contact.h"
#include "solvers/strategy.h"

static void normal(size_t n, const nb_real *a, const nb_real *b, nb_real *phi, nb_real *dphi_da,
                   nb_real *dphi_db)
{
    for (size_t i = 0; i < n; ++i)
        nb_fischer_normal(a[i], b[i], phi + i, dphi_da + i, dphi_db + i);
}

static void friction(size_t n, const nb_real *slip, const nb_real *force, const nb_real *limit,
                     const nb_real *r, nb_real *compliance)
{
    for (size_t i = 0; i < n; ++i)
        compliance[i] = nb_fischer_friction(slip[i], force[i], limit[i], r[i]);
}

const struct nb_ncp NB(nb_ncp_fischer_burmeister) = {
    .name = "fb",
    .title = "Fischer-Burmeister",
    .source = "Fischer 1992; Macklin et al. 2019, equation 23",
    .normal = normal,
    .friction = friction,
};
