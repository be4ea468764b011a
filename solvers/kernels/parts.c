#include "solvers/kernels/parts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/problem.h"
#include "solvers/block_graph.h"
#include "solvers/kernels/driver.h"

enum { SAME, F32, TF32, F16, BF16, CHOICE = 256, MOST_ROUNDS = 200 };

struct part {
    int blocks;
    const int *member;    /* [blocks] block rows of the operator  */
    struct nb_csr matrix; /* in double                            */
    int *source;          /* [entries] position among the operator's values */
    void *bench;
    double *b, *x;        /* [3 blocks]                           */
    struct nb_linear_report report;
    struct nb_run run;
    enum nb_status status;
    struct nb_error error;
};

struct NB(nb_parts) {
    struct NB(nb_operator) *op;
    const struct nb_driver *driver;
    struct nb_block_sets sets;
    struct part *part;
    int format;              /* SAME, F32, ...                    */
    int direct;
    double unit;             /* of the format                     */
    double *scale;           /* [n] S                             */
    nb_real *residual;       /* [n]                               */
    nb_real *trial;          /* [n] for the observer              */
    char choice[CHOICE];     /* of the parts' linear solver       */
    struct nb_options options;
    /* While a solve runs. */
    const struct NB(nb_linear_task) *task;
    double size;             /* of the residual at hand           */
    int done;                /* iterations before this round      */
};

void NB(nb_parts_free)(struct NB(nb_parts) *parts)
{
    if (!parts)
        return;
    for (int p = 0; parts->part && p < parts->sets.count; ++p) {
        struct part *part = &parts->part[p];
        if (part->bench)
            parts->driver->bench_free(part->bench);
        nb_csr_free(&part->matrix);
        free(part->source);
        free(part->b);
        free(part->x);
    }
    free(parts->part);
    nb_block_sets_free(&parts->sets);
    free(parts->scale);
    free(parts->residual);
    free(parts->trial);
    free(parts);
}

/* The parts' solver is the same without the common settings, with a tolerance: the given one, or when
 * refining, half of the digits of the format a round. */
static enum nb_status describe(struct NB(nb_parts) *parts, const char *given, double tolerance,
                               struct nb_error *error)
{
    static const char *const common[] = {"tol=", "start=", "islands=", "in="};
    size_t used = nb_settings_name_length(given);
    const char *at = given + used;
    if (strlen(given) + 32 > sizeof parts->choice)
        return nb_fail(error, NB_BAD_INPUT, "the linear solver's settings are longer than %d letters",
                       CHOICE - 32);
    memcpy(parts->choice, given, used);
    while (*at == ':') {
        const size_t length = 1 + strcspn(at + 1, ":");
        int drop = 0;
        for (int c = 0; c < 4; ++c)
            drop |= strncmp(at + 1, common[c], strlen(common[c])) == 0;
        memcpy(parts->choice + used, at, length);
        used += drop ? 0 : length;
        at += length;
    }
    snprintf(parts->choice + used, sizeof parts->choice - used, ":tol=%.3g",
             parts->format ? sqrt(parts->unit) : tolerance);
    parts->options.linear = parts->choice;
    return NB_OK;
}

/* The rows of a part as a matrix in double, of ones on the diagonal for now. */
static enum nb_status extract(struct part *part, const struct NB(nb_bsr) *matrix, int *local,
                              struct nb_error *error)
{
    int blocks = 0, at = 0;
    for (int a = 0; a < part->blocks; ++a) {
        local[part->member[a]] = a;
        blocks += matrix->start[part->member[a] + 1] - matrix->start[part->member[a]];
    }
    const int n = 3 * part->blocks;
    const enum nb_status status = nb_csr_allocate(&part->matrix, n, n, 9 * blocks, error);
    if (status)
        return status;
    part->source = malloc((9 * (size_t)blocks + 1) * sizeof *part->source);
    part->b = calloc((size_t)n + 1, sizeof *part->b);
    part->x = calloc((size_t)n + 1, sizeof *part->x);
    if (!part->source || !part->b || !part->x)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an island of %d block rows", part->blocks);
    for (int row = 0; row < n; ++row) {
        const int i = part->member[row / 3];
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c, ++at) {
                part->matrix.column[at] = 3 * local[matrix->column[k]] + c;
                part->matrix.value[at] = part->matrix.column[at] == row;
                part->source[at] = 9 * k + 3 * (row % 3) + c;
            }
        part->matrix.start[row + 1] = at;
    }
    return NB_OK;
}

static enum nb_status create_parts(struct NB(nb_parts) *parts, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = parts->op->matrix;
    const enum nb_storage storage = parts->format == F16    ? NB_F16
                                    : parts->format == BF16 ? NB_BF16
                                                            : NB_FULL;
    enum nb_status status = NB_OK;
    int *local = malloc(((size_t)matrix->rows + 1) * sizeof *local);
    parts->part = calloc((size_t)parts->sets.count + 1, sizeof *parts->part);
    if (!local || !parts->part)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", parts->sets.count);
    for (int p = 0; p < parts->sets.count && !status; ++p) {
        struct part *part = &parts->part[p];
        part->member = parts->sets.member + parts->sets.start[p];
        part->blocks = parts->sets.start[p + 1] - parts->sets.start[p];
        status = extract(part, matrix, local, error);
        if (!status)
            status = parts->driver->bench_create(&part->bench, &part->matrix, part->b, &parts->options,
                                                 storage, error);
    }
    free(local);
    return status;
}

/* One set of all rows. */
static enum nb_status whole(struct nb_block_sets *sets, int rows, struct nb_error *error)
{
    sets->start = calloc(2, sizeof *sets->start);
    sets->member = malloc(((size_t)rows + 1) * sizeof *sets->member);
    if (!sets->start || !sets->member)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a list of %d block rows", rows);
    for (int i = 0; i < rows; ++i)
        sets->member[i] = i;
    sets->start[1] = rows;
    sets->count = 1;
    return NB_OK;
}

static enum nb_status set_up(struct NB(nb_parts) *parts, const double *value, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = parts->op->matrix;
    const size_t n = parts->op->size;
    parts->scale = malloc((n + 1) * sizeof *parts->scale);
    parts->residual = malloc((n + 1) * sizeof *parts->residual);
    parts->trial = malloc((n + 1) * sizeof *parts->trial);
    if (!parts->scale || !parts->residual || !parts->trial)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for refinement");
    enum nb_status status =
        value[NB_LINEAR_ISLANDS] != 0
            ? nb_block_islands(matrix->rows, matrix->start, matrix->column, &parts->sets, error)
            : whole(&parts->sets, matrix->rows, error);
    if (!status)
        status = describe(parts, parts->options.linear, value[NB_LINEAR_TOL], error);
    return status ? status : create_parts(parts, error);
}

enum nb_status NB(nb_parts_create)(struct NB(nb_parts) **out, struct NB(nb_operator) *op,
                                   const struct nb_options *options, const double *value,
                                   struct nb_error *error)
{
    static const double units[] = {NB_UNIT_ROUNDOFF, 0x1p-24, 0x1p-11, 0x1p-11, 0x1p-8};
    *out = NULL;
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED,
                       "%s: islands and other precisions need the assembled operator", options->linear);
    struct NB(nb_parts) *parts = calloc(1, sizeof *parts);
    *out = parts;
    if (!parts)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solve in parts");
    parts->op = op;
    parts->format = (int)value[NB_LINEAR_IN];
    parts->unit = units[parts->format];
    parts->driver = nb_driver_find(parts->format == SAME ? NB_TEXT(NB_PRECISION) : "f32");
    parts->direct = NB(nb_find_linear)(options->linear)->direct;
    parts->options = *options;
    parts->options.threads = 1;
    return set_up(parts, value, error);
}

/* --- values --- */

/* To the nearest number with as many bits as the format has, ties to even; f16 has no last bit below 2^-24.
 * The bits of a double are rounded as an integer: a carry into the exponent is right. */
static double round_to(int format, double value)
{
    static const int dropped[] = {[TF32] = 42, [F16] = 42, [BF16] = 45};
    if (format <= F32)
        return value;
    if (format == F16 && fabs(value) < 0x1p-14)
        return nearbyint(value * 0x1p24) * 0x1p-24;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int count = dropped[format];
    bits += ((uint64_t)1 << (count - 1)) - 1 + (bits >> count & 1);
    bits &= ~(((uint64_t)1 << count) - 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* S A S + E of a part, or A itself. */
static void fill(const struct NB(nb_parts) *parts, struct part *part)
{
    const struct NB(nb_bsr) *matrix = parts->op->matrix;
    for (int row = 0; row < 3 * part->blocks; ++row) {
        double sum = 0, *diagonal = NULL;
        const double own = parts->scale[3 * part->member[row / 3] + row % 3];
        for (int k = part->matrix.start[row]; k < part->matrix.start[row + 1]; ++k) {
            const int column = part->matrix.column[k];
            const double other = parts->scale[3 * part->member[column / 3] + column % 3];
            double *value = &part->matrix.value[k];
            *value = round_to(parts->format, (double)matrix->value[part->source[k]] * (own * other));
            sum += fabs(*value);
            diagonal = column == row ? value : diagonal;
        }
        if (parts->format != SAME && diagonal)
            *diagonal += parts->unit * sum;
    }
}

enum nb_status NB(nb_parts_update)(struct NB(nb_parts) *parts, struct nb_error *error)
{
    const struct NB(nb_operator) *op = parts->op;
    const int threads = op->threads;
    for (size_t i = 0; i < op->size; ++i) {
        if (parts->format != SAME && !(op->diagonal[i] > 0))
            return nb_fail(error, NB_BREAKDOWN, "diagonal entry %zu of the operator is %g", i,
                           (double)op->diagonal[i]);
        parts->scale[i] = parts->format == SAME ? 1 : ldexp(1, -ilogb((double)op->diagonal[i]) / 2);
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int p = 0; p < parts->sets.count; ++p) {
        struct part *part = &parts->part[p];
        fill(parts, part);
        part->status = parts->driver->bench_refill(part->bench, &part->matrix, &part->error);
    }
    for (int p = 0; p < parts->sets.count; ++p)
        if (parts->part[p].status)
            return nb_fail(error, parts->part[p].status, "%.480s", parts->part[p].error.text);
    return NB_OK;
}

/* --- solving --- */

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
    const struct part *part = &parts->part[p];
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
        struct part *part = &parts->part[p];
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
    static const int severity[] = {[NB_LINEAR_CONVERGED] = 0, [NB_LINEAR_ITERATION_LIMIT] = 1,
                                   [NB_LINEAR_STAGNATED] = 2, [NB_LINEAR_BREAKDOWN] = 3,
                                   [NB_LINEAR_NON_FINITE] = 4};
    struct nb_linear_report worst = {NB_LINEAR_CONVERGED, 0, ""};
    long products = 0;
    for (int p = 0; p < parts->sets.count; ++p) {
        const struct part *part = &parts->part[p];
        if (severity[part->report.ending] > severity[worst.ending]) {
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
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        const int left = parts->direct ? 1 : task->iterations - parts->done;
        if (left <= 0)
            break;
        run_parts(parts, left);
        const struct nb_linear_report inner = gather(parts);
        if (inner.ending == NB_LINEAR_NON_FINITE || (!inner.iterations && round == 0)) {
            report = inner;
            break;
        }
        move(parts, 1);
        parts->done += inner.iterations;
        const nb_real next = find_residual(parts, 0);
        if (!(next <= residual))
            move(parts, -1); /* the round did harm */
        if (next <= goal || !(next <= NB_REAL(0.9) * residual)) {
            report.ending = next <= goal ? NB_LINEAR_CONVERGED
                            : inner.ending == NB_LINEAR_BREAKDOWN ? NB_LINEAR_BREAKDOWN
                                                                  : NB_LINEAR_STAGNATED;
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
    parts->size = parts->format == SAME ? 1 : (double)residual;
    report = parts->format == SAME ? solve_once(parts) : refine(parts, residual, scale);
    if (task->observe && apart && report.iterations > 0)
        task->observe(task->observe_context, report.iterations, task->x);
    return report;
}
