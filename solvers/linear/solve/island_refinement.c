/* Islands are solved one by one, in parallel. In the run's precision that is all: x += d of each. In another one it is
 * repeated until the residual is small enough or falls no more (Wilkinson 1963; Higham 2002, section 12.1):
 *
 *     r = b - A x,   solve  (S A S + E) d = S r / ||r||,   x += ||r|| S d,   ||r||^2 = r^T D^-1 r,  D = diag A */
#include <math.h>
#include <string.h>

#include "solvers/linear/solve/island_solver_private.h"

/* r = b - A x; returns ||r||. */
static nb_real find_residual(struct nb_island_solver *solver, int zero)
{
    const struct nb_linear_task *task = solver->task;
    const size_t n = solver->op->size;
    if (zero) {
        memcpy(solver->residual, task->b, n * sizeof *solver->residual);
    } else {
        nb_operator_apply(solver->op, task->x, solver->residual);
        for (size_t i = 0; i < n; ++i)
            solver->residual[i] = task->b[i] - solver->residual[i];
    }
    return nb_residual_norm(n, solver->residual, solver->op->diagonal, solver->op->threads);
}

/* out = x + factor size S d */
static void add_correction(const struct nb_island_solver *solver, int p, const double *d, double factor,
                           const nb_real *x, nb_real *out)
{
    const struct nb_island *island = &solver->island[p];
    for (int row = 0; row < 3 * island->blocks; ++row) {
        const int i = 3 * island->member[row / 3] + row % 3;
        out[i] = (nb_real)((double)x[i] + factor * solver->size * solver->scale[i] * d[row]);
    }
}

static void observe_correction(void *context, int iteration, const double *d)
{
    const struct nb_island_solver *solver = context;
    const struct nb_linear_task *task = solver->task;
    if (iteration == 0 && solver->done > 0)
        return;
    add_correction(solver, 0, d, 1, task->x, solver->trial);
    task->observe(task->observe_context, solver->done + iteration, solver->trial);
}

/* Every island once, with at most `iterations`. */
static void solve_islands(struct nb_island_solver *solver, int iterations)
{
    const struct nb_linear_task *task = solver->task;
    const struct nb_linear_observer observer = {solver, observe_correction};
    const int watched = task->observe && solver->sets.count == 1, threads = solver->op->threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int p = 0; p < solver->sets.count; ++p) {
        struct nb_island *island = &solver->island[p];
        for (int row = 0; row < 3 * island->blocks; ++row) {
            const int i = 3 * island->member[row / 3] + row % 3;
            island->b[row] = solver->scale[i] * (double)solver->residual[i] / solver->size;
        }
        solver->driver->bench_load(island->bench, island->b);
        island->status = solver->driver->bench_run(island->bench, iterations, watched ? &observer : NULL,
                                                &island->report, &island->run, &island->error);
        solver->driver->bench_solution(island->bench, island->x);
    }
}

/* The worst ending and the most iterations of all islands. */
static struct nb_linear_report worst_report(const struct nb_island_solver *solver)
{
    struct nb_linear_report worst = {NB_LINEAR_CONVERGED, 0, ""};
    long products = 0;
    for (int p = 0; p < solver->sets.count; ++p) {
        const struct nb_island *island = &solver->island[p];
        if (island->report.ending > worst.ending) {
            worst.ending = island->report.ending;
            worst.detail = island->report.detail;
        }
        worst.iterations = island->report.iterations > worst.iterations ? island->report.iterations
                                                                      : worst.iterations;
        products = island->run.operator_applications > products ? island->run.operator_applications
                                                              : products;
        nb_run_add_applications(solver->task->run, &island->run);
    }
    solver->op->applications += products;
    return worst;
}

static void add_corrections(const struct nb_island_solver *solver, double factor)
{
    for (int p = 0; p < solver->sets.count; ++p)
        add_correction(solver, p, solver->island[p].x, factor, solver->task->x, solver->task->x);
}

/* One solve of all islands in the run's own precision. */
static struct nb_linear_report solve_once(struct nb_island_solver *solver)
{
    solve_islands(solver, solver->task->iterations);
    const struct nb_linear_report report = worst_report(solver);
    add_corrections(solver, 1);
    solver->done = report.iterations;
    return report;
}

static struct nb_linear_report refine(struct nb_island_solver *solver, nb_real residual, nb_real scale)
{
    const struct nb_linear_task *task = solver->task;
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    const nb_real goal = nb_max(task->tolerance, NB_REAL(NB_UNIT_ROUNDOFF)) * scale;
    for (int round = 0; round < NB_REFINEMENT_ROUNDS; ++round) {
        const int left = solver->direct ? 1 : task->iterations - solver->done;
        if (left <= 0)
            break;
        solve_islands(solver, left);
        const struct nb_linear_report inner = worst_report(solver);
        if (inner.ending >= NB_LINEAR_NON_FINITE || (!inner.iterations && round == 0)) {
            report = inner;
            break;
        }
        add_corrections(solver, 1);
        solver->done += inner.iterations;
        const nb_real next = find_residual(solver, 0);
        if (!(next <= residual))
            add_corrections(solver, -1); /* the round did harm */
        report.ending = nb_refinement_ending(next, residual, goal, inner.ending);
        if (report.ending != NB_LINEAR_ITERATION_LIMIT) {
            report.detail = report.ending == NB_LINEAR_BREAKDOWN ? inner.detail : "";
            break;
        }
        residual = next;
        solver->size = (double)residual;
    }
    report.iterations = solver->done;
    return report;
}

struct nb_linear_report nb_island_solver_solve(struct nb_island_solver *solver,
                                           const struct nb_linear_task *task)
{
    const struct nb_operator *op = solver->op;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    int zero = 1;
    for (size_t i = 0; i < op->size; ++i)
        zero &= task->x[i] == 0;
    solver->task = task;
    solver->done = 0;
    const nb_real scale = nb_residual_norm(op->size, task->b, op->diagonal, op->threads);
    const nb_real residual = find_residual(solver, zero);
    const int apart = solver->sets.count != 1;
    if (task->observe && (apart || !(residual > 0)))
        task->observe(task->observe_context, 0, task->x);
    if (!isfinite((double)residual))
        return (struct nb_linear_report){NB_LINEAR_NON_FINITE, 0, "residual"};
    if (!(residual > 0))
        return report;
    solver->size = solver->format == NB_SOLVE_SAME ? 1 : (double)residual;
    report = solver->format == NB_SOLVE_SAME ? solve_once(solver) : refine(solver, residual, scale);
    if (task->observe && apart && report.iterations > 0)
        task->observe(task->observe_context, report.iterations, task->x);
    return report;
}
