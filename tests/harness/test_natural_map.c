/* The natural map against closed forms: single contacts that stick, slip and separate, with and
 * without bilateral rows; the projection by its optimality conditions; the mass scaling. */
#include <lapacke.h>

#include "harness/judge/metrics_private.h"
#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/numbers.h"
#include "tests/support/mass_diagonal.h"

#define MU 0.5

/* P_K(z) = p if and only if p in K, z - p in the polar cone -K*, and p . (z - p) = 0. */
TEST(test_projection)
{
    seed = 13;
    for (int trial = 0; trial < 20000; ++trial) {
        const double mu = trial % 7 ? fabs(uniform()) * 2 : 0;
        const double z[3] = {uniform(), uniform(), uniform()};
        double p[3], d[3];
        nb_project_on_cone(z, mu, p);
        for (int k = 0; k < 3; ++k)
            d[k] = z[k] - p[k];
        assert_true(hypot(p[1], p[2]) <= mu * p[0] + 1e-15);
        assert_true(mu * hypot(d[1], d[2]) <= -d[0] + 1e-15);
        assert_near(p[0] * d[0] + p[1] * d[1] + p[2] * d[2], 0, 1e-15);
    }
}

/* A local problem of one contact, W = w I, with or without one bilateral row. */
static void local_problem(struct nb_problem *problem, int bilaterals, const double *entries,
                          const double *constant, double mu)
{
    const int n = 3 + bilaterals;
    int row[16], column[16];
    memset(problem, 0, sizeof *problem);
    problem->form = NB_LINEAR_LOCAL;
    problem->time_step = 1;
    strcpy(problem->name, "local");
    struct nb_linear_step *linear = &problem->linear;
    linear->contacts = 1;
    linear->bilaterals = bilaterals;
    for (int k = 0; k < n * n; ++k) {
        row[k] = k / n;
        column[k] = k % n;
    }
    assert_int_equal(nb_csr_from_triplets(&linear->delassus, n, n, n * n, row, column, entries,
                                          NULL), NB_OK);
    linear->contact_velocity = zeros(3);
    memcpy(linear->contact_velocity, constant, 3 * sizeof *constant);
    linear->bilateral_velocity = zeros(bilaterals);
    if (bilaterals)
        linear->bilateral_velocity[0] = constant[3];
    linear->friction = zeros(1);
    linear->friction[0] = mu;
}

/* Solution of one contact with W = w I: separate, stick or slip, whichever q asks for. */
static int closed_form(double w, double mu, const double *q, double *r)
{
    const double tangent = hypot(q[1], q[2]);
    memset(r, 0, 3 * sizeof *r);
    if (q[0] >= 0)
        return 0;
    for (int k = 0; k < 3; ++k)
        r[k] = -q[k] / w;
    if (tangent <= -mu * q[0])
        return 1;
    for (int k = 1; k < 3; ++k)
        r[k] *= -mu * q[0] / tangent;
    return 2;
}

TEST(test_natural_map_of_single_contacts)
{
    seed = 14;
    int seen[3] = {0};
    for (int trial = 0; trial < 3000; ++trial) {
        const double w = 1.5 + uniform(), mu = 0.6 + 0.5 * uniform();
        const double entries[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
        const double q[3] = {uniform(), uniform(), uniform()};
        OWNS(nb_problem_free) struct nb_problem problem;
        double r[3], u[3], square = 0;
        local_problem(&problem, 0, entries, q, mu);
        const int kind = closed_form(w, mu, q, r);
        seen[kind]++;
        for (int k = 0; k < 3; ++k)
            u[k] = w * r[k] + q[k];
        const struct nb_metrics m = test_judged(&problem, u, r);
        assert_near(m.natural_map, 0, 4e-16);
        assert_near(m.constraint_error, 0, 4e-16);
        assert_near(m.momentum_error, 0, 4e-16);
        assert_true(isnan(m.kinetic_energy) && isnan(m.normal_force));
        /* Any other force breaks the law: by at least a fixed share of its distance. */
        for (int k = 0; k < 3; ++k) {
            const double step = 0.1 * uniform();
            r[k] += step;
            square += step * step;
        }
        const double distance = sqrt(square);
        const double absolute = test_judged(&problem, u, r).natural_map_absolute;
        assert_true(absolute > 0.05 * distance && absolute < 10 * distance);
    }
    assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 100);
}

/* Inside the cone F = U^ = W d + (mu |W d|_T, 0, 0) for a small change d of the force. */
TEST(test_natural_map_of_a_perturbed_stick)
{
    const double entries[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, q[3] = {-4, 0, 0};
    const double r[3] = {2 + 1e-3, 3e-3, -4e-3}, given[3] = {0, 0, 0.25};
    OWNS(nb_problem_free) struct nb_problem problem;
    local_problem(&problem, 0, entries, q, MU);
    const struct nb_metrics m = test_judged(&problem, given, r);
    const double f[3] = {2e-3 + MU * 1e-2, 6e-3, -8e-3};
    const double absolute = nb_norm2(3, f);
    assert_near(m.natural_map_absolute, absolute, 1e-15);
    assert_near(m.natural_map, absolute / 4, 1e-15); /* ||q|| leads */
    assert_near(m.momentum_error, 0.25 + 8e-3, 1e-15);
    assert_near(m.friction_error, 1e-2, 1e-15);
    assert_near(m.normal_error, 2e-3, 1e-15);
}

/* A particle of mass 2 on a plane and on a rail: y is prescribed, x slips, z rests. */
TEST(test_global_with_bilateral)
{
    const int index[3] = {0, 1, 2}, tangent[3] = {2, 0, 1}, one[1] = {0}, rail[1] = {1};
    const double twos[3] = {2, 2, 2}, ones[3] = {1, 1, 1};
    OWNS(nb_problem_free) struct nb_problem problem;
    memset(&problem, 0, sizeof problem);
    problem.form = NB_LINEAR_GLOBAL;
    problem.time_step = 1;
    struct nb_linear_step *linear = &problem.linear;
    linear->dofs = 3;
    linear->contacts = linear->bilaterals = 1;
    nb_csr_from_triplets(&linear->mass, 3, 3, 3, index, index, twos, NULL);
    nb_csr_from_triplets(&linear->contact_jacobian, 3, 3, 3, index, tangent, ones, NULL);
    nb_csr_from_triplets(&linear->bilateral_jacobian, 1, 3, 1, one, rail, ones, NULL);
    linear->force = zeros(3);
    linear->force[0] = 6;   /* v~ = (3, 0, -1) */
    linear->force[2] = -2;
    linear->contact_velocity = zeros(3);
    linear->bilateral_velocity = zeros(1);
    linear->friction = zeros(1);
    linear->friction[0] = MU;
    /* r_N = 2; x slips with r_x = -1: v_x = 2.5; y held at 0 by l, with no force to hold. */
    double v[3] = {2.5, 0, 0}, lambda[4] = {0, 2, -1, 0};
    struct nb_metrics m = test_judged(&problem, v, lambda);
    assert_near(m.natural_map, 0, 1e-16);
    assert_near(m.bilateral_error, 0, 0);
    assert_int_equal(m.slip, 1);
    lambda[0] = 0.5; /* only the momentum breaks: by 0.5 along y, over ||f|| = sqrt(40) */
    m = test_judged(&problem, v, lambda);
    assert_near(m.momentum_error, 0.5, 1e-16);
    assert_near(m.natural_map, 0.5 / sqrt(40), 1e-15);
    linear->bilateral_velocity[0] = 1e-3; /* and now the rail too, over ||U|| = 2.5 */
    m = test_judged(&problem, v, lambda);
    assert_near(m.bilateral_error, 1e-3, 1e-18);
    assert_near(m.natural_map, 0.5 / sqrt(40) + 1e-3 / 2.5, 1e-15);
    assert_near(m.natural_map_linearized, m.natural_map, 0);
}

TEST(test_local_with_bilateral)
{
    /* W = I, V = (0.5, 0, 0), R = 1: the row V^T r + R l + s = 0 gives l. */
    const double entries[16] = {1, 0, 0, .5, 0, 1, 0, 0, 0, 0, 1, 0, .5, 0, 0, 1};
    const double constant[4] = {-1, 0, 0, 0.25};
    OWNS(nb_problem_free) struct nb_problem problem;
    local_problem(&problem, 1, entries, constant, MU);
    /* r - 1 + l/2 = 0, r/2 + l + 1/4 = 0: r = 3/2, l = -1. */
    const double lambda[4] = {-1, 1.5, 0, 0}, u[4] = {0};
    struct nb_metrics m = test_judged(&problem, u, lambda);
    assert_near(m.natural_map, 0, 1e-16);
    assert_near(m.momentum_error, 0, 1e-16);
    const double off[4] = {-1 + 1e-3, 1.5, 0, 0};
    m = test_judged(&problem, u, off);
    assert_near(m.bilateral_error, 1e-3, 1e-16);
    assert_near(m.natural_map_absolute, hypot(5e-4, 1e-3), 1e-16);
}

TEST(test_divisors_left_out)
{
    assert_near(nb_relative(1e-9, 1e-8), 1e-9, 0);
    assert_near(nb_relative(1e-9, 2e-8), 0.05, 1e-16);
    assert_true(isinf(nb_relative(0, INFINITY)));
    assert_true(isnan(nb_relative(0, NAN)));
}

/* A random sparse positive definite M against dense solves. */
TEST(test_delassus_diagonal)
{
    enum { N = 30, ROWS = 20 };
    seed = 15;
    static double dense[N * N], right[ROWS * N], rows[ROWS * N], diagonal[ROWS];
    static int row[N * N], column[N * N];
    for (int k = 0; k < N * N; ++k)
        if (k / N < k % N && uniform() > 0.8)
            dense[k] = dense[k % N * N + k / N] = uniform();
    for (int i = 0; i < N; ++i)
        dense[i * N + i] = 12;
    for (int k = 0; k < ROWS * N; ++k)
        right[k] = rows[k] = uniform() > 0.7 ? uniform() : 0;
    for (int k = 0; k < N * N; ++k) {
        row[k] = k / N;
        column[k] = k % N;
    }
    OWNS(nb_csr_free) struct nb_csr mass, jacobian;
    nb_csr_from_triplets(&mass, N, N, N * N, row, column, dense, NULL);
    nb_csr_from_triplets(&jacobian, ROWS, N, ROWS * N, row, column, rows, NULL);
    assert_ok(test_mass_diagonal(&mass, &jacobian, diagonal, &why));
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', N, ROWS, dense, N, right, N), 0);
    for (int i = 0; i < ROWS; ++i) {
        double sum = 0;
        for (int k = 0; k < N; ++k)
            sum += rows[i * N + k] * right[i * N + k];
        assert_near(diagonal[i], sum, 1e-14);
    }
    /* Of a matrix that is not symmetric it is that of the symmetric part. */
    double again[ROWS];
    mass.value[mass.start[1] + 2] += 0.5;
    mass.value[mass.start[2] + 1] -= 0.5;
    assert_ok(test_mass_diagonal(&mass, &jacobian, again, &why));
    for (int i = 0; i < ROWS; ++i)
        assert_near(again[i], diagonal[i], 1e-14);
    mass.value[mass.start[3] + 3] = -1;
    assert_refused(test_mass_diagonal(&mass, &jacobian, diagonal, &why), NB_BAD_INPUT, "not positive definite");
}

/* Two blocks of a mass matrix, in turns, against dense solves: |J M^-1 f| + |J M^-1| d. */
TEST(test_velocity_terms)
{
    enum { N = 12, ROWS = 7 };
    seed = 16;
    static double dense[N * N], right[ROWS * N], rows[ROWS * N], value[N * N];
    static int row[N * N], column[N * N];
    double force[N], terms[N], sums[ROWS];
    OWNS(nb_csr_free) struct nb_csr mass, jacobian;
    int count = 0;
    for (int i = 0; i < N; ++i) {
        force[i] = uniform();
        terms[i] = 1 + uniform();
        for (int j = 0; j <= i; ++j) {
            if (i != j && ((i - j) % 2 || uniform() > 0.6))
                continue;
            dense[i * N + j] = dense[j * N + i] = i == j ? 3 : uniform();
            for (int k = 0; k < 1 + (i != j); ++k, ++count) {
                row[count] = k ? j : i;
                column[count] = k ? i : j;
                value[count] = dense[i * N + j];
            }
        }
    }
    nb_csr_from_triplets(&mass, N, N, count, row, column, value, NULL);
    for (int k = count = 0; k < ROWS * N; ++k) {
        right[k] = rows[k] = uniform() > 0.7 ? uniform() : 0;
        if (rows[k] == 0)
            continue;
        row[count] = k / N;
        column[count] = k % N;
        value[count++] = rows[k];
    }
    nb_csr_from_triplets(&jacobian, ROWS, N, count, row, column, value, NULL);
    struct nb_mass_factor *factor;
    assert_int_equal(nb_mass_factor_create(&factor, &mass, NULL), NB_OK);
    assert_int_equal(nb_mass_factor_terms(factor, &jacobian, force, terms, sums, NULL), NB_OK);
    nb_mass_factor_free(factor);
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', N, ROWS, dense, N, right, N), 0);
    for (int i = 0; i < ROWS; ++i) {
        double sum = 0, free_velocity = 0;
        for (int k = 0; k < N; ++k) {
            sum += fabs(right[i * N + k]) * terms[k];
            free_velocity += right[i * N + k] * force[k];
        }
        assert_near(sums[i], fabs(free_velocity) + sum, 1e-14);
    }
}

/* Under a force so large that R - U is R: what violates the contact is told all the same. */
TEST(test_large_forces)
{
    const double impulse[3] = {1e20, 0, 0}, velocity[3] = {-0.1, 0, 0}, sliding[3] = {0, 0.3, -0.4};
    assert_near(nb_natural_map_squared(impulse, velocity, MU), 0.01, 1e-17);
    assert_near(nb_natural_map_squared(impulse, sliding, MU), 0.25 + 0.25 * MU * MU, 1e-15);
}
