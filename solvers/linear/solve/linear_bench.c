/* The matrix is narrowed to the precision of the run and becomes an assembled operator without a model; a linear solver
 * is set up on it, and each run solves from x = 0. */
#include "solvers/linear/solve/linear_bench.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/clock.h"
#include "solvers/arithmetic.h"
#include "solvers/block/product.h"
#include "solvers/linear/solve/linear_solver.h"
#include "solvers/plugin.h"
#include "solvers/strategy.h"

struct bench {
    struct nb_bsr matrix;
    struct nb_operator op;
    struct nb_linear_solver *solver;
    double preparing; /* [s] */
    nb_real *b, *x;
    double *wide;
    void *memory; /* of the arrays */
    const struct nb_linear_observer *observer;
};

void nb_bench_free(void *self)
{
    struct bench *bench = self;
    if (!bench)
        return;
    nb_linear_solver_free(bench->solver);
    nb_arithmetic_restore();
    nb_bsr_free(&bench->matrix);
    free(bench->memory);
    free(bench);
}

static void read_diagonal(struct bench *bench)
{
    for (int i = 0; i < bench->matrix.rows; ++i) {
        nb_real block[9];
        nb_bsr_diagonal_block(&bench->matrix, i, block);
        for (int r = 0; r < 3; ++r)
            bench->op.diagonal[3 * i + r] = block[4 * r];
    }
}

void nb_bench_load(void *self, const double *right_side)
{
    struct bench *bench = self;
    for (size_t i = 0; i < bench->op.size; ++i)
        bench->b[i] = (nb_real)right_side[i];
}

enum nb_status nb_bench_refill(void *self, const struct nb_csr *matrix, struct nb_error *error)
{
    struct bench *bench = self;
    nb_bsr_refill(&bench->matrix, matrix);
    bench->op.product = NULL;
    read_diagonal(bench);
    const double begin = nb_seconds();
    const enum nb_status status = nb_linear_solver_update(bench->solver, error);
    bench->preparing = nb_seconds() - begin;
    return status;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct bench *bench = data;
    NB_ARRAY(arena, bench->op.diagonal, bench->op.size);
    NB_ARRAY(arena, bench->b, bench->op.size);
    NB_ARRAY(arena, bench->x, bench->op.size);
    NB_ARRAY(arena, bench->wide, bench->op.size);
}

static enum nb_status fill(struct bench *bench, const struct nb_csr *matrix,
                           const double *right_side, struct nb_error *error)
{
    struct nb_operator *op = &bench->op;
    enum nb_status status = nb_bsr_from_csr(&bench->matrix, matrix, 1, error);
    if (status)
        return status;
    op->strategy = nb_find_operator("assembled");
    op->matrix = &bench->matrix;
    op->size = (size_t)matrix->rows;
    bench->memory = nb_arena_allocate(lay_out, bench);
    if (!bench->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a system of %zu rows", op->size);
    nb_bench_load(bench, right_side);
    read_diagonal(bench);
    return NB_OK;
}

static enum nb_status setup(struct bench *bench, const struct nb_options *options,
                            struct nb_error *error)
{
    enum nb_status status = nb_linear_solver_create(&bench->solver, &bench->op, options, error);
    const double begin = nb_seconds();
    if (!status)
        status = nb_linear_solver_update(bench->solver, error);
    bench->preparing = nb_seconds() - begin;
    return status;
}

enum nb_status nb_bench_create(void **self, const struct nb_csr *matrix,
                               const double *right_side, const struct nb_options *options,
                               enum nb_storage storage, struct nb_error *error)
{
    *self = NULL;
    if (matrix->rows != matrix->columns || matrix->rows % 3 != 0)
        return nb_fail(error, NB_BAD_INPUT,
                       "the matrix is %d x %d; it must be square with a multiple of 3 rows",
                       matrix->rows, matrix->columns);
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a linear system");
    bench->op.threads = options->threads;
    bench->op.storage = storage;
    const int folder = nb_plugin_keep_folder();
    enum nb_status status = fill(bench, matrix, right_side, error);
    if (!status)
        status = setup(bench, options, error);
    nb_plugin_restore_folder(folder);
    nb_arithmetic_restore();
    if (status) {
        nb_bench_free(bench);
        return status;
    }
    *self = bench;
    return NB_OK;
}

void nb_bench_restart(void *self)
{
    struct bench *bench = self;
    nb_linear_solver_restart(bench->solver);
}

void nb_bench_solution(const void *self, double *x)
{
    const struct bench *bench = self;
    for (size_t i = 0; i < bench->op.size; ++i)
        x[i] = (double)bench->x[i];
}

static void observe(void *context, int iteration, const nb_real *x)
{
    struct bench *bench = context;
    nb_arithmetic_restore(); /* what watches judges */
    for (size_t i = 0; i < bench->op.size; ++i)
        bench->wide[i] = (double)x[i];
    bench->observer->observe(bench->observer->context, iteration, bench->wide);
}

/* ||b - A x|| <= sqrt(u) ||b||, in the norm of D^-1, D = diag A */
static int is_solved(const struct bench *bench)
{
    double left = 0, right = 0;
    for (int row = 0; row < 3 * bench->matrix.rows; ++row) {
        const int i = row / 3, r = row % 3;
        const double d = bench->op.diagonal[row] > 0 ? (double)bench->op.diagonal[row] : 1;
        double sum = (double)bench->b[row];
        for (int k = bench->matrix.start[i]; k < bench->matrix.start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                sum -= (double)bench->matrix.value[9 * (size_t)k + (size_t)(3 * r + c)] *
                       (double)bench->x[3 * bench->matrix.column[k] + c];
        left += sum * sum / d;
        right += (double)bench->b[row] * (double)bench->b[row] / d;
    }
    return left <= (double)NB_UNIT_ROUNDOFF * right;
}

/* Where rounding leaves a singular matrix a factor, that gives an x for every b: a solution or, where rows
 * contradict each other, none. */
static void check_factor(const struct bench *bench, struct nb_linear_report *report)
{
    if (report->ending != NB_LINEAR_CONVERGED || is_solved(bench))
        return;
    report->ending = NB_LINEAR_STAGNATED;
    report->detail = "b - A x is not small: A is nearly singular";
}

enum nb_status nb_bench_run(void *self, int iterations, const struct nb_linear_observer *observer,
                            struct nb_linear_report *report, struct nb_run *run,
                            struct nb_error *error)
{
    struct bench *bench = self;
    (void)error;
    memset(run, 0, sizeof *run);
    bench->op.applications = 0;
    bench->observer = observer;
    const struct nb_linear_solver_task task = {
        .b = bench->b,
        .x = bench->x,
        .iterations = iterations,
        .run = run,
        .observe = observer ? observe : NULL,
        .observe_context = bench,
    };
    const int folder = observer ? nb_plugin_keep_folder() : -1;
    const double begin = nb_seconds();
    *report = nb_linear_solver_solve(bench->solver, &task);
    nb_arithmetic_restore();
    run->linear_seconds = nb_seconds() - begin;
    nb_plugin_restore_folder(folder);
    run->assembly_seconds = run->preparation_seconds = bench->preparing;
    run->linear_iterations = report->iterations;
    run->operator_applications = bench->op.applications;
    run->product_bytes = bench->op.product ? nb_product_bytes(bench->op.product) : 0;
    if (observer && nb_linear_solver_trusts_a_factor(bench->solver))
        check_factor(bench, report);
    run->broke_down = report->ending >= NB_LINEAR_NON_FINITE;
    return NB_OK;
}
