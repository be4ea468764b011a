/* Set-up, run and end of every method on the dual problem (solvers/outer/dual/dual.h): iterate, linearise when
 * it is due, publish u(p) and lambda = p/h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/clock.h"
#include "solvers/outer/dual/dual.h"

/* Linearising a step whose W stays as it is takes back rounding only; one whose W changes, or a general M
 * that is not quite symmetric, asks after so many iterations whether it is time. */
enum { FIXED_INTERVAL = 20, MOVING_INTERVAL = 5, REFUSALS = 2 };
#define RESIDUAL_FALL 10

void nb_dual_free(void *self)
{
    struct nb_dual *dual = self;
    if (!dual)
        return;
    if (dual->method->free && dual->state)
        dual->method->free(dual->state);
    nb_step_rows_free(&dual->step);
    nb_unsymmetric_free(&dual->given);
    free(dual->memory);
    free(dual->state);
    free(dual);
}

static void lay_out(void *self, struct nb_arena *arena)
{
    struct nb_dual *dual = self;
    const size_t n = dual->step.size, nodes = 3 * (size_t)dual->step.model->nodes;
    nb_real **by_row[] = {&dual->p, &dual->q, &dual->velocity, &dual->previous, &dual->kept, &dual->metric};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; ++i)
        NB_ARRAY(arena, *by_row[i], n);
    for (int v = 0; v < dual->method->vectors; ++v)
        NB_ARRAY(arena, dual->vector[v], n);
    NB_ARRAY(arena, dual->moved, nodes);
    NB_ARRAY(arena, dual->anchor, nodes);
}

static enum nb_status allocate(struct nb_dual *dual, struct nb_error *error)
{
    dual->state = calloc(1, dual->method->state_size + 1);
    dual->memory = nb_arena_allocate(lay_out, dual);
    return dual->state && dual->memory
               ? NB_OK
               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu rows", dual->step.size);
}

/* W of a linear step as its file has it, which need not be symmetric. */
static enum nb_status keep_given(struct nb_dual *dual, struct nb_error *error)
{
    const enum nb_status status = nb_unsymmetric_create(&dual->given, dual->step.model, error);
    if (!status)
        nb_unsymmetric_add_compliance(&dual->given, dual->step.model);
    return status;
}

enum nb_status nb_dual_setup(void **self, const struct nb_dual_method *method,
                             struct nb_model *model, const struct nb_options *options,
                             struct nb_error *error)
{
    struct nb_dual *dual = calloc(1, sizeof *dual);
    *self = NULL;
    if (!dual)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", options->solver);
    dual->method = method;
    enum nb_status status = nb_settings_read(method->settings, options->solver, dual->value, error);
    if (!status)
        status = nb_step_rows_create(&dual->step, model, options->threads, !method->matrix_free, error);
    if (!status)
        status = allocate(dual, error);
    if (!status && method->sweeps)
        status = keep_given(dual, error);
    if (!status && method->setup)
        status = method->setup(dual, error);
    if (status) {
        nb_dual_free(dual);
        return status;
    }
    dual->bounds = method->bounds ? method->bounds(dual->value) : NB_FRICTION_CONE;
    *self = dual;
    return NB_OK;
}

static int changes_linearised(const struct nb_dual *dual)
{
    const struct nb_model *model = dual->step.model;
    return !model->constant ||
           (model->inertia_kind == NB_INERTIA_GENERAL && !dual->given.matrix.value);
}

/* Remembers where it was linearised, with U(p) in velocity. */
static void set_anchor(struct nb_dual *dual, double residual)
{
    dual->reference = dual->wanted = residual;
    dual->refused = 0;
    memcpy(dual->anchor, dual->step.u, 3 * (size_t)dual->step.model->nodes * sizeof *dual->anchor);
}

/* Linearises before iteration k where it is due. */
static void linearise_when_due(struct nb_dual *dual, int k)
{
    if (!changes_linearised(dual)) {
        if (k % FIXED_INTERVAL == 0)
            nb_dual_linearise(dual, 0);
        return;
    }
    if (!dual->method->newton && k % MOVING_INTERVAL != 0)
        return;
    nb_dual_velocity(dual, dual->p, dual->velocity);
    if (nb_dual_residual(dual) > dual->wanted / RESIDUAL_FALL)
        return;
    memcpy(dual->kept, dual->q, dual->step.size * sizeof *dual->q);
    nb_dual_linearise(dual, 0);
    const double residual = nb_dual_residual(dual);
    if (residual < dual->reference || ++dual->refused > REFUSALS) {
        set_anchor(dual, residual);
        return;
    }
    /* Worse than where the last linearisation began: its problem is to be solved better first. */
    nb_model_evaluate(dual->step.model, dual->anchor);
    nb_step_rows_assemble(&dual->step);
    dual->updates++;
    memcpy(dual->q, dual->kept, dual->step.size * sizeof *dual->q);
    dual->wanted /= RESIDUAL_FALL;
}

/* Free motion, or the start: where a method that needs no W finds its J and gaps, too. */
static void start(struct nb_dual *dual, const struct nb_method_task *task)
{
    struct nb_step_rows *step = &dual->step;
    step->op.applications = 0;
    for (size_t i = 0; i < step->size; ++i)
        dual->p[i] = step->model->time_step * task->lambda[i];
    if (!step->model->constant) /* u(p) needs a J: that of the start, not the last run's */
        nb_model_evaluate(step->model, task->u);
    if (!step->op.strategy) {
        nb_dual_respond(dual, step->u);
        nb_model_evaluate(step->model, step->u);
        return;
    }
    nb_dual_linearise(dual, 1);
    if (changes_linearised(dual))
        set_anchor(dual, nb_dual_residual(dual));
}

static int publish(struct nb_dual *dual, const struct nb_method_task *task)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    if (!dual->keeps_motion)
        nb_dual_respond(dual, dual->step.u);
    return nb_step_rows_publish(&dual->step, dual->p, task,
                                task->run->newton_iterations > 0 ? &report : NULL);
}

int nb_break_down(const struct nb_method_task *task, const char *reason)
{
    task->run->broke_down = 1;
    snprintf(task->run->detail, sizeof task->run->detail, "iteration %d: %.120s",
             task->run->newton_iterations + 1, reason);
    return 1;
}

static int is_finite(const struct nb_dual *dual)
{
    for (size_t i = 0; i < dual->step.size; ++i)
        if (!isfinite(dual->p[i]))
            return 0;
    return 1;
}

/* One iteration; the iterate before is kept where this one cannot be used. Nonzero ends the run. */
static int advance(struct nb_dual *dual, const struct nb_method_task *task, int *unchanged)
{
    const size_t bytes = dual->step.size * sizeof *dual->p;
    const double begin = nb_seconds();
    memcpy(dual->previous, dual->p, bytes);
    dual->under_way = 0;
    const char *reason = dual->method->iterate(dual, task->run);
    task->run->linear_seconds += nb_seconds() - begin;
    if (!reason && !is_finite(dual))
        reason = "the iterate is not finite";
    if (reason) {
        memcpy(dual->p, dual->previous, bytes);
        return nb_break_down(task, reason);
    }
    task->run->newton_iterations++;
    const int same = !dual->under_way && !memcmp(dual->p, dual->previous, bytes);
    *unchanged = same ? *unchanged + 1 : 0;
    return *unchanged > FIXED_INTERVAL;
}

enum nb_status nb_dual_run(void *self, const struct nb_method_task *task, struct nb_error *error)
{
    struct nb_dual *dual = self;
    const double begin = nb_seconds();
    const int last = dual->step.size > 0 ? task->iterations : task->iterations > 0;
    int unchanged = 0;
    (void)error;
    start(dual, task);
    const char *reason = dual->method->restart ? dual->method->restart(dual) : NULL;
    task->run->assembly_seconds += nb_seconds() - begin;
    int stop = (task->observer && publish(dual, task)) || (reason && nb_break_down(task, reason));
    for (int k = 1; k <= last && !stop; ++k) {
        const double began = nb_seconds();
        if (dual->step.op.strategy)
            linearise_when_due(dual, k);
        task->run->assembly_seconds += nb_seconds() - began;
        stop = advance(dual, task, &unchanged);
        if (task->observer && !task->run->broke_down) /* then its iterate is the one reported last */
            stop = publish(dual, task) || stop;
    }
    if (!task->observer)
        publish(dual, task);
    task->run->operator_applications = dual->step.op.applications;
    return NB_OK;
}
