/* The Jordan algebra of a second-order cone against its definitions, for points near its axis and near its boundary. */
#include "tests/support/support.h"

#include "solvers/outer/interior_point/second_order_cone.h"

#define TOLERANCE (1e4 * (double)NB_UNIT_ROUNDOFF)

/* In the interior; depth is the share of the first component by which it is. */
static void random_point(uint32_t *seed, double depth, nb_real *x)
{
    const double angle = 6.283185307 * test_uniform(seed), size = exp(8 * test_uniform(seed));
    x[0] = (nb_real)size;
    x[1] = (nb_real)(size * (1 - depth) * cos(angle));
    x[2] = (nb_real)(size * (1 - depth) * sin(angle));
}

static void apply(const nb_real *a, const nb_real *x, double *y)
{
    for (int r = 0; r < 3; ++r)
        y[r] = (double)a[3 * r] * (double)x[0] + (double)a[3 * r + 1] * (double)x[1] +
               (double)a[3 * r + 2] * (double)x[2];
}

TEST(division_undoes_the_product)
{
    uint32_t seed = 7;
    for (int trial = 0; trial < 300; ++trial) {
        const double depth = trial % 2 ? 0.5 : 0.01;
        nb_real x[3], z[3] = {(nb_real)test_uniform(&seed), (nb_real)test_uniform(&seed), (nb_real)test_uniform(&seed)};
        nb_real y[3], back[3];
        random_point(&seed, depth, x);
        nb_soc_product(x, z, y);
        nb_soc_divide(x, y, back);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs((double)(back[k] - z[k])) <= TOLERANCE / depth);
    }
}

/* V x = V^-1 y, and the two are each other's inverse. */
TEST(the_scaling_meets_both_points)
{
    uint32_t seed = 11;
    for (int trial = 0; trial < 300; ++trial) {
        const double depth = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 0.3 : 0.02;
        nb_real x[3], y[3], scale[9], inverse[9];
        double from_x[3], from_y[3];
        random_point(&seed, depth, x);
        random_point(&seed, 0.4, y);
        nb_soc_scaling(x, y, scale, inverse);
        apply(scale, x, from_x);
        apply(inverse, y, from_y);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(from_x[k] - from_y[k]) <= TOLERANCE / depth * fabs(from_x[0]));
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                double sum = 0, size = 0;
                for (int k = 0; k < 3; ++k) {
                    sum += (double)scale[3 * r + k] * (double)inverse[3 * k + c];
                    size += fabs((double)scale[3 * r + k] * (double)inverse[3 * k + c]);
                }
                assert_true(fabs(sum - (r == c)) <= TOLERANCE * (1 + size));
            }
    }
}

/* Just before the end the point is inside, just behind it is not, unless the whole step is. */
TEST(the_longest_step_ends_at_the_boundary)
{
    uint32_t seed = 3;
    int whole = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        nb_real x[3], step[3];
        random_point(&seed, 0.1, x);
        for (int k = 0; k < 3; ++k)
            step[k] = 4 * x[0] * (nb_real)test_uniform(&seed);
        const double t = (double)nb_soc_longest_step(x, step), margin = 1e-3;
        for (int side = -1; side <= 1; side += 2) {
            const double at = t * (1 + side * margin);
            const double first = (double)x[0] + at * (double)step[0];
            const double tangent = hypot((double)x[1] + at * (double)step[1], (double)x[2] + at * (double)step[2]);
            if (side < 0 || t < 1)
                assert_true((tangent <= first) == (side < 0));
        }
        whole += t == 1;
    }
    assert_true(whole > 0 && whole < 900);
}
