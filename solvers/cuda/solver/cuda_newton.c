/* The damped nonsmooth Newton method of solvers/outer/newton.c on a CUDA device, a whole time step in one
 * launch (solvers/cuda/step/step_stages.cuh). In islands each part has its own linear solve, so that the
 * iterates are those of newton with islands=yes and not of one solve for all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/clock.h"
#include "solvers/cuda/step/step.h"
#include "solvers/kernels/newton_system.h"

enum { PARTS, STOP, THREADS, PLACED, BY, GEOMETRIC_STIFFNESS, COMPLIANCE, SETTINGS };

static const struct nb_setting settings[] = {
    [PARTS] = {.name = "parts", .choices = "auto,whole,islands",
               .meaning = "the whole step as one system, or a block of threads an island; auto: islands "
                          "where they fit the shared memory"},
    [STOP] = {.name = "stop", .maximum = 1,
              .meaning = "end where the right-hand side has fallen to this fraction; 0: never"},
    [THREADS] = {.name = "threads", .maximum = 512, .whole = 1,
                 .meaning = "of a block, a multiple of 32; 0: 512, or 256 for islands"},
    [PLACED] = {.name = "placed", .choices = NB_CUDA_PLACES,
                .meaning = "a part's linear system: by the grid in global memory, or in the shared memory "
                           "of a block or of a cluster of blocks; auto: the first that has room"},
    [BY] = {.name = "by", .choices = "launch,graph",
            .meaning = "all of the step in one launch, or in a graph of a kernel a stage; the latter "
                       "takes the step as one system in global memory"},
    [GEOMETRIC_STIFFNESS] = {.name = "geometric_stiffness", .choices = "rows,none",
                             .meaning = "of deformable bodies, in the Newton matrix: rows of the "
                                        "elements' principal axes, or nothing"},
    [COMPLIANCE] = {.name = "compliance", .choices = "full,diagonal",
                    .meaning = "of elements: the inverse of the elastic Hessian, or of a diagonal bound"},
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
};

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

/* The strategies that the device has. */
static enum nb_status choose(const struct nb_options *options,
                             struct NB(nb_cuda_step_options) *out, struct nb_error *error)
{
    const struct NB(nb_linear) *linear = NB(nb_find_linear)(options->linear);
    const struct NB(nb_ncp) *ncp = NB(nb_find_ncp)(options->ncp);
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX] = {0};
    enum nb_status status = nb_settings_read(NB(nb_strategy_settings)("linear", options->linear),
                                             options->linear, value, error);
    if (status)
        return status;
    out->gradients = strcmp(linear->name, "pcg") == 0;
    out->minimum = strcmp(ncp->name, "min") == 0;
    out->wide = strcmp(options->precond, "block_jacobi") == 0;
    out->tolerance = (nb_real)value[NB_LINEAR_TOL];
    if (!out->gradients && strcmp(linear->name, "pcr") != 0)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton has the linear solvers pcr and pcg");
    if (value[NB_LINEAR_START] != 0 || value[NB_LINEAR_ISLANDS] != 0 || value[NB_LINEAR_IN] != 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: of the linear solver's settings it has tol, and parts=islands of its own");
    if (!out->wide && strcmp(options->precond, "jacobi") != 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton has the preconditioners jacobi and block_jacobi");
    if (!out->minimum && strcmp(ncp->name, "fb") != 0)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton has the NCP functions fb and min");
    return NB_OK;
}

static enum nb_status read_options(const struct nb_options *options,
                                   struct NB(nb_cuda_step_options) *out, struct nb_error *error)
{
    double value[SETTINGS] = {0};
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    if (!status)
        status = choose(options, out, error);
    if (status)
        return status;
    out->parts = (enum nb_cuda_parts)value[PARTS];
    out->place = (enum nb_cuda_place)value[PLACED];
    out->graph = value[BY] > 0;
    out->stop = (nb_real)value[STOP];
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
        status = read_options(options, &chosen, error);
    if (!status)
        status = create_step(self, model, options, &chosen, error);
    if (status) {
        release(self);
        return status;
    }
    *out = self;
    return NB_OK;
}

/* Iterations first to end - 1; nonzero ends the run. */
static int advance(const struct method *self, const struct NB(nb_method_task) *task, int first,
                   int end, struct nb_linear_report *linear)
{
    struct nb_cuda_step_report report;
    struct nb_run *run = task->run;
    struct nb_error error = {""};
    const double begin = nb_seconds();
    const enum nb_status status =
        NB(nb_cuda_step_run)(self->step, first, end, task->u, task->lambda, &report, &error);
    const char *reason = status ? error.text : report.failure;
    run->linear_seconds += nb_seconds() - begin;
    run->newton_iterations = report.newton_iterations;
    run->linear_iterations = report.linear_iterations;
    run->operator_applications = report.linear_iterations + report.newton_iterations;
    *linear = (struct nb_linear_report){report.ending, report.linear_iterations, ""};
    if (!reason) {
        snprintf(run->detail, sizeof run->detail, "%s", report.place);
        return run->newton_iterations < end;
    }
    run->broke_down = 1;
    snprintf(run->detail, sizeof run->detail, "Newton iteration %d: %.120s",
             run->newton_iterations + 1, reason);
    return 1;
}

/* Nobody watches: one launch for all iterations. */
static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    const int stride = task->observer ? 1 : task->iterations;
    int stop = task->report(task, 0, NULL);
    (void)error;
    for (int k = 0; k < task->iterations && !stop; k += stride)
        stop = advance(data, task, k, k + stride, &report) || task->report(task, k + 1, &report);
    return NB_OK;
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
