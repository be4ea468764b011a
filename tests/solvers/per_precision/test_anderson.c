/* Anderson acceleration of an affine iteration p <- G p + b, whose limit is known. */
#include "tests/support/support.h"

#include "solvers/outer/proximal_newton/anderson.h"

enum { ROWS = 12, OTHERS = 5 };
static const nb_real eigenvalue[] = {NB_REAL(0.95), NB_REAL(0.8), NB_REAL(-0.5)};

/* A diagonal map with three eigenvalues: its solution is p_i = 1/(i + 1). */
static nb_real apply(nb_real *p, const nb_real *rho)
{
    nb_real size = 0;
    for (int i = 0; i < ROWS; ++i) {
        const nb_real goal = NB_REAL(1.0) / (nb_real)(i + 1);
        const nb_real change = (eigenvalue[i % 3] - 1) * (p[i] - goal);
        p[i] += change;
        size += change * change / rho[i];
    }
    return size;
}

/* Velocities that follow from p by an affine map. */
static void follow(const nb_real *p, nb_real *u)
{
    for (int k = 0; k < OTHERS; ++k)
        u[k] = (nb_real)(k - 2) + p[k] - 2 * p[k + 3];
}

/* As many differences as there are eigenvalues annihilate the error: five sweeps make them known, and
 * what they leave is round-off. */
TEST(test_few_eigenvalues_end_it)
{
    struct nb_anderson anderson;
    nb_real p[ROWS] = {0}, u[OTHERS], rho[ROWS], expected[OTHERS], size = 0;
    const nb_real tolerance = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF)); /* nearly parallel differences */
    for (int i = 0; i < ROWS; ++i)
        rho[i] = NB_REAL(0.5) + (nb_real)(i % 4);
    assert_int_equal(nb_anderson_create(&anderson, ROWS, OTHERS, NULL), NB_OK);
    for (int k = 0; k < 6; ++k) {
        follow(p, u);
        nb_anderson_step(&anderson, rho, size, p, u);
        follow(p, expected);
        for (int i = 0; i < OTHERS; ++i)
            assert_true(nb_abs(u[i] - expected[i]) <= tolerance);
        size = apply(p, rho);
    }
    for (int i = 0; i < ROWS; ++i)
        assert_true(nb_abs(p[i] - NB_REAL(1.0) / (nb_real)(i + 1)) <= tolerance);
    nb_anderson_free(&anderson);
}

/* The first call after a restart, changes that do not change and sweeps that stand still leave p. */
TEST(test_what_cannot_be_accelerated)
{
    struct nb_anderson anderson;
    nb_real p[ROWS] = {0}, rho[ROWS];
    for (int i = 0; i < ROWS; ++i)
        rho[i] = 1;
    assert_int_equal(nb_anderson_create(&anderson, ROWS, 0, NULL), NB_OK);
    for (int k = 0; k < 10; ++k) {
        for (int i = 0; i < ROWS; ++i)
            p[i] += 1; /* the same change each time */
        if (k == 5)
            nb_anderson_restart(&anderson);
        nb_anderson_step(&anderson, rho, ROWS, p, NULL);
        for (int i = 0; i < ROWS; ++i)
            assert_true(p[i] == k + 1);
    }
    for (int k = 0; k < 4; ++k)
        nb_anderson_step(&anderson, rho, 0, p, NULL);
    for (int i = 0; i < ROWS; ++i)
        assert_true(p[i] == 10);
    nb_anderson_free(&anderson);
}

/* Where the changes grow, what was known is forgotten: the next sweep is a plain one. */
TEST(test_growth_forgets)
{
    struct nb_anderson anderson;
    nb_real p[ROWS] = {0}, rho[ROWS], size = 0;
    for (int i = 0; i < ROWS; ++i)
        rho[i] = 1;
    assert_int_equal(nb_anderson_create(&anderson, ROWS, 0, NULL), NB_OK);
    for (int k = 0; k < 3; ++k) {
        nb_anderson_step(&anderson, rho, size, p, NULL);
        size = apply(p, rho);
    }
    for (int i = 0; i < ROWS; ++i)
        p[i] += (nb_real)(100 * i);
    nb_real before[ROWS];
    memcpy(before, p, sizeof p);
    nb_anderson_step(&anderson, rho, NB_REAL(1e6), p, NULL);
    assert_memory_equal(before, p, sizeof p);
    nb_anderson_free(&anderson);
}
