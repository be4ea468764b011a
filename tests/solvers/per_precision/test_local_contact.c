/* One contact's exact solution in this precision: Signorini's condition and Coulomb's law hold, judged in
 * double, for random W down to near singularity and friction from none to far beyond 1; for singular and
 * unsymmetric W; and known ones. */
#include "solvers/contact/local_contact.h"
#include "solvers/contact/precomputed_contact.h"
#include "tests/support/support.h"

#define U ((double)NB_UNIT_ROUNDOFF)

/* W = B B^T + floor, of size about 1. */
static void random_block(uint32_t *seed, double floor, nb_real *w)
{
    double b[9];
    for (int i = 0; i < 9; ++i)
        b[i] = test_uniform(seed);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = i == j ? floor : 0;
            for (int k = 0; k < 3; ++k)
                sum += b[3 * i + k] * b[3 * j + k];
            w[3 * i + j] = w[3 * j + i] = (nb_real)sum;
        }
}

/* The largest violation of the laws, velocities over |q|, impulses over |r|. */
static double violation(const nb_real *w, const nb_real *q, double mu, const nb_real *r)
{
    double u[3], scale = 0, size = hypot((double)r[0], hypot((double)r[1], (double)r[2]));
    for (int i = 0; i < 3; ++i) {
        u[i] = (double)q[i];
        for (int k = 0; k < 3; ++k) {
            u[i] += (double)w[3 * i + k] * (double)r[k];
            scale = fmax(scale, fabs((double)w[3 * i + k] * (double)r[k]));
        }
        scale = fmax(scale, fabs((double)q[i]));
    }
    const double slip = hypot(u[1], u[2]) / scale;
    const double force = hypot((double)r[1], (double)r[2]);
    double worst = fmax(0, -u[0] / scale);
    if (size > 0) {
        worst = fmax(worst, fmax(-(double)r[0], force - mu * (double)r[0]) / size);
        worst = fmax(worst, fabs(u[0]) / scale * ((double)r[0] / size));
        worst = fmax(worst, slip * fabs(mu * (double)r[0] - force) / size);
        worst = fmax(worst, (slip * force + (u[1] * (double)r[1] + u[2] * (double)r[2]) / scale) /
                                size);
    }
    return worst;
}

TEST(test_random_contacts)
{
    const double frictions[] = {0, 0.01, 0.3, 1, 5, 100}, floors[] = {1, 1e-2, 1e-4};
    uint32_t seed = 7;
    int kinds[3] = {0, 0, 0};
    for (int i = 0; i < 3000; ++i) {
        const double mu = frictions[i % 6], floor = floors[i / 6 % 3];
        nb_real w[9], q[3], r[3];
        random_block(&seed, floor, w);
        for (int k = 0; k < 3; ++k)
            q[k] = (nb_real)(test_uniform(&seed) - (k ? 0 : 0.2));
        NB(nb_local_contact)(w, q, (nb_real)mu, 0, r);
        const double found = violation(w, q, mu, r);
        if (!(found < 200 * U * (1 + mu) / floor))
            fail_msg("case %d, mu %g, floor %g: violation %g", i, mu, floor, found);
        const double force = hypot((double)r[1], (double)r[2]);
        kinds[!(r[0] > 0) ? 0 : force < 0.999 * mu * (double)r[0] ? 1 : 2]++;
    }
    for (int k = 0; k < 3; ++k) /* open, sticking, sliding: all occur */
        assert_true(kinds[k] > 100);
}

/* W = B B^T of rank 1 or 2, stored row by row with the round-off of its products. */
static void singular_block(uint32_t *seed, int rank, nb_real *w)
{
    nb_real b[6];
    for (int i = 0; i < 6; ++i)
        b[i] = (nb_real)test_uniform(seed);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            w[3 * i + j] = 0;
            for (int k = 0; k < rank; ++k)
                w[3 * i + j] += b[3 * k + i] * b[3 * k + j];
        }
}

/* Where friction cannot lock the normal force by itself, mu |W_nT| < W_nn, a solution exists. */
TEST(test_singular_contacts)
{
    uint32_t seed = 11;
    int kinds[3] = {0, 0, 0};
    for (int i = 0; i < 3000; ++i) {
        const double mu = 0.1 + 0.2 * (i / 2 % 3);
        nb_real w[9], q[3], r[3], x[3];
        singular_block(&seed, 1 + i % 2, w);
        for (int k = 0; k < 3; ++k)
            x[k] = (nb_real)(test_uniform(&seed) - (k ? 0 : 0.5));
        for (int k = 0; k < 3; ++k) /* a third of the q in the range of W, where it may stick */
            q[k] = i % 3 ? x[k] : w[3 * k] * x[0] + w[3 * k + 1] * x[1] + w[3 * k + 2] * x[2];
        if (mu * hypot((double)w[1], (double)w[2]) > 0.8 * (double)w[0])
            continue;
        NB(nb_local_contact)(w, q, (nb_real)mu, 0, r);
        const double found = violation(w, q, mu, r);
        if (!(found < 400 * U))
            fail_msg("case %d, rank %d, mu %g: violation %g", i, 1 + i % 2, mu, found);
        const double force = hypot((double)r[1], (double)r[2]);
        kinds[!(r[0] > 0) ? 0 : force < 0.999 * mu * (double)r[0] ? 1 : 2]++;
    }
    for (int k = 0; k < 3; ++k)
        assert_true(kinds[k] > 30);
}

/* q = -W p with p in the cone sticks, however much of its friction locks the normal force. */
TEST(test_singular_contacts_that_stick)
{
    uint32_t seed = 19;
    for (int i = 0; i < 3000; ++i) {
        const double mu = 0.1 + 0.5 * (i / 2 % 5), angle = 6.3 * test_uniform(&seed);
        const double share = mu * (0.5 + 0.499 * test_uniform(&seed));
        const nb_real p[3] = {1, (nb_real)(share * cos(angle)), (nb_real)(share * sin(angle))};
        nb_real w[9], q[3], r[3];
        singular_block(&seed, 1 + i % 2, w);
        for (int k = 0; k < 3; ++k)
            q[k] = -(w[3 * k] * p[0] + w[3 * k + 1] * p[1] + w[3 * k + 2] * p[2]);
        NB(nb_local_contact)(w, q, (nb_real)mu, 0, r);
        const double found = violation(w, q, mu, r);
        if (!(found < 400 * U))
            fail_msg("case %d, rank %d, mu %g: violation %g", i, 1 + i % 2, mu, found);
    }
}

/* The W of files need not be symmetric. */
TEST(test_unsymmetric_contacts)
{
    uint32_t seed = 13;
    for (int i = 0; i < 2000; ++i) {
        const double mu = 0.1 + 0.3 * (i % 3);
        nb_real w[9], q[3], r[3];
        random_block(&seed, 0.1, w);
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < k; ++j) {
                const nb_real skew = (nb_real)(0.05 * test_uniform(&seed));
                w[3 * k + j] += skew;
                w[3 * j + k] -= skew;
            }
            q[k] = (nb_real)(test_uniform(&seed) - (k ? 0 : 0.2));
        }
        NB(nb_local_contact)(w, q, (nb_real)mu, 0, r);
        const double found = violation(w, q, mu, r);
        if (!(found < 4000 * U))
            fail_msg("case %d, mu %g: violation %g", i, mu, found);
    }
}

/* Visited again and again with a q that moves at first, and from any start, a prepared contact ends where
 * the laws hold. */
TEST(test_precomputed_contacts)
{
    uint32_t seed = 17;
    int slides = 0;
    for (int i = 0; i < 3000; ++i) {
        const double mu = i % 7 ? 0.1 + 0.3 * (i % 5) : 0, floor = i % 2 ? 1 : 1e-2;
        struct NB(nb_precomputed_contact) contact;
        nb_real w[9], last[3], q[3], r[3], velocity[3];
        random_block(&seed, floor, w);
        for (int k = 0; k < 3; ++k) {
            last[k] = (nb_real)(test_uniform(&seed) - (k ? 0 : 0.5));
            r[k] = (nb_real)test_uniform(&seed);
        }
        NB(nb_precompute_contact)(w, (nb_real)mu, &contact);
        for (int visit = 0; visit < 30; ++visit) {
            const nb_real shift = visit < 20 ? (nb_real)ldexp(test_uniform(&seed), -visit) : 0;
            for (int k = 0; k < 3; ++k) {
                q[k] = last[k] + (k ? shift : 0);
                velocity[k] = q[k];
                for (int j = 0; j < 3; ++j)
                    velocity[k] += w[3 * k + j] * r[j];
            }
            NB(nb_precomputed_contact_solve)(&contact, velocity, r);
            for (int k = 0; k < 3; ++k)
                assert_true(isfinite((double)r[k]));
            assert_true(r[0] >= 0 && hypot((double)r[1], (double)r[2]) <=
                                         mu * (double)r[0] * (1 + 8 * U) + (double)NB_UNIT_ROUNDOFF);
        }
        const double found = violation(w, q, mu, r);
        if (!(found < 400 * U * (1 + mu) / floor))
            fail_msg("case %d, mu %g, floor %g: violation %g", i, mu, floor, found);
        slides += contact.alpha > 0 && r[0] > 0 &&
                  hypot((double)r[1], (double)r[2]) > 0.999 * mu * (double)r[0];
    }
    assert_true(slides > 300);
}

TEST(test_known_contacts)
{
    const nb_real one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, none[9] = {0};
    const nb_real opening[3] = {NB_REAL(0.1), 1, 0}, pressed[3] = {-1, 0, 0};
    const nb_real held[3] = {-1, NB_REAL(0.3), 0}, dragged[3] = {-1, 3, 4};
    nb_real r[3];
    NB(nb_local_contact)(one, opening, 1, 0, r);
    assert_true(r[0] == 0 && r[1] == 0 && r[2] == 0);
    NB(nb_local_contact)(one, pressed, 1, 0, r);
    assert_true(r[0] == 1 && r[1] == 0 && r[2] == 0);
    NB(nb_local_contact)(one, held, NB_REAL(0.5), 0, r);
    assert_true(fabs((double)r[0] - 1) < 4 * U && fabs((double)r[1] + 0.3) < 4 * U);
    NB(nb_local_contact)(one, dragged, NB_REAL(0.5), 0, r);
    assert_true(fabs((double)r[1] + 0.3) < 8 * U && fabs((double)r[2] + 0.4) < 8 * U);
    NB(nb_local_contact)(one, dragged, 0, 0, r);
    assert_true(r[0] == 1 && r[1] == 0 && r[2] == 0);
    NB(nb_local_contact)(none, pressed, 1, 0, r);
    assert_true(r[0] == 0);
}
