/* Lemke's pivoting on small linear complementarity problems, against the enumeration of all bases: positive definite
 * ones, copositive ones of the friction pyramid's form, degenerate ones of whole numbers, with free unknowns and
 * redundant ones; and problems that have no solution. */
#include "solvers/outer/lemke/lcp.h"
#include "tests/support/support.h"

#define U ((double)NB_UNIT_ROUNDOFF)
enum { MOST = 9 };

struct sample {
    int size, free;
    double m[MOST * MOST], q[MOST];
};

/* Gauss's method with row pivoting in double; nonzero where no pivot is tiny. */
static int solve_small(int n, double *a, double *x)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i * (n + 1) + k]) > fabs(a[best * (n + 1) + k]))
                best = i;
        if (fabs(a[best * (n + 1) + k]) < 1e-9)
            return 0;
        for (int j = 0; j <= n; ++j) {
            const double kept = a[k * (n + 1) + j];
            a[k * (n + 1) + j] = a[best * (n + 1) + j];
            a[best * (n + 1) + j] = kept;
        }
        for (int i = 0; i < n; ++i) {
            const double factor = i == k ? 0 : a[i * (n + 1) + k] / a[k * (n + 1) + k];
            for (int j = k; j <= n; ++j)
                a[i * (n + 1) + j] -= factor * a[k * (n + 1) + j];
        }
    }
    for (int i = 0; i < n; ++i)
        x[i] = a[i * (n + 1) + n] / a[i * (n + 1) + i];
    return 1;
}

/* Whether the basis, a bit an unknown, is one of a solution; then z. */
static int basis_solves(const struct sample *s, unsigned basis, double *z)
{
    double a[MOST * (MOST + 1)], x[MOST];
    int rows[MOST], count = 0;
    for (int i = 0; i < s->size; ++i)
        if (basis >> i & 1)
            rows[count++] = i;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j)
            a[i * (count + 1) + j] = s->m[rows[i] * s->size + rows[j]];
        a[i * (count + 1) + count] = -s->q[rows[i]];
    }
    if (!solve_small(count, a, x))
        return 0;
    memset(z, 0, MOST * sizeof *z);
    for (int i = 0; i < count; ++i)
        z[rows[i]] = x[i];
    for (int i = 0; i < s->size; ++i) {
        double w = s->q[i];
        for (int j = 0; j < s->size; ++j)
            w += s->m[i * s->size + j] * z[j];
        if (i < s->free ? fabs(w) > 1e-9 : w < -1e-9 || z[i] < -1e-9)
            return 0;
    }
    return 1;
}

static int has_solution(const struct sample *s)
{
    double z[MOST];
    for (unsigned basis = 0; basis < 1u << s->size; ++basis)
        if (basis_solves(s, basis, z))
            return 1;
    return 0;
}

/* The reason of Lemke's method; what it leaves is judged in double, relative to its largest z, or 1. */
static const char *lemke(const struct sample *s, double *z, double *error)
{
    struct nb_lcp lcp;
    double size = 1;
    int pivots;
    assert_true(nb_lcp_create(&lcp, s->size, s->free));
    for (int i = 0; i < s->size * s->size; ++i)
        lcp.matrix[i] = (nb_real)s->m[i];
    for (int i = 0; i < s->size; ++i)
        lcp.offset[i] = (nb_real)s->q[i];
    const char *reason = nb_lcp_solve(&lcp, &pivots);
    *error = 0;
    for (int i = 0; i < s->size; ++i) {
        double w = s->q[i];
        for (int j = 0; j < s->size; ++j)
            w += s->m[i * s->size + j] * (double)lcp.z[j];
        *error = fmax(*error, fabs(i < s->free ? w : fmin(w, (double)lcp.z[i])));
        z[i] = (double)lcp.z[i];
        size = fmax(size, fabs(z[i]));
    }
    *error /= size;
    nb_lcp_free(&lcp);
    return reason;
}

/* M = B B^T/8 of a B [n x rank] of whole numbers from -2 to 2, which are often degenerate, and whole q. */
static void make_semidefinite(struct sample *s, int size, int free_unknowns, int rank, uint32_t *seed)
{
    double b[MOST * MOST];
    s->size = size;
    s->free = free_unknowns;
    for (int i = 0; i < size * rank; ++i)
        b[i] = floor(5 * test_uniform(seed)) - 2;
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            s->m[i * size + j] = 0;
            for (int k = 0; k < rank; ++k)
                s->m[i * size + j] += b[i * rank + k] * b[j * rank + k] / 8;
        }
        s->q[i] = floor(5 * test_uniform(seed)) - 2;
    }
    for (int i = 0; i < free_unknowns; ++i) { /* which do not contradict each other: q = M (1, ..., 1) there */
        s->q[i] = 0;
        for (int j = 0; j < size; ++j)
            s->q[i] += s->m[i * size + j];
    }
}

/* A solution is found where there is one, and a ray where there is none: M is positive semidefinite. */
TEST(test_semidefinite_problems)
{
    uint32_t seed = 11;
    int solvable = 0, rays = 0;
    for (int k = 0; k < 600; ++k) {
        struct sample s;
        double z[MOST], error;
        const int size = 1 + k % 6;
        make_semidefinite(&s, size, k % 3 ? 0 : size / 2, 1 + k / 6 % size, &seed);
        const char *reason = lemke(&s, z, &error);
        if (has_solution(&s) != (reason == NULL))
            fail_msg("problem %d: %s", k, reason ? reason : "solved without a solution");
        if (!reason && error > 1e4 * U)
            fail_msg("problem %d of %d unknowns, %d free: error %.2g", k, s.size, s.free, error);
        solvable += !reason;
        rays += reason != NULL;
    }
    print_message("%d with a solution, %d without\n", solvable, rays);
    assert_true(solvable > 50 && rays > 50);
}

/* One contact on a pyramid of six directions: R_n, beta_0 .. beta_5, sigma. There is a solution for any velocity,
 * and Lemke's method finds one. */
TEST(test_pyramids)
{
    uint32_t seed = 5;
    for (int k = 0; k < 300; ++k) {
        struct sample s = {.size = 8, .free = 0};
        double w[9], b[9], e[3 * 7] = {1}, z[MOST], error;
        for (int i = 0; i < 9; ++i)
            b[i] = test_uniform(&seed);
        for (int i = 0; i < 9; ++i)
            w[i] = b[i / 3 * 3] * b[i % 3 * 3] + b[i / 3 * 3 + 1] * b[i % 3 * 3 + 1] + (i % 4 == 0) +
                   b[i / 3 * 3 + 2] * b[i % 3 * 3 + 2];
        for (int d = 0; d < 6; ++d) {
            e[3 * (d + 1) + 1] = cos(d * acos(0.5));
            e[3 * (d + 1) + 2] = sin(d * acos(0.5));
        }
        const double q[3] = {test_uniform(&seed) - 0.8, test_uniform(&seed) - 0.5, test_uniform(&seed) - 0.5};
        for (int i = 0; i < 7; ++i)
            for (int r = 0; r < 3; ++r) {
                s.q[i] += e[3 * i + r] * q[r];
                for (int j = 0; j < 7; ++j)
                    for (int c = 0; c < 3; ++c)
                        s.m[8 * i + j] += e[3 * i + r] * w[3 * r + c] * e[3 * j + c];
            }
        for (int d = 1; d < 7; ++d) {
            s.m[8 * d + 7] = 1;
            s.m[56 + d] = -1;
        }
        s.m[56] = k % 4 ? 0.3 : 0;
        assert_true(has_solution(&s));
        const char *reason = lemke(&s, z, &error);
        if (reason || error > 1e4 * U)
            fail_msg("contact %d: %s, error %.2g", k, reason ? reason : "solved", error);
    }
}
