/* The judge's own NCP functions and friction compliance against long double, near cancellation and
 * at their limits, and where a force is rounding. */
#include <float.h>

#include "harness/floor/floor_private.h"
#include "tests/support/support.h"

static uint64_t seed;

/* Uniform in [-1, 1), the same every time (Steele et al. 2014). */
static double uniform(void)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not %.17g within %g relative", value, expected, relative);
}

/* phi = b - b^2 / (s + a) for a >= b > 0: another way round the cancellation, in long double. */
TEST(test_fischer_burmeister_near_cancellation)
{
    const struct nb_floor_ncp *fb = nb_floor_find_ncp("fb");
    seed = 21;
    for (int trial = 0; trial < 4000; ++trial) {
        const double a = exp(4 * uniform()), b = a * pow(10, -10 - 10 * uniform());
        const long double s = sqrtl((long double)a * a + (long double)b * b);
        const long double phi = b <= a ? b - (long double)b * b / (s + a)
                                       : a - (long double)a * a / (s + b);
        const long double da = (long double)b * b / (s * (s + a));
        const long double db = (long double)a * a / (s * (s + b));
        double value[3];
        fb->normal(a, b, &value[0], &value[1], &value[2]);
        assert_near(value[0], (double)phi, 8 * DBL_EPSILON);
        assert_near(value[1], (double)da, 8 * DBL_EPSILON);
        assert_near(value[2], (double)db, 8 * DBL_EPSILON);
        fb->normal(-a, b, &value[0], &value[1], &value[2]);
        assert_near(value[0], (double)(b - a - s), 8 * DBL_EPSILON);
        assert_near(value[1], (double)(1 + a / s), 8 * DBL_EPSILON);
        assert_near(value[2], (double)((long double)a * a / (s * (s + b))), 8 * DBL_EPSILON);
    }
}

/* Where phi is smooth its derivatives are those of differences, and phi = alpha a + beta b. */
TEST(test_derivatives)
{
    static const char *const names[2] = {"fb", "min"};
    seed = 22;
    for (int trial = 0; trial < 2000; ++trial) {
        const struct nb_floor_ncp *ncp = nb_floor_find_ncp(names[trial % 2]);
        const double a = uniform(), b = uniform(), e = 1e-6;
        double phi, da, db, up, down, unused[2];
        if (fabs(a - b) < 1e-3 || hypot(a, b) < 1e-2)
            continue;
        ncp->normal(a, b, &phi, &da, &db);
        assert_true(fabs(phi - da * a - db * b) < 1e-15);
        ncp->normal(a + e, b, &up, &unused[0], &unused[1]);
        ncp->normal(a - e, b, &down, &unused[0], &unused[1]);
        assert_true(fabs((up - down) / (2 * e) - da) < 1e-7);
        ncp->normal(a, b + e, &up, &unused[0], &unused[1]);
        ncp->normal(a, b - e, &down, &unused[0], &unused[1]);
        assert_true(fabs((up - down) / (2 * e) - db) < 1e-7);
    }
    double phi, da, db;
    nb_floor_find_ncp("fb")->normal(0, 0, &phi, &da, &db);
    assert_true(phi == 0 && da == 0 && db == 1);
    nb_floor_find_ncp("min")->normal(0, 0, &phi, &da, &db);
    assert_true(phi == 0 && da == 1 && db == 0);
    assert_null(nb_floor_find_ncp("smooth"));
}

/* Gamma from its definition (35) in long double, and its limits. */
TEST(test_friction_compliance)
{
    static const char *const names[2] = {"fb", "min"};
    for (int k = 0; k < 2; ++k) {
        const struct nb_floor_ncp *ncp = nb_floor_find_ncp(names[k]);
        seed = 23;
        for (int trial = 0; trial < 2000; ++trial) {
            const double slip = 1 + 0.9 * uniform(), limit = 2 + uniform(), r = 2 + uniform();
            const double force = limit * (1 + 0.2 * uniform());
            const long double rho = (long double)r * ((long double)limit - force);
            const long double psi = k ? fminl(slip, rho)
                                      : slip + rho - sqrtl((long double)slip * slip + rho * rho);
            const long double w = (slip - psi) / (force + psi / r);
            assert_near(ncp->friction(slip, force, limit, r), (double)w, 1e-13);
        }
        assert_true(ncp->friction(0, 1, 2, 1) == 0);            /* sticks              */
        assert_true(ncp->friction(0, 0, 2, 1) == 0);            /* at zero             */
        assert_near(ncp->friction(3, 2, 2, 1), 1.5, 1e-15);     /* slips at the cone   */
        assert_true(ncp->friction(0, 5, 2, 1) > 1);             /* outside: compliant  */
        const double far = ncp->friction(1e-3, 1e6, 1, 1);      /* far outside         */
        assert_true(isfinite(far) && far > 1e3);
    }
}

/* A box that slides without weight touches without force: Gamma = 1 is the largest entry, 1/h. The smallest force
 * in the place of that zero must not make it |D^T u|/(mu lambda_n), 1e15 of that where the force is rounding.
 * So for both forms of the step. */
TEST(test_grazing_contact)
{
    static const char *const settings[] = {"gravity=0", NULL};
    static const char *const names[] = {"fb", "min"};
    static const double forces[] = {0, 1e-12, 1e-5};
    double lambda[12] = {0};
    struct nb_problem problem[2];
    struct nb_floor_reference r;
    test_scene(&problem[0], "sliding_box", settings);
    assert_int_equal(nb_problem_linearize(&problem[0], &problem[1], NULL), NB_OK);
    for (int k = 0; k < 12; ++k) {
        const struct nb_problem *at = &problem[k / 6];
        struct nb_options options = nb_options_default();
        options.ncp = names[k % 2];
        assert_int_equal(nb_problem_multipliers(at), 12);
        lambda[0] = forces[k / 2 % 3];
        lambda[1] = lambda[0] * problem[0].contacts.friction[0];
        assert_int_equal(nb_floor_reference_compute(at, &options, problem[0].free_velocity, lambda, &r, NULL),
                         NB_OK);
        assert_near(r.matrix_norm, 1 / at->time_step, 1e-5);
    }
    nb_problem_free(&problem[0]);
    nb_problem_free(&problem[1]);
}
