/* Solves in parts, with iterative refinement where their precision is not the run's. */
#include <math.h>
#include <string.h>

#include "solvers/linear/engine/parts_private.h"

/* ||S r||: rows of very different size count alike, as they do in the parts. */
static nb_real scaled_norm(struct NB(nb_parts) *parts, const nb_real *r)
{
    const size_t n = parts->op->size;
    for (size_t i = 0; i < n; ++i)
        parts->trial[i] = (nb_real)(parts->scale[i] * (double)r[i]);
    return NB(nb_norm)(n, parts->trial, parts->op->threads);
}

/* r = b - A x; returns ||S r||. */
static nb_real find_residual(struct NB(nb_parts) *parts, int zero)
{
    const struct NB(nb_linear_task) *task = parts->task;
    const size_t n = parts->op->size;
    if (zero) {
        memcpy(parts->residual, task->b, n * sizeof *parts->residual);
    } else {
        NB(nb_operator_apply)(parts->op, task->x, parts->residual);
        for (size_t i = 0; i < n; ++i)
            parts->residual[i] = task->b[i] - parts->residual[i];
    }
    return scaled_norm(parts, parts->residual);
}

/* out = x + factor size S d */
static void add_correction(const struct NB(nb_parts) *parts, int p, const double *d, double factor,
                           const nb_real *x, nb_real *out)
{
    const struct nb_part *part = &parts->part[p];
    for (int row = 0; row < 3 * part->blocks; ++row) {
        const int i = 3 * part->member[row / 3] + row % 3;
        out[i] = (nb_real)((double)x[i] + factor * parts->size * parts->scale[i] * d[row]);
    }
}

static void watch(void *context, int iteration, const double *d)
{
    const struct NB(nb_parts) *parts = context;
    const struct NB(nb_linear_task) *task = parts->task;
    if (iteration == 0 && parts->done > 0)
        return;
    add_correction(parts, 0, d, 1, task->x, parts->trial);
    task->observe(task->observe_context, parts->done + iteration, parts->trial);
}

/* Every part once, with at most `iterations`. */
static void run_parts(struct NB(nb_parts) *parts, int iterations)
{
    const struct NB(nb_linear_task) *task = parts->task;
    const struct nb_linear_observer observer = {parts, watch};
    const int watched = task->observe && parts->sets.count == 1, threads = parts->op->threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int p = 0; p < parts->sets.count; ++p) {
        struct nb_part *part = &parts->part[p];
        for (int row = 0; row < 3 * part->blocks; ++row) {
            const int i = 3 * part->member[row / 3] + row % 3;
            part->b[row] = parts->scale[i] * (double)parts->residual[i] / parts->size;
        }
        parts->driver->bench_load(part->bench, part->b);
        part->status = parts->driver->bench_run(part->bench, iterations, watched ? &observer : NULL,
                                                &part->report, &part->run, &part->error);
        parts->driver->bench_solution(part->bench, part->x);
    }
}

/* The worst ending and the most iterations of all parts. */
static struct nb_linear_report gather(const struct NB(nb_parts) *parts)
{
    struct nb_linear_report worst = {NB_LINEAR_CONVERGED, 0, ""};
    long products = 0;
    for (int p = 0; p < parts->sets.count; ++p) {
        const struct nb_part *part = &parts->part[p];
        if (part->report.ending > worst.ending) {
            worst.ending = part->report.ending;
            worst.detail = part->report.detail;
        }
        worst.iterations = part->report.iterations > worst.iterations ? part->report.iterations
                                                                      : worst.iterations;
        products = part->run.operator_applications > products ? part->run.operator_applications
                                                              : products;
        *parts->task->precond_applications += part->run.preconditioner_applications;
    }
    parts->op->applications += products;
    return worst;
}

static void move(const struct NB(nb_parts) *parts, double factor)
{
    for (int p = 0; p < parts->sets.count; ++p)
        add_correction(parts, p, parts->part[p].x, factor, parts->task->x, parts->task->x);
}

/* One solve of all parts in the run's own precision. */
static struct nb_linear_report solve_once(struct NB(nb_parts) *parts)
{
    run_parts(parts, parts->task->iterations);
    const struct nb_linear_report report = gather(parts);
    move(parts, 1);
    parts->done = report.iterations;
    return report;
}

static struct nb_linear_report refine(struct NB(nb_parts) *parts, nb_real residual, nb_real scale)
{
    const struct NB(nb_linear_task) *task = parts->task;
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    const nb_real goal = nb_max(task->tolerance, NB_REAL(NB_UNIT_ROUNDOFF)) * scale;
    for (int round = 0; round < NB_REFINEMENT_ROUNDS; ++round) {
        const int left = parts->direct ? 1 : task->iterations - parts->done;
        if (left <= 0)
            break;
        run_parts(parts, left);
        const struct nb_linear_report inner = gather(parts);
        if (inner.ending >= NB_LINEAR_NON_FINITE || (!inner.iterations && round == 0)) {
            report = inner;
            break;
        }
        move(parts, 1);
        parts->done += inner.iterations;
        const nb_real next = find_residual(parts, 0);
        if (!(next <= residual))
            move(parts, -1); /* the round did harm */
        report.ending = NB(nb_refinement_ending)(next, residual, goal, inner.ending);
        if (report.ending != NB_LINEAR_ITERATION_LIMIT) {
            report.detail = report.ending == NB_LINEAR_BREAKDOWN ? inner.detail : "";
            break;
        }
        residual = next;
        parts->size = (double)residual;
    }
    report.iterations = parts->done;
    return report;
}

struct nb_linear_report NB(nb_parts_solve)(struct NB(nb_parts) *parts,
                                           const struct NB(nb_linear_task) *task)
{
    const struct NB(nb_operator) *op = parts->op;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    int zero = 1;
    for (size_t i = 0; i < op->size; ++i)
        zero &= task->x[i] == 0;
    parts->task = task;
    parts->done = 0;
    const nb_real scale = scaled_norm(parts, task->b);
    const nb_real residual = find_residual(parts, zero);
    const int apart = parts->sets.count != 1;
    if (task->observe && (apart || !(residual > 0)))
        task->observe(task->observe_context, 0, task->x);
    if (!isfinite((double)residual))
        return (struct nb_linear_report){NB_LINEAR_NON_FINITE, 0, "residual"};
    if (!(residual > 0))
        return report;
    parts->size = parts->format == NB_SOLVE_SAME ? 1 : (double)residual;
    report = parts->format == NB_SOLVE_SAME ? solve_once(parts) : refine(parts, residual, scale);
    if (task->observe && apart && report.iterations > 0)
        task->observe(task->observe_context, report.iterations, task->x);
    return report;
}
