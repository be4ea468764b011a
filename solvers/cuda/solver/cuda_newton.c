/* The damped nonsmooth Newton method of solvers/outer/newton.c on a CUDA device, a whole time step in one
 * launch (solvers/cuda/step/step_stages.cuh). In islands each part has its own linear solve, so that the
 * iterates are those of newton with islands=yes and not of one solve for all. Which linear solvers there are:
 * newton_choices.c. Gauss-Seidel takes the rows by colours, so that its iterates are not newton's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/cuda/newton_choices.h"
#include "solvers/model/newton_system.h"

struct method {
    struct NB(nb_cuda_step) *step;
    struct nb_cuda_linear_cost cost;
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
    if (model->pads > 0)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton takes hard contacts only, and %d are soft", model->pads);
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
    if (!status && !factored)
        status = NB(nb_delassus_list_products)(&delassus, model, error);
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
        status = NB(nb_cuda_newton_choose)(options, &chosen, &self->cost, error);
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
        self->cost.iteration * report->linear_iterations + self->cost.solve * report->newton_iterations;
    run->broke_down = reason != NULL;
    if (reason)
        snprintf(run->detail, sizeof run->detail, "Newton iteration %d: %.120s",
                 run->newton_iterations + 1, reason);
    else
        snprintf(run->detail, sizeof run->detail, "%s", report->team);
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
    .together = 1, /* as newton; by=islands takes them apart on the device */
    .settings = NB(nb_cuda_newton_settings),
    .elasticity = NB(nb_cuda_newton_elasticity),
    .own_units = NB(nb_scaling_own_units),
    .setup = setup,
    .run = run,
    .free = release,
};
