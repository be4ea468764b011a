/* NCP functions and friction compliances, for every registered function in this precision: against
 * finite differences, against long double near cancellation, and in their limits. */
#include "tests/support/test.h"

#include "solvers/registry.h"
#include "solvers/strategy.h"

#define U ((double)NB_UNIT_ROUNDOFF)

static const struct NB(nb_ncp) *ncp_at(size_t index)
{
    struct nb_registry_row row;
    return NB(nb_slot_row)("ncp", index, &row) ? NB(nb_find_ncp)(row.name) : NULL;
}

static nb_real phi_of(const struct NB(nb_ncp) *ncp, double a, double b, nb_real *da, nb_real *db)
{
    const nb_real x = (nb_real)a, y = (nb_real)b;
    nb_real phi, ignored_a, ignored_b;
    ncp->normal(1, &x, &y, &phi, da ? da : &ignored_a, db ? db : &ignored_b);
    return phi;
}

/* phi = 0 exactly on the complementary half axes, and phi has the sign of min(a, b) off them. */
TEST(test_roots)
{
    const double values[] = {1e-12, 1e-6, 0.3, 1, 7e4};
    for (size_t i = 0; ncp_at(i); ++i)
        for (size_t j = 0; j < 5; ++j) {
            assert_true(phi_of(ncp_at(i), values[j], 0, NULL, NULL) == 0);
            assert_true(phi_of(ncp_at(i), 0, values[j], NULL, NULL) == 0);
            for (size_t k = 0; k < 5; ++k) {
                assert_true(phi_of(ncp_at(i), values[j], values[k], NULL, NULL) > 0);
                assert_true(phi_of(ncp_at(i), -values[j], values[k], NULL, NULL) < 0);
                assert_true(phi_of(ncp_at(i), values[j], -values[k], NULL, NULL) < 0);
            }
        }
}

TEST(test_derivatives_against_differences)
{
    const double points[][2] = {{0.3, 1.1}, {-0.4, 0.7}, {0.9, -0.2}, {-0.6, -0.5}, {2, 0.25},
                                {0.01, 3},  {5, 0.02}};
    const double step = cbrt(3 * U), tolerance = 20 * pow(U, 2.0 / 3);
    for (size_t i = 0; ncp_at(i); ++i)
        for (size_t k = 0; k < sizeof points / sizeof *points; ++k) {
            const double a = points[k][0], b = points[k][1];
            nb_real da, db;
            phi_of(ncp_at(i), a, b, &da, &db);
            const double width_a = (double)(nb_real)(a + step) - (double)(nb_real)(a - step);
            const double width_b = (double)(nb_real)(b + step) - (double)(nb_real)(b - step);
            const double difference_a = ((double)phi_of(ncp_at(i), a + step, b, NULL, NULL) -
                                         (double)phi_of(ncp_at(i), a - step, b, NULL, NULL)) / width_a;
            const double difference_b = ((double)phi_of(ncp_at(i), a, b + step, NULL, NULL) -
                                         (double)phi_of(ncp_at(i), a, b - step, NULL, NULL)) / width_b;
            assert_true(fabs((double)da - difference_a) <= tolerance);
            assert_true(fabs((double)db - difference_b) <= tolerance);
        }
}

/* The plain formulas in long double, with 11 (f64) or 40 (f32) bits to spare, and for f64 the
 * cancelling ones rewritten by the conjugate. */
TEST(test_fischer_burmeister_near_cancellation)
{
    const struct NB(nb_ncp) *fb = NB(nb_find_ncp)("fb");
    for (int e = -12; e <= 12; ++e)
        for (int sign = -1; sign <= 1; sign += 2) {
            const nb_real a = (nb_real)(0.7 * pow(10, e) * sign), b = (nb_real)1.3;
            const long double x = (long double)a, y = (long double)b, s = sqrtl(x * x + y * y);
            const long double phi = x + y > 0 ? 2 * x * y / (x + y + s) : x + y - s;
            const long double alpha = x > 0 ? y * y / (s * (s + x)) : 1 - x / s;
            const long double beta = x * x / (s * (s + y));
            nb_real da, db;
            const nb_real value = phi_of(fb, (double)a, (double)b, &da, &db);
            assert_true(fabsl((long double)value - phi) <= 8 * (long double)U * fabsl(phi));
            assert_true(fabsl((long double)da - alpha) <= 8 * (long double)U * fabsl(alpha));
            assert_true(fabsl((long double)db - beta) <= 8 * (long double)U * fabsl(beta));
        }
}

TEST(test_fischer_burmeister_at_extremes)
{
    const struct NB(nb_ncp) *fb = NB(nb_find_ncp)("fb");
    const double tiny = sizeof(nb_real) == 4 ? 1e-30 : 1e-200, huge = 1 / tiny;
    nb_real da, db;
    assert_true(phi_of(fb, 0, 0, &da, &db) == 0);
    assert_true(da == 0 && db == 1); /* the choice of the paper, (26) and (27) */
    for (int i = 0; i < 4; ++i) {
        const double a = i & 1 ? tiny : huge, b = i & 2 ? tiny : huge;
        const long double x = (nb_real)a, y = (nb_real)b; /* long double has the range to spare */
        const long double expected = 2 * x * y / (x + y + sqrtl(x * x + y * y));
        const long double phi = (long double)phi_of(fb, a, b, &da, &db);
        assert_true(fabsl(phi / expected - 1) < 16 * (long double)U);
        assert_true(isfinite((double)da) && isfinite((double)db));
    }
}

static nb_real compliance_of(const struct NB(nb_ncp) *ncp, double slip, double force, double limit,
                             double r)
{
    const nb_real s = (nb_real)slip, f = (nb_real)force, l = (nb_real)limit, scale = (nb_real)r;
    nb_real w = -1;
    ncp->friction(1, &s, &f, &l, &scale, &w);
    return w;
}

/* Inside the cone without slip Gamma = 0; on the cone with slip D^T u + Gamma lambda_f = 0 needs
 * Gamma = s/|lambda_f|. */
TEST(test_compliance_at_solutions)
{
    const double scales[] = {1e-7, 1e-3, 1, 50};
    for (size_t i = 0; ncp_at(i); ++i)
        for (size_t k = 0; k < 4; ++k) {
            assert_true(compliance_of(ncp_at(i), 0, 0.5, 2, scales[k]) == 0);
            assert_true(compliance_of(ncp_at(i), 0, 0, 2, scales[k]) == 0);
            for (double slip = 1e-9; slip < 1e4; slip *= 31) {
                const double w = (double)compliance_of(ncp_at(i), slip, 2, 2, scales[k]);
                assert_true(fabs(w * 2 / slip - 1) < 32 * U);
            }
        }
}

/* Far outside the cone Gamma must be large, never zero, and always finite (docs/theory/design.md, section 2). */
TEST(test_compliance_outside_the_cone)
{
    for (size_t i = 0; ncp_at(i); ++i)
        for (double force = 2.5; force < 1e6; force *= 7)
            for (double slip = 0; slip < 10; slip = slip * 8 + 1e-3) {
                const double w = (double)compliance_of(ncp_at(i), slip, force, 1, 1);
                assert_true(isfinite(w));
                assert_true(w * force >= slip * (1 - 8 * U) && w > 0);
            }
}

TEST(test_compliance_is_never_negative)
{
    uint32_t seed = 1;
    for (size_t i = 0; ncp_at(i); ++i)
        for (int k = 0; k < 20000; ++k) {
            double v[4];
            for (int j = 0; j < 4; ++j) {
                seed = seed * 1664525u + 1013904223u;
                v[j] = pow(10, (double)(seed >> 8) / (1 << 24) * 12 - 8);
            }
            const nb_real w = compliance_of(ncp_at(i), v[0], v[1], v[2], v[3]);
            assert_true(w >= 0 && isfinite((double)w));
        }
}

/* The printed formula (35) with the scaling's erratum, where nothing cancels. */
TEST(test_compliance_against_the_formula)
{
    const double s = 0.3, force = 0.8, limit = 1.1, r = 0.6;
    const double rho = r * (limit - force);
    const double psi_fb = s + rho - sqrt(s * s + rho * rho), psi_min = s < rho ? s : rho;
    const struct NB(nb_ncp) *fb = NB(nb_find_ncp)("fb"), *min = NB(nb_find_ncp)("min");
    assert_true(fabs((double)compliance_of(fb, s, force, limit, r) -
                     (s - psi_fb) / (force + psi_fb / r)) < 32 * U);
    assert_true(fabs((double)compliance_of(min, s, force, limit, r) -
                     (s - psi_min) / (force + psi_min / r)) < 32 * U);
}
