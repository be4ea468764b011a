/* The Fischer reformulation of box friction in this precision: its zeros, and its B-subdifferential
 * against differences, kinks included. */
#include "tests/support/support.h"

#include "solvers/contact/box_fischer.h"
#include "solvers/outer/fischer_newton/fischer_newton.h"

#define U ((double)NB_UNIT_ROUNDOFF)

TEST(test_zeros_are_solutions)
{
    /* open, stick, slip against +t1 and -t2 at mu = 1/2 */
    const nb_real p[3][3] = {{0, 0, 0}, {2, NB_REAL(0.5), NB_REAL(-0.75)}, {2, -1, 1}};
    const nb_real y[3][3] = {{1, -2, 3}, {0, 0, 0}, {0, 4, -3}};
    for (int k = 0; k < 3; ++k) {
        nb_real phi[3], wrong[3], far[3] = {y[k][0] - 2, y[k][1], y[k][2] + 1};
        NB(nb_box_fischer)(p[k], y[k], NB_REAL(0.5), 1, phi);
        for (int r = 0; r < 3; ++r)
            assert_true(nb_abs(phi[r]) < 8 * U);
        NB(nb_box_fischer)(p[k], far, NB_REAL(0.5), 1, wrong);
        assert_true(nb_abs(wrong[0]) > NB_REAL(0.1));
    }
}

/* phi is exact where the plain form cancels, and finite where squares overflow. */
TEST(test_extremes)
{
    const nb_real large = sizeof(nb_real) == sizeof(float) ? NB_REAL(1e30) : NB_REAL(1e200);
    const nb_real tiny = NB_REAL(0.25) * NB_REAL(U);
    assert_true(nb_abs(NB(nb_fischer)(1, tiny) / -tiny - 1) < NB_REAL(1e-3));
    assert_true(nb_abs(NB(nb_fischer)(large, large) / large - (nb_sqrt(2) - 2)) < 8 * U);
    assert_true(NB(nb_fischer)(0, 0) == 0);
}

/* The map is positively homogeneous: at the origin its slope along d is phi(d) itself. */
TEST(test_kinks)
{
    const nb_real zero[3] = {0, 0, 0};
    uint32_t seed = 3;
    for (int k = 0; k < 200; ++k) {
        nb_real dp[3], dy[3], phi[3], own[9], by_velocity[3];
        for (int r = 0; r < 3; ++r) {
            dp[r] = (nb_real)test_uniform(&seed);
            dy[r] = (nb_real)test_uniform(&seed);
        }
        NB(nb_box_fischer)(dp, dy, NB_REAL(0.4), 1, phi);
        NB(nb_box_fischer_slope)(zero, zero, NB_REAL(0.4), 1, dp, dy, own, by_velocity);
        for (int r = 0; r < 3; ++r) {
            assert_true(NB(nb_box_fischer_kink)(zero, zero, NB_REAL(0.4), r));
            const nb_real along = own[3 * r] * dp[0] + own[3 * r + 1] * dp[1] +
                                  own[3 * r + 2] * dp[2] + by_velocity[r] * dy[r];
            assert_true(nb_abs(along - phi[r]) < 64 * U);
        }
    }
}

/* H against central differences of Phi of a whole step with bilateral rows. */
TEST(test_subdifferential)
{
    const struct NB(nb_fischer_settings) settings = {.scaled = 1, .searching = 1, .halvings = 14};
    const double step = cbrt(U);
    struct NB(nb_fischer) *self = NULL;
    struct NB(nb_model) *model = NULL;
    OWNS(nb_problem_free) struct nb_problem problem;
    uint32_t seed = 8;
    test_global(&problem, 18, 3, 2, 0, 5);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    assert_int_equal(NB(nb_fischer_create)(&self, model, &settings, 1, NULL), NB_OK);
    NB(nb_fischer_start)(self);
    self->with_friction = 1;
    const size_t n = self->rows.size;
    nb_real *at = malloc(n * sizeof *at), *column = calloc(n, sizeof *column);
    nb_real *product = malloc(n * sizeof *product), *up = malloc(n * sizeof *up);
    for (size_t i = 0; i < n; ++i)
        at[i] = (nb_real)(1 + test_uniform(&seed));
    memcpy(self->p, at, n * sizeof *at);
    NB(nb_fischer_evaluate)(self);
    NB(nb_fischer_subdifferential)(self);
    for (size_t j = 0; j < n; ++j) {
        column[j] = 1;
        NB(nb_operator_apply)(&self->rows.op, column, product);
        self->p[j] = (nb_real)((double)at[j] + step);
        const nb_real above = self->p[j];
        NB(nb_fischer_evaluate)(self);
        memcpy(up, self->phi, n * sizeof *up);
        self->p[j] = (nb_real)((double)at[j] - step);
        const nb_real width = above - self->p[j];
        NB(nb_fischer_evaluate)(self);
        for (size_t i = 0; i < n; ++i) {
            const nb_real h = (i / 3 == j / 3 ? self->own[9 * (i / 3) + 3 * (i % 3) + j % 3] : 0) +
                              self->by_velocity[i] * self->rho[i] * product[i];
            const nb_real difference = (up[i] - self->phi[i]) / width;
            assert_true(fabs((double)(h - difference)) < 100 * U / step + 10 * step * step);
        }
        self->p[j] = at[j];
        column[j] = 0;
    }
    free(at);
    free(column);
    free(product);
    free(up);
    NB(nb_fischer_free)(self);
    NB(nb_model_free)(model);
}
