/* The CUDA solvers' iterates on systems in and beyond shared memory: the CPU's, and the same bits from run to run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/cuda_support.h"

/* Rows with the CPU's iterates, and the CPU's names for them. */
static const struct pair {
    const char *linear, *cpu, *precond;
} pairs[] = {
    {"cuda_pcr", "pcr", "jacobi"},
    {"cuda_pcr:by=grid", "pcr", "jacobi"},
    {"cuda_pcr:by=library", "pcr", "jacobi"},
    {"cuda_pcr:preconditioner=block_jacobi", "pcr", "block_jacobi"},
    {"cuda_pcr:by=library:preconditioner=block_jacobi", "pcr", "block_jacobi"},
    {"cuda_pcg", "pcg", "jacobi"},
    {"cuda_pcg:by=grid", "pcg", "jacobi"},
    {"cuda_pcg:preconditioner=block_jacobi", "pcg", "block_jacobi"},
    {"cuda_jacobi", "jacobi", "none"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* --- a system of any size: SMALL stays in the shared memory of a block, LARGE does not --- */

enum { SMALL = 57, LARGE = 1501, LARGE_FOR_TOOLS = 401 };

/* Under compute-sanitizer, which is a hundred times slower, less will do. */
static int for_tools(void) { return getenv("NB_TEST_SMALL") != NULL; }
static int large_size(void) { return for_tools() ? LARGE_FOR_TOOLS : LARGE; }

struct large {
    struct nb_csr matrix;
    double *b;
    int n, entries, *row, *column;
    double *value;
};

static void add(struct large *large, int row, int column, double value)
{
    large->row[large->entries] = row;
    large->column[large->entries] = column;
    large->value[large->entries++] = value;
}

/* Blocks i and j coupled by w w^T, which leaves the matrix semidefinite. */
static void couple(struct large *large, int i, int j)
{
    double w[6];
    for (int k = 0; k < 6; ++k)
        w[k] = uniform() * (1 + i % 3);
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
            add(large, r < 3 ? 3 * i + r : 3 * j + r - 3, c < 3 ? 3 * i + c : 3 * j + c - 3,
                w[r] * w[c]);
}

/* Rows of two to about forty blocks, near and far. */
static void large_open(struct large *large, int blocks)
{
    const size_t most = 36 * 4 * (size_t)blocks;
    *large = (struct large){.n = 3 * blocks};
    large->row = malloc(most * sizeof(int));
    large->column = malloc(most * sizeof(int));
    large->value = malloc(most * sizeof(double));
    large->b = malloc((size_t)large->n * sizeof(double));
    seed = 5;
    for (int i = 0; i + 1 < blocks; ++i) {
        couple(large, i, i + 1);
        if (i + 37 < blocks && i % 2)
            couple(large, i, i + 37);
        if (i > 1 && i < 45)
            couple(large, 0, i);
    }
    for (int i = 0; i < large->n; ++i) {
        add(large, i, i, 0.02 + 0.01 * (i % 7));
        large->b[i] = uniform();
    }
    assert_int_equal(nb_csr_from_triplets(&large->matrix, large->n, large->n, large->entries,
                                          large->row, large->column, large->value, NULL),
                     NB_OK);
}

static void large_close(struct large *large)
{
    nb_csr_free(&large->matrix);
    free(large->row);
    free(large->column);
    free(large->value);
    free(large->b);
}

static void keep_count(void *context, int iteration, const double *x)
{
    int *count = context;
    (void)x;
    assert_int_equal(iteration, *count);
    ++*count;
}

/* x [n]; observed calls or NULL. */
static struct nb_linear_report large_solve(const struct large *large, const char *linear,
                                           const char *precond, int iterations, int *observed,
                                           double *x)
{
    struct nb_options options = nb_options_default();
    const struct nb_linear_observer observer = {observed, keep_count};
    struct nb_linear_report report;
    struct nb_run run;
    struct nb_error error = {""};
    void *bench = NULL;
    options.linear = linear;
    options.precond = precond;
    if (NB(nb_bench_create)(&bench, &large->matrix, large->b, &options, NB_FULL, &error))
        fail_msg("%s: %s", linear, error.text);
    for (int twice = 0; twice < 2; ++twice) { /* nothing of the first run may be left in the second */
        if (observed)
            *observed = 0;
        assert_int_equal(NB(nb_bench_run)(bench, iterations, observed ? &observer : NULL, &report,
                                          &run, &error), NB_OK);
    }
    NB(nb_bench_solution)(bench, x);
    NB(nb_bench_free)(bench);
    return report;
}

/* Round-off grows by about the condition of what the iterations have seen so far. */
static void same_iterates(const struct pair *pair, int blocks)
{
    static const int counts[] = {0, 1, 2, 5, 13};
    struct large large;
    large_open(&large, blocks);
    double *x = malloc((size_t)large.n * sizeof *x), *y = malloc((size_t)large.n * sizeof *y);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        if (for_tools() && counts[c] != 5)
            continue;
        const struct nb_linear_report cpu =
            large_solve(&large, pair->cpu, pair->precond, counts[c], NULL, y);
        const struct nb_linear_report report =
            large_solve(&large, pair->linear, "none", counts[c], NULL, x);
        assert_int_equal(report.ending, cpu.ending);
        if (cpu.ending == NB_LINEAR_ITERATION_LIMIT)
            assert_int_equal(report.iterations, counts[c]);
        if (!(distance(x, y, large.n) <= 3000 * U * norm(y, large.n)))
            fail_msg("%s: %g off after %d iterations", pair->linear, distance(x, y, large.n), counts[c]);
    }
    free(x);
    free(y);
    large_close(&large);
}

static void test_the_iterates_are_the_cpus(void **state)
{
    skip_without_device();
    same_iterates(*state, SMALL);
    same_iterates(*state, large_size());
}

/* Run to run, and whether or not somebody watches. */
static void same_bits(const char *linear, int blocks)
{
    struct large large;
    large_open(&large, blocks);
    const size_t bytes = 3 * (size_t)blocks * sizeof(double);
    double *x = malloc(bytes), *y = malloc(bytes);
    const int iterations = for_tools() ? 12 : 130, times = for_tools() ? 1 : 3;
    int observed = 0;
    const struct nb_linear_report first = large_solve(&large, linear, "none", iterations, NULL, x);
    for (int again = 0; again < times; ++again) {
        large_solve(&large, linear, "none", iterations, NULL, y);
        assert_memory_equal(x, y, bytes);
    }
    const struct nb_linear_report seen = large_solve(&large, linear, "none", iterations, &observed, y);
    assert_memory_equal(x, y, bytes);
    assert_int_equal(seen.ending, first.ending);
    assert_int_equal(seen.iterations, first.iterations);
    assert_int_equal(observed, first.iterations + 1);
    free(x);
    free(y);
    large_close(&large);
}

static void test_the_same_bits_each_time(void **state)
{
    skip_without_device();
    same_bits(*state, SMALL);
    same_bits(*state, large_size());
}

int main(void)
{
    static struct tests tests;
    for (int k = 0; k < PAIRS; ++k)
        add_test(&tests, "the iterates are the CPU's", pairs[k].linear, test_the_iterates_are_the_cpus, &pairs[k]);
    for (int k = 0; k < ROWS; ++k)
        add_test(&tests, "the same bits each time", cuda_rows[k], test_the_same_bits_each_time, cuda_rows[k]);
    return run_listed(&tests);
}
