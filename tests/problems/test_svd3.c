/* Singular values and eigenvalues of 3x3 matrices: reconstruction, rotations, order and sign over
 * random, reflecting, flat, degenerate and badly scaled matrices. */
#include <float.h>

#include "tests/support/near.h"

#include "problems/base/rotation.h"
#include "problems/base/svd3.h"

static uint32_t seed = 1;

static double uniform(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

static double determinant(const double *a)
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static void random_rotation(double *matrix)
{
    const double turn[3] = {4 * uniform(), 4 * uniform(), 4 * uniform()};
    double q[4] = {1, 0, 0, 0};
    nb_quaternion_advance(q, 1, turn);
    nb_quaternion_matrix(q, matrix);
}

/* a diag(s) b^T */
static void compose(const double *a, const double *s, const double *b, double *out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k)
                out[3 * i + j] += a[3 * i + k] * s[k] * b[3 * j + k];
        }
}

static void check_rotation(const double *r)
{
    const double one[3] = {1, 1, 1};
    double square[9];
    compose(r, one, r, square);
    for (int k = 0; k < 9; ++k)
        assert_near(square[k], k % 4 == 0, 1e-14);
    assert_near(determinant(r), 1, 1e-14);
}

static double largest(const double *a)
{
    double size = 0;
    for (int k = 0; k < 9; ++k)
        size = fmax(size, fabs(a[k]));
    return size;
}

static void check_svd(const double *f, double *s)
{
    double u[9], v[9], again[9];
    nb_svd3(f, u, s, v);
    check_rotation(u);
    check_rotation(v);
    assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
    compose(u, s, v, again);
    for (int k = 0; k < 9; ++k)
        assert_near(again[k], f[k], 16 * DBL_EPSILON * largest(f));
}

/* U diag(given) V^T has the given stretches. */
static void check_stretches(double s0, double s1, double s2, double tolerance)
{
    const double given[3] = {s0, s1, s2};
    for (int round = 0; round < 50; ++round) {
        double u[9], v[9], f[9], s[3];
        random_rotation(u);
        random_rotation(v);
        compose(u, given, v, f);
        check_svd(f, s);
        for (int k = 0; k < 3; ++k)
            assert_near(s[k], given[k], tolerance * s0);
    }
}

TEST(stretches_come_back)
{
    check_stretches(1.7, 1.1, 0.4, 4e-15);
    check_stretches(1.7, 1.1, -0.4, 4e-15);
    check_stretches(1, 1, 1, 4e-15);
    check_stretches(1, 1, -1, 4e-15);
    check_stretches(2, 0.5, 0.5, 4e-15);
    check_stretches(2, 0.5, -0.5, 4e-15);
    check_stretches(1, 1e-9, 1e-9, 4e-15);
    check_stretches(1 + 1e-9, 1, 1 - 1e-9, 4e-15);
    check_stretches(3, 1, 0, 4e-15);
    check_stretches(3, 0, 0, 4e-15);
    check_stretches(1e150, 1e149, -1e148, 4e-15);
    check_stretches(1e-150, 1e-151, 1e-152, 4e-15);
}

TEST(random_matrices_come_back)
{
    for (int round = 0; round < 2000; ++round) {
        double f[9], s[3];
        for (int k = 0; k < 9; ++k)
            f[k] = uniform() * pow(10, round % 4 * uniform());
        check_svd(f, s);
        const double det = determinant(f), size = largest(f);
        assert_near(s[0] * s[1] * s[2], det, 1e-13 * size * size * size);
    }
}

TEST(special_matrices_come_back)
{
    static const double matrices[][9] = {{0},
                                         {0, 0, 0, 0, 5, 0, 0, 0, 0},
                                         {-1, 0, 0, 0, -1, 0, 0, 0, -1},
                                         {0, 1, 0, 1, 0, 0, 0, 0, 1},
                                         {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                         {0, 0, 3, 0, 0, 4, 0, 0, 0},
                                         {1, 2, 3, 2, 4, 6, -1, 0, 1},
                                         {1e-200, 0, 0, 0, 1, 0, 0, 1e-200, 1e-170}};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i) {
        double s[3];
        check_svd(matrices[i], s);
    }
}

/* A flat element whose columns are short in one direction keeps its small stretch to full accuracy:
 * forming F^T F would lose it below 1e-8. */
TEST(small_stretches_are_accurate)
{
    const double given[3] = {1, 0.7, 1e-12};
    double u[9], f[9], s[3], unused[9], v[9];
    random_rotation(u);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            f[3 * i + k] = u[3 * i + k] * given[k];
    nb_svd3(f, unused, s, v);
    for (int k = 0; k < 3; ++k)
        assert_near(s[k], given[k], 1e-14 * given[k]);
}

TEST(what_is_not_finite_gives_no_number_and_no_end_of_time)
{
    const double f[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1}, g[9] = {INFINITY, 0, 0, 0, 1, 0, 0, 0, 1};
    double u[9], v[9], s[3];
    nb_svd3(f, u, s, v);
    assert_false(isfinite(s[0] + s[1] + s[2]));
    nb_svd3(g, u, s, v);
    assert_false(isfinite(s[0] + s[1] + s[2]));
}

TEST(eigenvalues_come_back)
{
    static const double given[][3] = {{-2, 0.5, 7}, {1, 1, 1}, {-1, 1, 1}, {0, 0, 3},
                                      {-1e5, 1e-3, 1e5}, {1, 1 + 1e-9, 1 + 2e-9}};
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i)
        for (int round = 0; round < 20; ++round) {
            const double size = fmax(fabs(given[i][0]), fabs(given[i][2]));
            double r[9], a[9], e[3], v[9], again[9];
            random_rotation(r);
            compose(r, given[i], r, a);
            nb_eigen3(a, e, v);
            check_rotation(v);
            compose(v, e, v, again);
            for (int k = 0; k < 9; ++k)
                assert_near(again[k], a[k], 1e-14 * size);
            for (int k = 0; k < 3; ++k)
                assert_near(e[k], given[i][k], 1e-14 * size);
        }
}
