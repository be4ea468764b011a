/* BiCGStab and block ILU(0): small unsymmetric systems against LAPACK's LU, and systems that have no
 * solution or no finite value, which end and leave nothing that is not finite. */
#include "tests/support/support.h"

#include <lapacke.h>

#include "solvers/block/block_ilu.h"
#include "solvers/linear/krylov/bicgstab.h"

enum { BLOCKS = 20, N = 3 * BLOCKS };

struct system {
    struct NB(nb_bsr) matrix;
    struct NB(nb_block_ilu) ilu;
    int with_ilu;
    long products;
};

static void multiply(const void *context, const nb_real *x, nb_real *y)
{
    struct system *system = (struct system *)(uintptr_t)context;
    system->products++;
    NB(nb_bsr_multiply)(&system->matrix, x, y, 1);
}

static void precondition(const void *context, const nb_real *r, nb_real *z)
{
    const struct system *system = context;
    if (system->with_ilu)
        NB(nb_block_ilu_apply)(&system->ilu, r, z);
    else
        memcpy(z, r, N * sizeof *z);
}

/* Blocks within `band` of the diagonal, and in rows and columns 0 to `full` - 1. */
static void fill(struct system *system, int band, int full, double diagonal, uint32_t seed)
{
    struct NB(nb_bsr) *a = &system->matrix;
    assert_int_equal(NB(nb_bsr_allocate)(a, BLOCKS, BLOCKS, BLOCKS * BLOCKS, NULL), NB_OK);
    assert_int_equal(NB(nb_block_ilu_create)(&system->ilu, BLOCKS, BLOCKS * BLOCKS, NULL), NB_OK);
    int count = 0;
    for (int i = 0; i < BLOCKS; ++i) {
        for (int j = 0; j < BLOCKS; ++j) {
            if (abs(i - j) > band && i >= full && j >= full)
                continue;
            for (int e = 0; e < 9; ++e)
                a->value[9 * count + e] = (nb_matrix)(2 * test_uniform(&seed) +
                                                      (i == j && e % 4 == 0 ? diagonal : 0));
            a->column[count++] = j;
        }
        a->start[i + 1] = count;
    }
}

static void release(struct system *system)
{
    NB(nb_bsr_free)(&system->matrix);
    NB(nb_block_ilu_free)(&system->ilu);
}

static void expand(const struct system *system, double *dense)
{
    const struct NB(nb_bsr) *a = &system->matrix;
    memset(dense, 0, N * N * sizeof *dense);
    for (int i = 0; i < BLOCKS; ++i)
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            for (int e = 0; e < 9; ++e)
                dense[(3 * i + e / 3) * N + 3 * a->column[k] + e % 3] = (double)a->value[9 * k + e];
}

static struct nb_linear_report solve(struct system *system, const nb_real *b, nb_real tolerance, int products,
                                     nb_real *x, nb_real *residual)
{
    static nb_real work[12 * N];
    assert_true(nb_bicgstab_room(N) <= sizeof work / sizeof *work);
    const struct nb_bicgstab_task task = {.n = N, .context = system, .multiply = multiply,
                                            .precondition = precondition, .iterations = products,
                                            .threads = 1, .work = work};
    system->products = 0;
    const struct nb_linear_report report = nb_bicgstab(&task, b, tolerance, x, residual);
    assert_true(report.iterations <= products);
    assert_true(system->products <= 2 * products + 2);
    for (int i = 0; i < N; ++i)
        assert_true(isfinite(x[i]));
    return report;
}

static void random_vector(nb_real *b, uint32_t seed)
{
    for (int i = 0; i < N; ++i)
        b[i] = (nb_real)test_uniform(&seed);
}

TEST(test_against_lapack)
{
    static double dense[N * N];
    const nb_real tight = NB_REAL(100 * NB_UNIT_ROUNDOFF);
    for (uint32_t seed = 1; seed <= 10; ++seed)
        for (int with_ilu = 0; with_ilu < 2; ++with_ilu) {
            struct system system = {.with_ilu = with_ilu};
            nb_real b[N], x[N], residual;
            double exact[N], most = 0;
            lapack_int pivot[N];
            fill(&system, 2, 1, 8, seed);
            if (with_ilu)
                assert_int_equal(NB(nb_block_ilu_update)(&system.ilu, &system.matrix), NB_OK);
            random_vector(b, seed + 100);
            for (int i = 0; i < N; ++i)
                exact[i] = (double)b[i];
            expand(&system, dense);
            assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, N, 1, dense, N, pivot, exact, 1), 0);
            const nb_real size = NB(nb_norm)(N, b, 1);
            const struct nb_linear_report report =
                solve(&system, b, tight * size, 4 * N, x, &residual);
            assert_int_equal(report.ending, NB_LINEAR_CONVERGED);
            assert_true(residual <= tight * size);
            for (int i = 0; i < N; ++i)
                most = fmax(most, fabs((double)x[i] - exact[i]));
            assert_true(most < 1e3 * (double)tight);
            release(&system);
        }
}

/* Without fill outside the pattern ILU(0) is the LU factorisation; else it agrees with A in the pattern. */
TEST(test_ilu)
{
    for (int full = 0; full < 2; ++full) {
        struct system system = {0};
        nb_real x[N], b[N], z[N];
        fill(&system, 1, 0, 6, 7);
        assert_int_equal(NB(nb_block_ilu_update)(&system.ilu, &system.matrix), NB_OK);
        random_vector(x, 8);
        NB(nb_bsr_multiply)(&system.matrix, x, b, 1);
        NB(nb_block_ilu_apply)(&system.ilu, b, z);
        for (int i = 0; i < N; ++i)
            assert_true(nb_abs(z[i] - x[i]) < NB_REAL(1e3 * NB_UNIT_ROUNDOFF));
        memset(system.matrix.value + 9 * system.matrix.start[5], 0, 27 * sizeof(nb_matrix));
        if (full)
            system.matrix.value[9 * system.matrix.start[5]] = (nb_matrix)NAN;
        assert_int_equal(NB(nb_block_ilu_update)(&system.ilu, &system.matrix), NB_BREAKDOWN);
        release(&system);
    }
}

TEST(test_endings)
{
    struct system system = {0};
    nb_real b[N] = {0}, x[N], residual;
    fill(&system, 1, 0, 6, 9);
    /* nothing to do */
    struct nb_linear_report report = solve(&system, b, 0, N, x, &residual);
    assert_int_equal(report.ending, NB_LINEAR_CONVERGED);
    assert_true(report.iterations == 0 && residual == 0);
    /* no product allowed */
    random_vector(b, 4);
    report = solve(&system, b, 0, 0, x, &residual);
    assert_int_equal(report.ending, NB_LINEAR_ITERATION_LIMIT);
    /* more than arithmetic gives */
    report = solve(&system, b, 0, 100 * N, x, &residual);
    assert_int_not_equal(report.ending, NB_LINEAR_CONVERGED);
    assert_true(residual < NB_REAL(1e3 * NB_UNIT_ROUNDOFF));
    /* a right-hand side and a matrix that are not finite */
    b[3] = (nb_real)NAN;
    report = solve(&system, b, 0, N, x, &residual);
    assert_int_equal(report.ending, NB_LINEAR_NON_FINITE);
    b[3] = 1;
    system.matrix.value[30] = (nb_matrix)INFINITY;
    report = solve(&system, b, 0, N, x, &residual);
    assert_int_equal(report.ending, NB_LINEAR_NON_FINITE);
    /* A = 0 */
    memset(system.matrix.value, 0, 9 * (size_t)system.matrix.start[BLOCKS] * sizeof(nb_matrix));
    report = solve(&system, b, 0, N, x, &residual);
    assert_int_equal(report.ending, NB_LINEAR_BREAKDOWN);
    /* singular: the second half of b is out of reach */
    for (int i = 0; i < BLOCKS / 2; ++i)
        for (int k = system.matrix.start[i]; k < system.matrix.start[i + 1]; ++k)
            for (int e = 0; e < 9 && system.matrix.column[k] == i; e += 4)
                system.matrix.value[9 * k + e] = 1;
    report = solve(&system, b, 0, N, x, &residual);
    assert_int_not_equal(report.ending, NB_LINEAR_CONVERGED);
    assert_true(residual <= NB(nb_norm)(N, b, 1));
    /* skew: every step of least residual along A r is zero */
    memset(system.matrix.value, 0, 9 * (size_t)system.matrix.start[BLOCKS] * sizeof(nb_matrix));
    for (int i = 0; i < BLOCKS; ++i)
        for (int k = system.matrix.start[i]; k < system.matrix.start[i + 1]; ++k)
            if (system.matrix.column[k] == i) {
                system.matrix.value[9 * k + 1] = 1;
                system.matrix.value[9 * k + 3] = -1;
                system.matrix.value[9 * k + 8] = 1;
            }
    for (int i = 2; i < N; i += 3)
        b[i] = 0;
    report = solve(&system, b, NB_REAL(1e-4), N, x, &residual);
    assert_int_equal(report.ending, NB_LINEAR_BREAKDOWN);
    release(&system);
}
