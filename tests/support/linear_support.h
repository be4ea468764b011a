/* Small systems for tests of linear solvers, and one solve of them in the present precision. Include
 * after cmocka.h. */
#ifndef NB_TEST_LINEAR_SUPPORT_H
#define NB_TEST_LINEAR_SUPPORT_H

#include "solvers/linear/solve/linear_bench.h"
#include "solvers/registry.h"
#include "solvers/strategy.h"
#include "tests/support/test.h"

#define U ((double)NB_UNIT_ROUNDOFF)
enum { N = 60 };

static uint32_t seed;
static inline double uniform(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 24) - 0.5;
}

/* A chain of contacts: neighbours overlap in a 3x3 block; strongly positive definite. */
static inline void chain_matrix(double *dense)
{
    memset(dense, 0, N * N * sizeof *dense);
    seed = 7;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < i; ++j)
            if (i / 3 - j / 3 <= 1)
                dense[i * N + j] = dense[j * N + i] = uniform();
    for (int i = 0; i < N; ++i) {
        double sum = 0.4 * (1 + i % 5);
        for (int j = 0; j < N; ++j)
            sum += fabs(dense[i * N + j]);
        dense[i * N + i] = sum;
    }
}

/* Row and column 59 repeat 58, as a redundant contact's do. */
static inline void make_singular(double *dense)
{
    chain_matrix(dense);
    for (int j = 0; j < N; ++j)
        dense[59 * N + j] = dense[58 * N + j];
    for (int i = 0; i < N; ++i)
        dense[i * N + 59] = dense[i * N + 58];
}

static inline struct nb_csr to_csr(const double *dense, int n)
{
    struct nb_csr matrix;
    OWNS(free_at) int *row = malloc((size_t)(n * n + 1) * sizeof *row), *column =
        malloc((size_t)(n * n + 1) * sizeof *column);
    OWNS(free_at) double *value = malloc((size_t)(n * n + 1) * sizeof *value);
    int count = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (dense[i * n + j] != 0 || i == j) {
                row[count] = i, column[count] = j;
                value[count++] = dense[i * n + j];
            }
    assert_int_equal(nb_csr_from_triplets(&matrix, n, n, count, row, column, value, NULL), NB_OK);
    return matrix;
}

static inline double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

struct outcome {
    enum nb_status status;
    struct nb_linear_report report;
    struct nb_run run;
    struct nb_error error;
    double x[N];
};

struct trace {
    const double *dense, *b;
    int n, weighted, count;
    double residual[2000];
};

/* ||b - A x||, weighted by the inverse diagonal, as solvers measure it: an entry that is not positive counts as one. */
static inline void observe(void *context, int iteration, const double *x)
{
    struct trace *trace = context;
    double sum = 0;
    for (int i = 0; i < trace->n; ++i) {
        double r = trace->b[i];
        for (int j = 0; j < trace->n; ++j)
            r -= trace->dense[i * trace->n + j] * x[j];
        const double d = trace->dense[i * trace->n + i];
        sum += r * r / (trace->weighted && d > 0 ? d : 1);
    }
    assert_int_equal(iteration, trace->count);
    trace->residual[trace->count++] = sqrt(sum);
}

static inline struct outcome solve(const double *dense, const double *b, int n, const char *linear,
                            const char *precond, int iterations, struct trace *trace)
{
    struct outcome out;
    struct nb_options options = nb_options_default();
    OWNS(nb_csr_free) struct nb_csr matrix = to_csr(dense, n);
    void *bench = NULL;
    memset(&out, 0, sizeof out);
    options.linear = linear;
    options.precond = precond;
    options.shift = 0;
    out.status = nb_bench_create(&bench, &matrix, b, &options, NB_FULL, &out.error);
    if (!out.status) {
        const struct nb_linear_observer observer = {trace, observe};
        out.status = nb_bench_run(bench, iterations, trace ? &observer : NULL, &out.report,
                                  &out.run, &out.error);
        nb_bench_solution(bench, out.x);
    }
    nb_bench_free(bench);
    return out;
}

/* Whether the pair can run in this precision; if not, it must say why. */
static inline int runs(const char *linear, const char *precond)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 1, 1};
    const struct outcome out = solve(one, b, 3, linear, precond, 1, NULL);
    assert_true(out.status == NB_OK || out.status == NB_UNSUPPORTED);
    if (out.status)
        assert_true(strlen(out.error.text) > 10);
    return out.status == NB_OK;
}

typedef void each_pair(const char *linear, const char *precond, int direct);

static inline void for_each_pair(each_pair *check)
{
    struct nb_registry_row linear, precond;
    for (size_t i = 0; nb_slot_row("linear", i, &linear); ++i)
        for (size_t j = 0; nb_slot_row("precond", j, &precond); ++j) {
            const struct nb_linear *solver = nb_find_linear(linear.name);
            const int used = solver->preconditioned || strcmp(precond.name, "none") == 0;
            if (used && runs(linear.name, precond.name))
                check(linear.name, precond.name, solver->direct);
        }
}

#endif
