/* The damped nonsmooth Newton method of solvers/outer/newton.c on a CUDA device, a whole time step in one
 * launch (solvers/cuda/step/step_stages.cuh). In islands each part has its own linear solve, so that the
 * iterates are those of newton with islands=yes and not of one solve for all. Linear solvers: pcr, pcg, jacobi
 * with newton's factor, and gauss_seidel by colours, whose order of rows and so whose iterates are not newton's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/clock.h"
#include "solvers/cuda/step/step.h"
#include "solvers/kernels/newton_system.h"
#include "solvers/kernels/power_start.h"

enum { PARTS, STOP, FLOOR, THREADS, PLACED, BY, GEOMETRIC_STIFFNESS, COMPLIANCE, STORAGE, SETTINGS };

static const struct nb_setting settings[] = {
    [PARTS] = {.name = "parts", .choices = "auto,whole,islands",
               .meaning = "the whole step as one system, or a block of threads an island; auto: islands "
                          "where they fit the shared memory"},
    [STOP] = {.name = "stop", .maximum = 1,
              .meaning = "end where the right-hand side has fallen to this fraction of its largest norm; 0: never"},
    [FLOOR] = {.name = "floor", .choices = "no,yes",
               .meaning = "end where the right-hand side is rounding: at most sqrt(u) of its largest norm, "
                          "and for three iterations not below its smallest"},
    [THREADS] = {.name = "threads", .maximum = 512, .whole = 1,
                 .meaning = "of a block, a multiple of 32; 0: 512, or 256 for islands"},
    [PLACED] = {.name = "placed", .choices = NB_CUDA_PLACES,
                .meaning = "a part's linear system: by the grid in global memory, or in the shared memory "
                           "of a block or of a cluster of blocks (pcr and pcg); auto: the first that "
                           "has room"},
    [BY] = {.name = "by", .choices = "launch,graph",
            .meaning = "all of the step in one launch, or in a graph of a kernel a stage; the latter "
                       "takes the step as one system in global memory"},
    [GEOMETRIC_STIFFNESS] = {.name = "geometric_stiffness", .choices = "rows,none",
                             .meaning = "of deformable bodies, in the Newton matrix: rows of the "
                                        "elements' principal axes, or nothing"},
    [COMPLIANCE] = {.name = "compliance", .choices = "full,diagonal",
                    .meaning = "of elements: the inverse of the elastic Hessian, or of a diagonal bound"},
    [STORAGE] = {.name = "storage", .choices = "same,f16,bf16",
                 .meaning = "of the matrix on the device, or of L J; all else is in the run's precision"},
    [SETTINGS] = {.name = NULL},
};

static void elasticity(const char *solver, struct nb_elasticity *out)
{
    double value[SETTINGS] = {0};
    nb_settings_read(settings, solver, value, NULL);
    out->no_axis_rows = value[GEOMETRIC_STIFFNESS] > 0;
    out->diagonal_compliance = value[COMPLIANCE] > 0;
}

struct method {
    struct NB(nb_cuda_step) *step;
    int products; /* of a linear solve besides those of its iterations and of refinement */
};
enum { PRODUCTS_OF_A_ROUND = 2 }; /* the lower solve's first, and the residual after it */

static void release(void *data)
{
    struct method *self = data;
    if (self)
        NB(nb_cuda_step_free)(self->step);
    free(self);
}

static enum nb_status check_model(const struct NB(nb_model) *model, struct nb_error *error)
{
    if (sizeof(nb_real) != sizeof(nb_matrix) || sizeof(nb_real) != sizeof(nb_sum))
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton works in f64 and f32, not in %s",
                       NB_TEXT(NB_PRECISION));
    if (model->problem->form != NB_NONLINEAR)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton takes nonlinear steps only");
    return NB_OK;
}

/* A linear solver of the device, and the products of a solve besides those of its iterations. */
struct device_linear {
    const char *name;
    enum nb_cuda_method method;
    int products;
    int clusters, factored; /* has it for a cluster of blocks, and where A is not assembled? */
    int refined;            /* in a lower precision within refinement, too? */
};
static const struct device_linear linears[] = {
    {"pcr", NB_CUDA_PCR, 1, 1, 1, 1},
    {"pcg", NB_CUDA_PCG, 1, 1, 1, 1},
    {"jacobi", NB_CUDA_JACOBI, 1 + NB_POWER_ITERATIONS, 0, 1, 0},
    {"gauss_seidel", NB_CUDA_GAUSS_SEIDEL, 2, 0, 0, 0},
    {"dense_cholesky", NB_CUDA_CHOLESKY, 0, 0, 0, 0},
};

/* NULL: the device has it not. */
static const struct device_linear *find_linear(const char *name)
{
    for (size_t k = 0; k < sizeof linears / sizeof *linears; ++k)
        if (strcmp(linears[k].name, name) == 0)
            return linears + k;
    return NULL;
}

/* in=...: what goes with it. */
static enum nb_status check_refinement(const struct nb_options *options, const struct device_linear *linear,
                                       const struct NB(nb_cuda_step_options) *chosen, struct nb_error *error)
{
    if (!linear->refined)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton: in= is for linear pcr and pcg, not for %s",
                       linear->name);
    if (strcmp(options->operator_form, "factored") == 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: in= scales and rounds the matrix, which operator factored does not have: "
                       "operator assembled");
    if (chosen->graph)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: in= solves anew as often as it takes, which by=graph does not have: by=launch");
    if (chosen->storage)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: in= says how the matrix of the linear solves is stored, the other one is the "
                       "run's own: storage=same");
    return NB_OK;
}

static enum nb_status choose_linear(const struct nb_options *options, int *products,
                                    struct NB(nb_cuda_step_options) *out, struct nb_error *error)
{
    const struct device_linear *linear = find_linear(NB(nb_find_linear)(options->linear)->name);
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX] = {0};
    enum nb_status status = nb_settings_read(NB(nb_strategy_settings)("linear", options->linear),
                                             options->linear, value, error);
    if (status)
        return status;
    if (!linear)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton has the linear solvers pcr, pcg, jacobi, gauss_seidel and dense_cholesky, "
                       "not %.60s",
                       options->linear);
    if (!linear->factored && strcmp(options->operator_form, "factored") == 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: %s takes rows of the matrix, which operator factored does not have: "
                       "operator assembled, or linear pcr, pcg or jacobi", linear->name);
    if (!linear->clusters && out->place >= NB_CUDA_PLACE_CLUSTER)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: %s is not made for clusters of blocks: placed=auto, grid or block, "
                       "or linear pcr or pcg", linear->name);
    if (linear->method == NB_CUDA_CHOLESKY && (out->graph || out->storage))
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: dense_cholesky factorises the matrix as it is and within one launch: "
                       "storage=same and by=launch");
    if (value[NB_LINEAR_START] != 0 || value[NB_LINEAR_ISLANDS] != 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: of the linear solver's settings it has tol and in, and parts=islands of its own");
    out->method = linear->method;
    out->tolerance = (nb_real)value[NB_LINEAR_TOL];
    out->format = (enum nb_cuda_format)value[NB_LINEAR_IN];
    *products = out->format ? 0 : linear->products;
    return out->format ? check_refinement(options, linear, out, error) : NB_OK;
}

/* The strategies that the device has. */
static enum nb_status choose(const struct nb_options *options, int *products,
                             struct NB(nb_cuda_step_options) *out, struct nb_error *error)
{
    const struct NB(nb_ncp) *ncp = NB(nb_find_ncp)(options->ncp);
    const int preconditioned = NB(nb_linear_uses_precond)(options->linear);
    const enum nb_status status = choose_linear(options, products, out, error);
    if (status)
        return status;
    out->minimum = strcmp(ncp->name, "min") == 0;
    out->wide = preconditioned && strcmp(options->precond, "block_jacobi") == 0;
    if (preconditioned && !out->wide && strcmp(options->precond, "jacobi") != 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton has the preconditioners jacobi and block_jacobi");
    if (!out->minimum && strcmp(ncp->name, "fb") != 0)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton has the NCP functions fb and min");
    return NB_OK;
}

static enum nb_status read_options(const struct nb_options *options, int *products,
                                   struct NB(nb_cuda_step_options) *out, struct nb_error *error)
{
    double value[SETTINGS] = {0};
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    out->place = (enum nb_cuda_place)value[PLACED];
    out->graph = value[BY] > 0;
    out->storage = (enum nb_cuda_storage)value[STORAGE];
    if (!status)
        status = choose(options, products, out, error);
    if (status)
        return status;
    out->parts = (enum nb_cuda_parts)value[PARTS];
    out->stop = (nb_real)value[STOP];
    out->floor = value[FLOOR] > 0;
    out->threads = (int)value[THREADS];
    out->true_form = strcmp(options->newton_form, "true") == 0;
    out->linear_iterations = options->linear_iterations;
    out->damping = (nb_real)options->damping;
    if (out->threads % 32)
        return nb_fail(error, NB_BAD_INPUT, "cuda_newton: threads=%d is not a multiple of 32",
                       out->threads);
    return NB_OK;
}

/* The scaling and the shift are those of the CPU, which computes them once a step. */
static enum nb_status create_step(struct method *self, struct NB(nb_model) *model,
                                  const struct nb_options *options,
                                  struct NB(nb_cuda_step_options) *chosen, struct nb_error *error)
{
    struct NB(nb_newton) *newton = NULL;
    struct NB(nb_delassus) delassus = {0};
    struct nb_islands islands = {0};
    struct nb_options scaling = *options; /* all else that a Newton system has, the device does */
    const int factored = strcmp(options->operator_form, "factored") == 0;
    scaling.operator_form = "factored";
    scaling.linear = "pcr";
    scaling.precond = "jacobi";
    enum nb_status status = NB(nb_newton_create)(&newton, model, &scaling, error);
    if (!status && !factored)
        status = NB(nb_delassus_create)(&delassus, model, error);
    if (!status)
        status = nb_islands_find(&islands, model->problem, error);
    if (!status) {
        chosen->shift = newton->shift;
        chosen->r_normal = newton->r_normal;
        chosen->r_friction = newton->r_friction;
        status = NB(nb_cuda_step_create)(&self->step, model, factored ? NULL : &delassus, &islands,
                                         chosen, error);
    }
    nb_islands_free(&islands);
    NB(nb_delassus_free)(&delassus);
    NB(nb_newton_free)(newton);
    return status;
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct NB(nb_cuda_step_options) chosen = {0};
    struct method *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Newton's method");
    enum nb_status status = check_model(model, error);
    if (!status)
        status = read_options(options, &self->products, &chosen, error);
    if (!status)
        status = create_step(self, model, options, &chosen, error);
    if (status) {
        release(self);
        return status;
    }
    *out = self;
    return NB_OK;
}

/* Of u, then lambda. */
static size_t iterate_size(const struct NB(nb_method_task) *task)
{
    return 3 * ((size_t)task->model->nodes + (size_t)task->model->blocks);
}

/* What the device has done until now; reason: why it ended there, or NULL. */
static void note(const struct method *self, const struct NB(nb_method_task) *task,
                 const struct nb_cuda_step_report *report, const char *reason)
{
    struct nb_run *run = task->run;
    run->newton_iterations = report->newton_iterations;
    run->linear_iterations = report->linear_iterations;
    run->operator_applications =
        report->linear_iterations + self->products * report->newton_iterations + PRODUCTS_OF_A_ROUND * report->rounds;
    run->broke_down = reason != NULL;
    if (reason && report->row >= 0)
        snprintf(run->detail, sizeof run->detail, "Newton iteration %d: %.60s at row %d of %d",
                 run->newton_iterations + 1, reason, report->row, 3 * task->model->blocks);
    else if (reason)
        snprintf(run->detail, sizeof run->detail, "Newton iteration %d: %.120s",
                 run->newton_iterations + 1, reason);
    else
        snprintf(run->detail, sizeof run->detail, "%s", report->place);
}

/* Iterations first to end - 1; trace as for nb_cuda_step_run. */
static enum nb_status advance(const struct method *self, const struct NB(nb_method_task) *task, int first,
                              int end, const struct NB(nb_cuda_step_trace) *trace,
                              struct nb_cuda_step_report *report, struct nb_error *error)
{
    const double begin = nb_seconds();
    const enum nb_status status =
        NB(nb_cuda_step_run)(self->step, first, end, trace, task->u, task->lambda, report, error);
    task->run->linear_seconds += nb_seconds() - begin;
    return status;
}

/* Shows the iterates of iterations first to end - 1 that took place, `last` being what was done in all.
 * Nonzero ends the run. */
static int show(const struct method *self, const struct NB(nb_method_task) *task, int first, int end,
                const struct NB(nb_cuda_step_trace) *trace, const struct nb_cuda_step_report *last)
{
    const size_t velocities = 3 * (size_t)task->model->nodes, forces = iterate_size(task) - velocities;
    for (int k = first; k < end; ++k) {
        const struct nb_cuda_step_report *now = k < last->newton_iterations ? trace->report + k - first : last;
        const int linear_iterations = now->linear_iterations - (int)task->run->linear_iterations;
        const struct nb_linear_report linear = {now->ending, linear_iterations, ""};
        note(self, task, now, now->failure);
        if (now == last)
            return 1;
        const nb_real *iterate = trace->iterate + (size_t)(k - first) * iterate_size(task);
        memcpy(task->u, iterate, velocities * sizeof *iterate);
        memcpy(task->lambda, iterate + velocities, forces * sizeof *iterate);
        if (now->failure || task->report(task, k + 1, &linear))
            return 1;
    }
    return 0;
}

/* So many iterates at once that they take 256 MiB at most; as many may have been computed in vain when the
 * observer has seen enough. */
static int kept_at_once(const struct NB(nb_method_task) *task)
{
    const size_t bytes = iterate_size(task) * sizeof(nb_real) + 1;
    const int most = (int)(((size_t)1 << 28) / bytes), few = most < 64 ? most : 64;
    return few < 1 ? 1 : few < task->iterations ? few : task->iterations;
}

static enum nb_status run_observed(const struct method *self, const struct NB(nb_method_task) *task,
                                   struct nb_error *error)
{
    const int stride = kept_at_once(task);
    struct NB(nb_cuda_step_trace) trace = {
        .iterate = malloc(((size_t)stride * iterate_size(task) + 1) * sizeof *trace.iterate),
        .report = malloc(((size_t)stride + 1) * sizeof *trace.report),
    };
    enum nb_status status = trace.iterate && trace.report
                                ? NB_OK
                                : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d iterates", stride);
    int stop = status || task->report(task, 0, NULL);
    for (int first = 0; first < task->iterations && !stop; first += stride) {
        const int end = first + stride < task->iterations ? first + stride : task->iterations;
        struct nb_cuda_step_report report;
        status = advance(self, task, first, end, &trace, &report, error);
        if (status)
            note(self, task, &report, error->text);
        stop = status || show(self, task, first, end, &trace, &report);
    }
    free(trace.iterate);
    free(trace.report);
    return status == NB_OUT_OF_MEMORY ? status : NB_OK;
}

/* One launch for all iterations, also where somebody watches: their iterates are kept on the device. */
static enum nb_status run(void *data, const struct NB(nb_method_task) *task, struct nb_error *error)
{
    const struct method *self = data;
    struct nb_cuda_step_report report;
    if (task->observer)
        return run_observed(self, task, error);
    const enum nb_status status = advance(self, task, 0, task->iterations, NULL, &report, error);
    note(self, task, &report, status ? error->text : report.failure);
    return status == NB_OUT_OF_MEMORY ? status : NB_OK;
}

const struct NB(nb_solver_strategy) NB(nb_solver_cuda_newton) = {
    .name = "cuda_newton",
    .title = "nonsmooth Newton, damped, the step on a CUDA device",
    .source = "Macklin et al. 2019, algorithm 1",
    .settings = settings,
    .elasticity = elasticity,
    .setup = setup,
    .run = run,
    .free = release,
};
