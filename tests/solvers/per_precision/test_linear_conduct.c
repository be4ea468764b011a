/* How every linear solver and preconditioner behaves besides being right: a preconditioner is symmetric
 * and positive definite, a solve allocates nothing, two threads give the bits of one, settings are
 * obeyed. */
#include <lapacke.h>

#include "tests/support/linear_support.h"

/* --- allocations, counted by standing in for the C library's functions --- */

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 0
static long allocations;
#else
#define COUNTS_ALLOCATIONS 1
static volatile long allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size)
{
    ++allocations;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    ++allocations;
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
    ++allocations;
    return __libc_realloc(old, size);
}
#endif

static void allocates_nothing(const char *linear, const char *precond, int direct)
{
    static double dense[N * N], b[N];
    struct nb_options options = nb_options_default();
    struct nb_linear_report report;
    struct nb_run run;
    void *bench = NULL;
    (void)direct;
    if (strncmp(linear, "cuda_", 5) == 0) /* what the driver allocates is not ours to say */
        return;
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    struct nb_csr matrix = to_csr(dense, N);
    options.linear = linear;
    options.precond = precond;
    assert_ok(nb_bench_create(&bench, &matrix, b, &options, NB_FULL, &why));
    const long before = allocations;
    nb_bench_run(bench, 20, NULL, &report, &run, &why);
    const long after = allocations;
    if (after != before)
        print_error("%s+%s: %ld allocations in a solve\n", linear, precond, after - before);
    assert_int_equal(after, before);
    nb_bench_free(bench);
    nb_csr_free(&matrix);
}

TEST(test_a_solve_allocates_nothing)
{
    if (!COUNTS_ALLOCATIONS) {
        print_message("skipped: the sanitizer has its own allocator\n");
        skip();
    }
    for_each_pair(allocates_nothing);
    allocates_nothing("pcr:islands=yes", "jacobi", 0);
    allocates_nothing("pcr:in=f16", "ic0", 0);
}

/* --- preconditioners --- */

/* z = P^-1 r through the strategy itself. */
struct probe {
    struct nb_bsr matrix;
    struct nb_operator op;
    const struct nb_precond *precond;
    void *self;
};

static void probe_open(struct probe *probe, const char *precond, const double *dense, int n)
{
    struct nb_csr matrix = to_csr(dense, n);
    memset(probe, 0, sizeof *probe);
    assert_int_equal(nb_bsr_from_csr(&probe->matrix, &matrix, 1, NULL), NB_OK);
    nb_csr_free(&matrix);
    probe->op = (struct nb_operator){.strategy = nb_find_operator("assembled"),
                                     .size = (size_t)n, .threads = 1,
                                     .matrix = &probe->matrix};
    probe->op.diagonal = malloc((size_t)n * sizeof *probe->op.diagonal);
    for (int i = 0; i < n; ++i)
        probe->op.diagonal[i] = (nb_real)dense[i * n + i];
    probe->precond = nb_find_precond(precond);
    struct nb_options options = nb_options_default();
    options.precond = precond;
    probe->op.options = &options;
    if (probe->precond->setup)
        assert_int_equal(probe->precond->setup(&probe->self, &probe->op, &why), NB_OK);
    if (probe->precond->update)
        assert_int_equal(probe->precond->update(probe->self, &probe->op, &why), NB_OK);
    probe->op.options = NULL;
}

static void probe_close(struct probe *probe)
{
    if (probe->precond->free)
        probe->precond->free(probe->self);
    nb_bsr_free(&probe->matrix);
    free(probe->op.diagonal);
}

/* A settled heap in small: blocks of very different size, each touching some that are far away, so that
 * incomplete factorisations drop entries and aggregates differ. */
static void heap_matrix(double *dense)
{
    memset(dense, 0, N * N * sizeof *dense);
    seed = 11;
    for (int k = 0; k < 3 * N; ++k) { /* sums of w w^T with w on two blocks: positive semidefinite */
        const int i = 3 * (k % (N / 3)), j = 3 * ((7 * k + k / 5) % (N / 3));
        const double scale = pow(4, k % 4);
        double w[6];
        int at[6];
        for (int e = 0; e < 6; ++e) {
            w[e] = scale * uniform();
            at[e] = e < 3 ? i + e : j + e - 3;
        }
        for (int a = 0; a < 6; ++a)
            for (int c = 0; c < 6; ++c)
                dense[at[a] * N + at[c]] += w[a] * w[c];
    }
    for (int i = 0; i < N; ++i)
        dense[i * N + i] += 0.05;
}

/* The whole of P^-1, column by column: symmetric, and positive definite by LAPACK's Cholesky. */
TEST(test_preconditioners_are_symmetric_positive_definite)
{
    static double dense[N * N], inverse[N * N];
    struct nb_registry_row row;
    heap_matrix(dense);
    for (size_t p = 0; nb_slot_row("precond", p, &row); ++p) {
        struct probe probe;
        double largest = 0;
        probe_open(&probe, row.name, dense, N);
        for (int j = 0; j < N; ++j) {
            nb_real unit[N] = {0}, z[N];
            unit[j] = 1;
            probe.precond->apply(probe.self, &probe.op, unit, z);
            for (int i = 0; i < N; ++i) {
                inverse[i * N + j] = (double)z[i];
                largest = fmax(largest, fabs((double)z[i]));
            }
        }
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < i; ++j) {
                if (!(fabs(inverse[i * N + j] - inverse[j * N + i]) <= 1e4 * U * largest))
                    print_error("%s is not symmetric\n", row.name);
                assert_true(fabs(inverse[i * N + j] - inverse[j * N + i]) <= 1e4 * U * largest);
            }
        const int failed = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', N, inverse, N);
        if (failed)
            print_error("%s is not positive definite\n", row.name);
        assert_int_equal(failed, 0);
        probe_close(&probe);
    }
}

/* --- threads --- */

enum { BLOCKS = 9000 };

/* A chain long enough that every parallel loop is entered. */
static struct nb_csr long_chain(double *b)
{
    struct nb_csr matrix;
    const int n = 3 * BLOCKS;
    int at = 0;
    seed = 5;
    assert_int_equal(nb_csr_allocate(&matrix, n, n, 9 * n, NULL), NB_OK);
    for (int i = 0; i < n; ++i) {
        const int block = i / 3, first = block > 0 ? 3 * block - 3 : 0;
        const int last = block + 1 < BLOCKS ? 3 * block + 6 : n;
        for (int j = first; j < last; ++j) {
            const int low = i < j ? i : j, high = i < j ? j : i;
            matrix.column[at] = j;
            matrix.value[at++] = i == j ? 6 + i % 7 : sin(low * 3.0 + (high - low));
        }
        matrix.start[i + 1] = at;
        b[i] = uniform();
    }
    return matrix;
}

/* x after a few iterations; NULL where the pair cannot run. The caller frees. */
static double *solution(const struct nb_csr *matrix, const double *b, const char *linear,
                        const char *precond, int threads)
{
    struct nb_options options = nb_options_default();
    struct nb_linear_report report;
    struct nb_run run;
    void *bench = NULL;
    options.linear = linear;
    options.precond = precond;
    options.threads = threads;
    const enum nb_status status = nb_bench_create(&bench, matrix, b, &options, NB_FULL, &why);
    if (status) {
        assert_int_equal(status, NB_UNSUPPORTED);
        return NULL;
    }
    double *x = malloc((size_t)matrix->rows * sizeof *x);
    nb_bench_run(bench, 6, NULL, &report, &run, &why);
    nb_bench_solution(bench, x);
    nb_bench_free(bench);
    return x;
}

static void same_bits(const struct nb_csr *matrix, const double *b, const char *linear,
                      const char *precond)
{
    OWNS(free_at) double *one = solution(matrix, b, linear, precond, 1);
    OWNS(free_at) double *two = solution(matrix, b, linear, precond, 2);
    assert_true((one == NULL) == (two == NULL));
    if (one && memcmp(one, two, (size_t)matrix->rows * sizeof *one))
        fail_msg("%s+%s: two threads give other bits than one", linear, precond);
}

TEST(test_two_threads_give_the_bits_of_one)
{
    OWNS(free_at) double *b = malloc(3 * BLOCKS * sizeof *b);
    OWNS(nb_csr_free) struct nb_csr matrix = long_chain(b);
    struct nb_registry_row row;
    for (size_t i = 0; nb_slot_row("linear", i, &row); ++i)
        same_bits(&matrix, b, row.name, nb_find_linear(row.name)->preconditioned ? "jacobi" : "none");
    for (size_t i = 0; nb_slot_row("precond", i, &row); ++i)
        same_bits(&matrix, b, "pcr", row.name);
}

/* --- direct solvers --- */

/* Every factorisation gives the solution; L D L^T also where Cholesky fails. */
TEST(test_direct_variants)
{
    static double dense[N * N], b[N];
    static const char *const choices[] = {
        "cholesky", "ldlt", "dense_cholesky", "dense_ldlt"};
    for (int indefinite = 0; indefinite < 2; ++indefinite) {
        chain_matrix(dense);
        for (int i = 0; i < N; i += 2)
            dense[i * N + i] *= indefinite ? -1 : 1;
        for (int i = 0; i < N; ++i)
            b[i] = uniform();
        const struct outcome exact = solve(dense, b, N, "dense_ldlt", "none", 1, NULL);
        assert_int_equal(exact.report.ending, NB_LINEAR_CONVERGED);
        for (size_t c = 0; c < sizeof choices / sizeof *choices; ++c) {
            if (!runs(choices[c], "none"))
                continue;
            const struct outcome out = solve(dense, b, N, choices[c], "none", 1, NULL);
            if (indefinite && strstr(choices[c], "cholesky")) {
                assert_int_equal(out.status, NB_BREAKDOWN);
                continue;
            }
            assert_int_equal(out.report.ending, NB_LINEAR_CONVERGED);
            double difference[N];
            for (int i = 0; i < N; ++i)
                difference[i] = out.x[i] - exact.x[i];
            assert_true(norm(difference, N) <= 500 * U * norm(exact.x, N));
        }
    }
}

/* --- settings --- */

TEST(test_a_given_factor_is_used)
{
    static double dense[N * N], b[N];
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    const struct outcome plain = solve(dense, b, N, "gauss_seidel", "none", 5, NULL);
    const struct outcome one = solve(dense, b, N, "sor:omega=1", "none", 5, NULL);
    const struct outcome more = solve(dense, b, N, "sor:omega=1.4", "none", 5, NULL);
    assert_memory_equal(plain.x, one.x, sizeof plain.x);
    assert_memory_not_equal(plain.x, more.x, sizeof plain.x);
    const struct outcome bad = solve(dense, b, N, "sor:omega=2.5", "none", 5, NULL);
    assert_int_equal(bad.status, NB_BAD_INPUT);
}

TEST(test_a_tolerance_ends_the_solve)
{
    static double dense[N * N], b[N];
    const char *const solvers[] = {"pcr", "pcg", "fpcg", "pcg_single", "pcr_single", "minres",
                                   "jacobi", "gauss_seidel", "sor", "ssor", "chebyshev",
                                   "symmetric_gauss_seidel", "chebyshev_jacobi", "momentum_jacobi"};
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; ++s) {
        char choice[64];
        struct trace trace = {.dense = dense, .b = b, .n = N};
        const int uses = nb_find_linear(solvers[s])->preconditioned;
        snprintf(choice, sizeof choice, "%s:tol=1e-3", solvers[s]);
        const struct outcome out = solve(dense, b, N, choice, uses ? "jacobi" : "none", 1500, &trace);
        assert_int_equal(out.report.ending, NB_LINEAR_CONVERGED);
        assert_int_equal(out.report.iterations, trace.count - 1);
        assert_true(trace.residual[trace.count - 1] <= 1.01e-3 * norm(b, N));
        assert_true(trace.residual[trace.count - 2] > 0.99e-3 * norm(b, N));
    }
}
