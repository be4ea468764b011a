/* The conical Fischer-Burmeister function in this precision: zero exactly at solved contacts, and its
 * derivatives against differences. */
#include "solvers/contact/soc_fischer_burmeister.h"
#include "solvers/contact/local_contact.h"
#include "tests/support/support.h"

#define U ((double)NB_UNIT_ROUNDOFF)

static double norm3(const nb_real *x)
{
    return sqrt((double)x[0] * (double)x[0] + (double)x[1] * (double)x[1] +
                (double)x[2] * (double)x[2]);
}

/* A solved contact of kind open, sticking or sliding, with its velocity. */
static void solved(uint32_t *seed, nb_real mu, nb_real *impulse, nb_real *velocity)
{
    const nb_real w[9] = {2, NB_REAL(0.3), NB_REAL(0.1), NB_REAL(0.3), 1, NB_REAL(0.2),
                          NB_REAL(0.1), NB_REAL(0.2), NB_REAL(1.5)};
    nb_real q[3];
    for (int k = 0; k < 3; ++k)
        q[k] = (nb_real)(test_uniform(seed) - (k ? 0 : 0.2));
    NB(nb_local_contact)(w, q, mu, 0, impulse);
    for (int r = 0; r < 3; ++r)
        velocity[r] = q[r] + w[3 * r] * impulse[0] + w[3 * r + 1] * impulse[1] +
                      w[3 * r + 2] * impulse[2];
}

/* Near a root Phi is the root of a difference of squares: it sees the square root of rounding. */
TEST(test_roots)
{
    const nb_real frictions[] = {0, NB_REAL(0.3), 1, 3};
    uint32_t seed = 3;
    for (int i = 0; i < 400; ++i) {
        const nb_real mu = frictions[i % 4];
        nb_real impulse[3], velocity[3], phi[3];
        solved(&seed, mu, impulse, velocity);
        nb_soc_fischer_burmeister(impulse, velocity, mu, NB_REAL(0.7), phi, NULL, NULL);
        assert_true(norm3(phi) < 30 * sqrt(U));
        impulse[0] += NB_REAL(0.1);
        velocity[0] += NB_REAL(0.1);
        nb_soc_fischer_burmeister(impulse, velocity, mu, NB_REAL(0.7), phi, NULL, NULL);
        assert_true(norm3(phi) > 1e-3);
    }
}

TEST(test_derivatives)
{
    const nb_real frictions[] = {0, NB_REAL(0.3), 1, 3};
    const double step = cbrt(U);
    uint32_t seed = 11;
    for (int i = 0; i < 400; ++i) {
        const nb_real mu = frictions[i % 4], rho = NB_REAL(0.7);
        nb_real at[6], phi[3], slope[2][9], unwanted[2][9];
        for (int k = 0; k < 6; ++k)
            at[k] = (nb_real)(2 * test_uniform(&seed));
        nb_soc_fischer_burmeister(at, at + 3, mu, rho, phi, slope[0], slope[1]);
        for (int k = 0; k < 6; ++k) {
            nb_real moved[2][3], there[6];
            double found[3];
            for (int s = 0; s < 2; ++s) {
                memcpy(there, at, sizeof there);
                there[k] += (nb_real)(s ? step : -step);
                nb_soc_fischer_burmeister(there, there + 3, mu, rho, moved[s], unwanted[0], unwanted[1]);
            }
            for (int r = 0; r < 3; ++r) {
                found[r] = ((double)moved[1][r] - (double)moved[0][r]) / (2 * step);
                const double own = (double)slope[k / 3][3 * r + k % 3];
                if (!(fabs(found[r] - own) < 2e3 * step * step + 5 * step))
                    fail_msg("mu %g, derivative of row %d by entry %d: %g, by differences %g",
                             (double)mu, r, k, own, found[r]);
            }
        }
    }
}

/* Finite where there is no derivative: at rest without force, and on the same ray. */
TEST(test_degenerate_points)
{
    const nb_real zero[3] = {0, 0, 0}, edge[3] = {1, NB_REAL(0.5), 0};
    nb_real phi[3], slope[2][9];
    for (int k = 0; k < 3; ++k) {
        const nb_real mu = k == 2 ? 0 : NB_REAL(0.5);
        nb_soc_fischer_burmeister(k == 1 ? edge : zero, zero, mu, 1, phi, slope[0], slope[1]);
        assert_true(norm3(phi) < 4 * sqrt(U));
        for (int e = 0; e < 9; ++e)
            assert_true(isfinite(slope[0][e]) && isfinite(slope[1][e]));
    }
}
