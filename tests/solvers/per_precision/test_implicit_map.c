/* Implicit complementarity in this precision: f and v satisfy the contact laws for every x,
 * slopes against differences, edges, crossings and projections against their equations. */
#include "tests/support/support.h"

#include "solvers/outer/implicit_complementarity/implicit_newton.h"

#define U ((double)NB_UNIT_ROUNDOFF)

static const nb_real mu = NB_REAL(0.6);

static void random_point(uint32_t *seed, nb_real *x)
{
    for (int r = 0; r < 3; ++r)
        x[r] = (nb_real)(2 * test_uniform(seed));
}

static double cone(const nb_real *x)
{
    return sqrt((double)(x[1] * x[1] + x[2] * x[2])) + (double)(mu * x[0]);
}

TEST(test_laws_hold_everywhere)
{
    uint32_t seed = 4;
    for (int k = 0; k < 1000; ++k) {
        nb_real x[3], f[3];
        random_point(&seed, x);
        NB(nb_implicit_force)(x, mu, f);
        const double v[3] = {x[0] + f[0], x[1] + f[1], x[2] + f[2]};
        const double force = hypot(f[1], f[2]), slip = hypot(v[1], v[2]);
        assert_true(f[0] >= 0 && v[0] >= 0 && f[0] * v[0] <= U);
        assert_true(force <= mu * f[0] + 4 * U);
        assert_true(slip * (mu * f[0] - force) < 8 * U);
        assert_true(fabs(v[1] * f[1] + v[2] * f[2] + slip * force) < 8 * U);
    }
}

TEST(test_slopes)
{
    const double step = cbrt(U);
    uint32_t seed = 5;
    for (int k = 0; k < 500; ++k) {
        nb_real x[3], slope[9], up[3], down[3];
        random_point(&seed, x);
        if (fabs((double)x[0]) < 20 * step || fabs(cone(x)) < 20 * step || hypot(x[1], x[2]) < 0.2)
            continue;
        NB(nb_implicit_slope)(x, mu, NB(nb_implicit_region)(x, mu), slope);
        for (int c = 0; c < 3; ++c) {
            const nb_real at = x[c];
            x[c] = (nb_real)(at + step);
            const nb_real above = x[c];
            NB(nb_implicit_force)(x, mu, up);
            x[c] = (nb_real)(at - step);
            const nb_real width = above - x[c];
            NB(nb_implicit_force)(x, mu, down);
            x[c] = at;
            for (int r = 0; r < 3; ++r)
                assert_true(fabs((double)((up[r] - down[r]) / width - slope[3 * r + c])) <
                            20 * U / step + 200 * step * step);
        }
    }
}

/* On an edge both regions' slopes agree along its tangents; tangents are orthonormal. */
TEST(test_edges)
{
    uint32_t seed = 6;
    for (int k = 0; k < 400; ++k) {
        const int edge = k % 2 ? NB_IMPLICIT_CONE : NB_IMPLICIT_PLANE;
        nb_real x[3], before[3], normal[3], basis[9], one[9], two[9];
        int above, below;
        random_point(&seed, before);
        memcpy(x, before, sizeof x);
        NB(nb_implicit_project)(x, mu, edge);
        assert_true(edge == NB_IMPLICIT_CONE ? x[0] <= 0 && fabs(cone(x)) < 8 * U : x[0] == 0);
        if (hypot(x[1], x[2]) < 0.05)
            continue;
        NB(nb_implicit_normal)(x, mu, edge, normal, &above, &below);
        NB(nb_implicit_basis)(x, edge, basis);
        NB(nb_implicit_slope)(x, mu, above, one);
        NB(nb_implicit_slope)(x, mu, below, two);
        for (int c = 0; c < 2; ++c) {
            double along_normal = 0, along_step = 0, length = 0;
            for (int r = 0; r < 3; ++r) {
                double difference = 0;
                for (int m = 0; m < 3; ++m)
                    difference += (double)((one[3 * r + m] - two[3 * r + m]) * basis[3 * m + c]);
                assert_true(fabs(difference) < 1e3 * U);
                along_normal += (double)(normal[r] * basis[3 * r + c]);
                along_step += (double)((before[r] - x[r]) * basis[3 * r + c]);
                length += (double)(basis[3 * r + c] * basis[3 * r + c]);
            }
            assert_true(fabs(along_normal) < 16 * U && fabs(length - 1) < 16 * U);
            assert_true(fabs(along_step) < 32 * U); /* the nearest point */
        }
    }
}

TEST(test_crossings)
{
    uint32_t seed = 7;
    int planes = 0, cones = 0;
    for (int k = 0; k < 2000; ++k) {
        nb_real x[3], end[3], d[3], alpha[3];
        int edge[3];
        random_point(&seed, x);
        random_point(&seed, end);
        for (int r = 0; r < 3; ++r)
            d[r] = end[r] - x[r];
        const int count = NB(nb_implicit_crossings)(x, d, mu, alpha, edge);
        for (int m = 0; m < count; ++m) {
            nb_real at[3];
            for (int r = 0; r < 3; ++r)
                at[r] = x[r] + alpha[m] * d[r];
            assert_true(fabs(edge[m] == NB_IMPLICIT_CONE ? cone(at) : (double)at[0]) < 300 * U);
            planes += edge[m] == NB_IMPLICIT_PLANE;
            cones += edge[m] == NB_IMPLICIT_CONE;
        }
        /* an odd number of crossings of the cone leads from stick to another region, and so on */
        int crossed_cone = 0;
        for (int m = 0; m < count; ++m)
            crossed_cone += edge[m] == NB_IMPLICIT_CONE;
        const int sticks = NB(nb_implicit_region)(x, mu) == NB_IMPLICIT_STICK;
        const int ends = NB(nb_implicit_region)(end, mu) == NB_IMPLICIT_STICK;
        assert_int_equal(crossed_cone % 2, sticks != ends);
    }
    assert_true(planes > 500 && cones > 200);
}

static int near_an_edge(const struct NB(nb_implicit) *self, size_t row)
{
    const nb_real *x = self->x + row;
    const double friction = (double)self->rows.model->friction[(row - self->rows.bilateral) / 3];
    const double length = hypot(x[1], x[2]);
    return fabs((double)x[0]) < 0.05 || length < 0.1 ||
           fabs(length + friction * (double)x[0]) < 0.05;
}

static void check_gradient(struct NB(nb_implicit) *self)
{
    const size_t n = self->rows.size;
    const double step = cbrt(U);
    OWNS(free_at) nb_real *r = calloc(n, sizeof *r), *x = calloc(n, sizeof *x);
    self->objective = NB(nb_implicit_evaluate)(self, self->x, self->residual);
    NB(nb_implicit_prepare)(self);
    memcpy(x, self->x, n * sizeof *x);
    for (size_t j = 0; j < n; ++j) {
        x[j] = (nb_real)(self->x[j] + step);
        const nb_real above = x[j], up = NB(nb_implicit_evaluate)(self, x, r);
        x[j] = (nb_real)(self->x[j] - step);
        const nb_real width = above - x[j], down = NB(nb_implicit_evaluate)(self, x, r);
        x[j] = self->x[j];
        assert_true(fabs((double)((up - down) / width - self->gradient[j])) <
                    (1 + self->objective) * (100 * U / step + 100 * step * step));
    }
}

/* Away from edges the Newton point solves (J^T J + lambda) s = -J^T r: checked by J^T (r + J s),
 * with J s as a difference of r. */
static void check_newton_point(struct NB(nb_implicit) *self)
{
    const size_t n = self->rows.size;
    OWNS(free_at) nb_real *moved = calloc(n, sizeof *moved), *x = calloc(n, sizeof *x);
    OWNS(free_at) nb_real *q = calloc(n, sizeof *q);
    self->lambda = 64 * NB_REAL(U);
    self->objective = NB(nb_implicit_evaluate)(self, self->x, self->residual);
    NB(nb_implicit_prepare)(self);
    assert_true(NB(nb_implicit_newton_point)(self) > 0);
    const nb_real size = NB(nb_norm)(n, self->step, 1), t = (nb_real)sqrt(U) / size;
    for (size_t i = 0; i < n; ++i)
        x[i] = self->x[i] + t * self->step[i];
    NB(nb_implicit_evaluate)(self, x, moved);
    for (size_t i = 0; i < n; ++i) /* r + J s */
        moved[i] = self->residual[i] + (moved[i] - self->residual[i]) / t;
    NB(nb_implicit_transposed)(self, moved, q);
    double left = 0, before = 0;
    for (size_t i = 0; i < n; ++i) {
        double sum = -(double)moved[i];
        for (size_t r = 0; r < 3; ++r)
            sum += (double)(self->slope[9 * (i / 3) + 3 * r + i % 3] * q[i - i % 3 + r]);
        left += sum * sum;
        before += (double)(self->gradient[i] * self->gradient[i]);
    }
    assert_true(sqrt(left / before) < 2000 * sqrt(U));
}

TEST(test_gauss_newton)
{
    struct NB(nb_implicit) *self = NULL;
    struct NB(nb_model) *model = NULL;
    OWNS(nb_problem_free) struct nb_problem problem;
    uint32_t seed = 8;
    test_global(&problem, 18, 4, 2, 0, 5);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    assert_int_equal(NB(nb_implicit_create)(&self, model, NB_IMPLICIT_BY_CONTACT, 1, NULL), NB_OK);
    self->sticking = 1;
    NB(nb_implicit_start)(self);
    for (int k = 0; k < 5; ++k) {
        for (size_t i = 0; i < self->rows.size; i += 3)
            do
                for (size_t r = 0; r < 3; ++r)
                    self->x[i + r] = (nb_real)(4 * test_uniform(&seed));
            while (i >= self->rows.bilateral && near_an_edge(self, i));
        check_gradient(self);
        check_newton_point(self);
    }
    NB(nb_implicit_free)(self);
    NB(nb_model_free)(model);
}
