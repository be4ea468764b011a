/* The CUDA solvers against the CPU's: the same iterates, the same endings, the same bits from run to run.
 * Without a device only that they say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "problems/simulate.h"
#include "tests/linear_support.h"

static const char *const ways[] = {"cuda_pcr_library", "cuda_pcr_graph", "cuda_pcr_persistent",
                                   "cuda_pcg_graph",   "cuda_pcg_persistent",
                                   "cuda_jacobi",      "cuda_gauss_seidel"};
enum { WAYS = sizeof ways / sizeof *ways, PCR_WAYS = 3, KRYLOV_WAYS = 5 };

/* Rows with the CPU's iterates, and the CPU's names for them. */
static const struct {
    const char *linear, *cpu, *precond;
} pairs[] = {
    {"cuda_pcr_library", "pcr", "jacobi"},
    {"cuda_pcr_graph", "pcr", "jacobi"},
    {"cuda_pcr_persistent", "pcr", "jacobi"},
    {"cuda_pcr_persistent:placed=grid", "pcr", "jacobi"},
    {"cuda_pcr_graph:preconditioner=block_jacobi", "pcr", "block_jacobi"},
    {"cuda_pcr_persistent:preconditioner=block_jacobi", "pcr", "block_jacobi"},
    {"cuda_pcg_graph", "pcg", "jacobi"},
    {"cuda_pcg_persistent", "pcg", "jacobi"},
    {"cuda_pcg_persistent:preconditioner=block_jacobi", "pcg", "block_jacobi"},
    {"cuda_jacobi", "jacobi", "none"},
    {"cuda_dense_cholesky", "cholesky", "none"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static struct outcome smallest(const char *linear)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 1, 1};
    return solve(one, b, 3, linear, "none", 1, NULL);
}

static void skip_without_device(void)
{
    if (!nb_registry_find("linear", ways[1])) {
        print_message("skipped: built without CUDA\n");
        skip();
    }
    const struct outcome out = smallest(ways[1]);
    if (out.status == NB_UNSUPPORTED) {
        print_message("skipped: %s\n", out.error.text);
        skip();
    }
    assert_int_equal(out.status, NB_OK);
}

static void test_says_that_there_is_no_device(void **state)
{
    (void)state;
    if (!nb_registry_find("linear", ways[0])) {
        print_message("skipped: built without CUDA\n");
        skip();
    }
    if (smallest(ways[1]).status == NB_OK) {
        print_message("skipped: there is a device\n");
        skip();
    }
    for (int k = 0; k < WAYS; ++k) {
        const struct outcome out = smallest(ways[k]);
        assert_int_equal(out.status, NB_UNSUPPORTED);
        assert_non_null(strstr(out.error.text, "no CUDA device"));
    }
}

/* --- a system of any size: SMALL stays in shared memory, LARGE does not --- */

enum { SMALL = 57, LARGE = 3001, LARGE_FOR_TOOLS = 401 };

/* Under compute-sanitizer, which is a hundred times slower, less will do. */
static int large_size(void) { return getenv("NB_TEST_SMALL") ? LARGE_FOR_TOOLS : LARGE; }

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

static double distance(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

/* Round-off grows by about the condition of what the iterations have seen so far. */
static void same_iterates(int blocks)
{
    static const int counts[] = {0, 1, 2, 5, 13};
    struct large large;
    large_open(&large, blocks);
    double *x = malloc((size_t)large.n * sizeof *x), *y = malloc((size_t)large.n * sizeof *y);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        for (int k = 0; k < PAIRS; ++k) {
            const char *linear = pairs[k].linear;
            const struct nb_linear_report cpu =
                large_solve(&large, pairs[k].cpu, pairs[k].precond, counts[c], NULL, y);
            const struct nb_linear_report report =
                large_solve(&large, linear, "none", counts[c], NULL, x);
            assert_int_equal(report.ending, cpu.ending);
            if (cpu.ending == NB_LINEAR_ITERATION_LIMIT)
                assert_int_equal(report.iterations, counts[c]);
            if (!(distance(x, y, large.n) <= 3000 * U * norm(y, large.n)))
                fail_msg("%s: %g off after %d iterations", linear, distance(x, y, large.n),
                         counts[c]);
        }
    }
    free(x);
    free(y);
    large_close(&large);
}

static void test_the_iterates_are_the_cpus(void **state)
{
    (void)state;
    skip_without_device();
    same_iterates(SMALL);
    same_iterates(large_size());
}

/* A system that fits one block, spread over clusters: the CPU's iterates (in 16 bits one
 * block's), and the same bits when observed. */
static void test_clusters(void **state)
{
    static const char *const names[] = {
        "cuda_pcr_persistent:placed=cluster2", "cuda_pcr_persistent:placed=cluster4",
        "cuda_pcr_persistent:placed=cluster8:preconditioner=block_jacobi",
        "cuda_pcg_persistent:placed=cluster8", "cuda_pcr_persistent:placed=cluster8:storage=bf16"};
    (void)state;
    skip_without_device();
    struct large large;
    large_open(&large, SMALL);
    double x[3 * SMALL], y[3 * SMALL];
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const int gradients = strstr(names[k], "pcg") != NULL, narrow = strstr(names[k], "bf16") != NULL;
        const char *precond = strstr(names[k], "block_jacobi") ? "block_jacobi" : "jacobi";
        int observed = 0;
        const struct nb_linear_report first = large_solve(&large, names[k], "none", 13, NULL, x);
        const struct nb_linear_report seen = large_solve(&large, names[k], "none", 13, &observed, y);
        assert_memory_equal(x, y, sizeof x);
        assert_int_equal(seen.iterations, first.iterations);
        assert_int_equal(observed, first.iterations + 1);
        if (narrow)
            large_solve(&large, "cuda_pcr_persistent:storage=bf16", "none", 13, NULL, y);
        else
            large_solve(&large, gradients ? "pcg" : "pcr", precond, 13, NULL, y);
        if (!(distance(x, y, large.n) <= 3000 * U * norm(y, large.n)))
            fail_msg("%s: %g off", names[k], distance(x, y, large.n));
    }
    large_close(&large);
}

/* Run to run, and whether or not somebody watches. 130 iterations are more than the longest graph. */
static void same_bits(int blocks)
{
    struct large large;
    large_open(&large, blocks);
    const size_t bytes = 3 * (size_t)blocks * sizeof(double);
    double *x = malloc(bytes), *y = malloc(bytes);
    for (int k = 0; k < WAYS; ++k) {
        int observed = 0;
        const struct nb_linear_report first = large_solve(&large, ways[k], "none", 130, NULL, x);
        for (int again = 0; again < 3; ++again) {
            large_solve(&large, ways[k], "none", 130, NULL, y);
            assert_memory_equal(x, y, bytes);
        }
        const struct nb_linear_report seen = large_solve(&large, ways[k], "none", 130, &observed, y);
        assert_memory_equal(x, y, bytes);
        assert_int_equal(seen.ending, first.ending);
        assert_int_equal(seen.iterations, first.iterations);
        assert_int_equal(observed, first.iterations + 1);
    }
    free(x);
    free(y);
    large_close(&large);
}

static void test_the_same_bits_each_time(void **state)
{
    (void)state;
    skip_without_device();
    same_bits(SMALL);
    same_bits(large_size());
}

static void test_agrees_with_cholesky_and_stops_at_a_tolerance(void **state)
{
    static double dense[N * N], b[N];
    (void)state;
    skip_without_device();
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    const struct outcome exact = solve(dense, b, N, "cholesky", "none", 1, NULL);
    for (int k = 0; k < WAYS; ++k) {
        const struct outcome out = solve(dense, b, N, ways[k], "none", 2000, NULL);
        assert_int_equal(out.status, NB_OK);
        assert_true(distance(out.x, exact.x, N) <= 500 * U * norm(exact.x, N));
        char stopping[64];
        snprintf(stopping, sizeof stopping, "%s:tol=1e-3", ways[k]);
        const struct outcome early = solve(dense, b, N, stopping, "none", 2000, NULL);
        assert_int_equal(early.report.ending, NB_LINEAR_CONVERGED);
        if (k >= PCR_WAYS)
            continue;
        const struct outcome cpu = solve(dense, b, N, "pcr:tol=1e-3", "jacobi", 2000, NULL);
        assert_true(abs(early.report.iterations - cpu.report.iterations) <= 1);
    }
}

/* The matrix in 16 bits, as the CPU rounds it: refined in the run's precision, the answer is exact. */
static void test_sixteen_bits_refined(void **state)
{
    static const char *const narrow[] = {"cuda_pcr_persistent:in=f16:storage=f16",
                                         "cuda_pcg_graph:in=bf16:storage=bf16"};
    static double dense[N * N], b[N];
    (void)state;
    skip_without_device();
    chain_matrix(dense);
    for (int i = 0; i < N; ++i)
        b[i] = uniform();
    const struct outcome exact = solve(dense, b, N, "cholesky", "none", 1, NULL);
    for (int k = 0; k < 2; ++k) {
        const struct outcome out = solve(dense, b, N, narrow[k], "none", 2000, NULL);
        assert_int_equal(out.status, NB_OK);
        assert_true(distance(out.x, exact.x, N) <= 500 * U * norm(exact.x, N));
    }
}

/* Redundant contacts: consistent, singular. The residual still vanishes. */
static void test_a_singular_system(void **state)
{
    static double dense[N * N], b[N];
    (void)state;
    skip_without_device();
    chain_matrix(dense);
    for (int j = 0; j < N; ++j)
        dense[59 * N + j] = dense[58 * N + j];
    for (int i = 0; i < N; ++i)
        dense[i * N + 59] = dense[i * N + 58];
    memset(b, 0, sizeof b);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            b[i] += dense[i * N + j] * (1 + j % 3);
    for (int k = 0; k < PCR_WAYS; ++k) {
        struct trace trace = {.dense = dense, .b = b, .n = N};
        solve(dense, b, N, ways[k], "none", 150, &trace);
        assert_true(trace.residual[trace.count - 1] < 4000 * U * trace.residual[0]);
    }
}

static void test_broken_input_is_named(void **state)
{
    static double dense[N * N], b[N];
    (void)state;
    skip_without_device();
    for (int k = 0; k < WAYS; ++k) {
        chain_matrix(dense);
        memset(b, 0, sizeof b);
        struct outcome out = solve(dense, b, N, ways[k], "none", 10, NULL);
        assert_int_equal(out.report.ending, NB_LINEAR_CONVERGED);
        assert_true(norm(out.x, N) == 0);
        for (int i = 0; i < N; ++i)
            b[i] = 1;
        b[7] = NAN;
        out = solve(dense, b, N, ways[k], "none", 10, NULL);
        assert_int_equal(out.report.ending, NB_LINEAR_NON_FINITE);
        assert_string_equal(out.report.detail, "residual");
        b[7] = 1;
        dense[4 * N + 4] = -3;
        out = solve(dense, b, N, ways[k], "none", 10, NULL);
        assert_int_equal(out.status, NB_BREAKDOWN);
        if (k >= KRYLOV_WAYS)
            continue;
        /* Positive diagonal, indefinite: every pair of unknowns is [1 2; 2 1], and b is its -1 mode. */
        memset(dense, 0, sizeof dense);
        for (int i = 0; i < N; ++i) {
            dense[i * N + i] = 1;
            dense[i * N + (i ^ 1)] = 2;
            b[i] = i % 2 ? -1 : 1;
        }
        out = solve(dense, b, N, ways[k], "none", 10, NULL);
        assert_int_equal(out.report.ending, NB_LINEAR_BREAKDOWN);
        assert_string_equal(out.report.detail, k < PCR_WAYS ? "z^T A z" : "p^T A p");
        assert_true(norm(out.x, N) == 0);
        out = solve(dense, b, 0, ways[k], "none", 10, NULL);
        assert_int_equal(out.status, NB_OK);
    }
}

struct step_case {
    const char *scene, *setting, *form;
    int newton, linear; /* iterations: as many as leave more than rounding */
};

/* u [dofs], lambda [multipliers]. */
static void run_step(const struct nb_problem *problem, const struct step_case *given,
                     const char *solver, const char *linear, double *u, double *lambda)
{
    struct nb_options options = nb_options_default();
    struct nb_solver *run_by = NULL;
    struct nb_error error = {""};
    struct nb_run run;
    options.solver = solver;
    options.linear = linear;
    options.precond = "jacobi";
    options.precision = NB_TEXT(NB_PRECISION);
    options.linear_iterations = given->linear;
    options.operator_form = strstr(linear, "islands") ? "assembled" : given->form;
    if (nb_solver_create(&run_by, problem, &options, &error) ||
        nb_solver_run(run_by, given->newton, NULL, &run, &error))
        fail_msg("%s: %s", solver, error.text);
    assert_false(run.broke_down);
    assert_int_equal(run.newton_iterations, given->newton);
    nb_solver_solution(run_by, u, lambda);
    nb_solver_free(run_by);
}

static void same_step(const struct step_case *given, const char *solver)
{
    const int islands = strstr(solver, "islands") != NULL;
    const double bound = sizeof(nb_real) == sizeof(double) ? 1e-8 : 3e-2;
    struct nb_problem problem = {0};
    struct nb_error error = {""};
    assert_int_equal(nb_scene_create(given->scene, 1, &given->setting, &problem, &error), NB_OK);
    assert_int_equal(nb_step_prepare(&problem, &error), NB_OK);
    const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
    double *u = calloc(3 * (size_t)dofs, sizeof *u);
    double *lambda = calloc(3 * (size_t)rows, sizeof *lambda);
    run_step(&problem, given, "newton", islands ? "pcr:islands=yes" : "pcr", u, lambda);
    run_step(&problem, given, solver, "pcr", u + dofs, lambda + rows);
    run_step(&problem, given, solver, "pcr", u + 2 * dofs, lambda + 2 * rows);
    assert_memory_equal(u + dofs, u + 2 * dofs, (size_t)dofs * sizeof *u);
    assert_memory_equal(lambda + rows, lambda + 2 * rows, (size_t)rows * sizeof *lambda);
    if (!(distance(u + dofs, u, dofs) <= bound * norm(problem.free_velocity, dofs)))
        fail_msg("%s, %s, %s: %g m/s off", given->scene, given->form, solver,
                 distance(u + dofs, u, dofs));
    free(u);
    free(lambda);
    nb_problem_free(&problem);
}

/* The gripper fits clusters of 16 blocks only, which parts=whole takes, and the CPU would assemble its
 * islands. The sheet's matrix, 6 MB in f64, fits no cluster. */
static int can_take(const struct step_case *given, const char *solver)
{
    if (!strcmp(given->scene, "pneunet"))
        return !strstr(solver, "islands") && !strstr(solver, "cluster");
    return strcmp(given->scene, "sheet") || strcmp(given->form, "assembled") || !strstr(solver, "cluster");
}

/* Whole steps: one system as newton solves it, islands as with its islands=yes. Velocities are compared
 * in terms of free fall. */
static void test_whole_steps_are_the_cpus(void **state)
{
    static const struct step_case cases[] = {
        {"box_on_plane", "count=300", "assembled", 6, 20}, {"heavy_stack", "count=3", "assembled", 6, 20},
        {"beam", "count=6", "assembled", 6, 20},           {"beam", "count=6", "factored", 6, 20},
        {"hinge_limits", "count=8", "assembled", 4, 5},    {"hinge_limits", "count=8", "factored", 4, 5},
        {"sheet", "cells=4", "assembled", 3, 5},           {"sheet", "cells=4", "factored", 3, 5},
        {"pneunet", "inflate=0.1", "factored", 3, 5},
    };
    static const char *const solvers[] = {
        "cuda_newton:parts=whole",  "cuda_newton:parts=whole:placed=grid",
        "cuda_newton:by=graph",     "cuda_newton:parts=whole:placed=cluster8",
        "cuda_newton:parts=islands", "cuda_newton:parts=islands:placed=cluster2"};
    (void)state;
    skip_without_device();
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
            if (can_take(&cases[s], solvers[k]))
                same_step(&cases[s], solvers[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_says_that_there_is_no_device),
        cmocka_unit_test(test_the_iterates_are_the_cpus),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_the_same_bits_each_time),
        cmocka_unit_test(test_agrees_with_cholesky_and_stops_at_a_tolerance),
        cmocka_unit_test(test_sixteen_bits_refined),
        cmocka_unit_test(test_a_singular_system),
        cmocka_unit_test(test_broken_input_is_named),
        cmocka_unit_test(test_whole_steps_are_the_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
