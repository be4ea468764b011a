#include "solvers/outer/dual/dual_step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/contact/coulomb.h"

/* Refreshes of a step whose W stays as it is take back rounding only; a moving one, or a general M
 * that is not quite symmetric, asks after so many iterations whether it is time. */
enum { FIXED_INTERVAL = 20, MOVING_INTERVAL = 5, REFUSALS = 2 };
#define RESIDUAL_FALL 10

void NB(nb_dual_step_free)(struct NB(nb_dual_step) *step)
{
    if (step->op.strategy)
        step->op.strategy->free(&step->op);
    NB(nb_given_rows_free)(&step->given);
    free(step->storage);
    memset(step, 0, sizeof *step);
}

enum nb_status NB(nb_dual_step_create)(struct NB(nb_dual_step) *step, struct NB(nb_model) *model,
                                       const struct nb_options *options, int assembled,
                                       size_t extra, nb_real **vectors, struct nb_error *error)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    nb_real **rows[] = {&step->p, &step->q, &step->velocity, &step->previous,
                        &step->kept, &step->ones, &step->compliance, &step->op.diagonal};
    nb_real **velocities[] = {&step->u, &step->moved, &step->anchor, &step->defect, &step->momentum};
    const size_t row_count = sizeof rows / sizeof *rows;
    memset(step, 0, sizeof *step);
    step->model = model;
    step->rows = n;
    step->bilateral = 3 * (size_t)model->bilateral_blocks;
    step->storage = calloc((row_count + extra) * n + 5 * nodes + 1, sizeof *step->storage);
    if (!step->storage)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d block rows", model->blocks);
    nb_real *next = step->storage;
    for (size_t i = 0; i < row_count; ++i, next += n)
        *rows[i] = next;
    for (size_t i = 0; i < 5; ++i, next += nodes)
        *velocities[i] = next;
    if (vectors)
        *vectors = next;
    for (size_t i = 0; i < n; ++i)
        step->ones[i] = 1;
    step->op.model = model;
    step->op.size = n;
    step->op.threads = options->threads;
    if (!assembled)
        return NB_OK;
    step->op.strategy = NB(nb_find_operator)("assembled");
    const enum nb_status status = step->op.strategy->setup(&step->op, model, error);
    if (status)
        NB(nb_dual_step_free)(step);
    return status;
}

enum nb_status NB(nb_dual_step_keep_given)(struct NB(nb_dual_step) *step, struct nb_error *error)
{
    const enum nb_status status = NB(nb_given_rows_create)(&step->given, step->model, error);
    if (!status)
        NB(nb_given_rows_add_compliance)(&step->given, step->model);
    return status;
}

/* u [3 nodes] at the present p and J. */
static void respond(struct NB(nb_dual_step) *step, nb_real *u)
{
    if (!NB(nb_given_rows_respond)(&step->given, step->model, step->p, u))
        NB(nb_model_respond)(step->model, step->p, step->momentum, step->defect, u);
}

/* out = W x, counted */
static void apply(struct NB(nb_dual_step) *step, const nb_real *x, nb_real *out)
{
    if (!step->given.matrix.value) {
        NB(nb_operator_apply)(&step->op, x, out);
        return;
    }
    NB(nb_bsr_multiply)(&step->given.matrix, x, out, step->op.threads);
    step->op.applications++;
}

void NB(nb_dual_step_velocity)(struct NB(nb_dual_step) *step, const nb_real *x, nb_real *out)
{
    apply(step, x, out);
    for (size_t i = 0; i < step->rows; ++i)
        out[i] += step->q[i];
}

/* One contact's p - P(p - U/W) by its bounds; w [3] its diagonal. */
static void contact_residual(const nb_real *p, const nb_real *velocity, const nb_real *w, nb_real mu,
                             enum nb_friction_bounds bounds, nb_real *out)
{
    const nb_real tangent = nb_max(w[1], w[2]);
    nb_real z[3] = {p[0] - velocity[0] / w[0], p[1] - velocity[1] / tangent,
                    p[2] - velocity[2] / tangent};
    if (bounds == NB_FRICTION_ASSOCIATED) {
        for (int r = 0; r < 3; ++r)
            z[r] = p[r] - velocity[r] / nb_max(w[0], tangent);
        NB(nb_project_cone)(z, mu);
    } else {
        const nb_real radius = bounds == NB_FRICTION_NONE ? 0 : mu * nb_max(0, p[0]);
        z[0] = nb_max(0, z[0]);
        if (bounds == NB_FRICTION_BOX) {
            z[1] = NB(nb_clamp)(z[1], radius);
            z[2] = NB(nb_clamp)(z[2], radius);
        } else {
            NB(nb_project_disc)(z + 1, radius);
        }
    }
    for (int r = 0; r < 3; ++r)
        out[r] = p[r] - z[r];
}

/* || p - P(p - U/W) || in the norm of the diagonal of W, with U in velocity. */
static double residual(const struct NB(nb_dual_step) *step, enum nb_friction_bounds bounds)
{
    double sum = 0;
    for (size_t i = 0; i < step->rows; i += 3) {
        nb_real w[3], out[3];
        for (size_t r = 0; r < 3; ++r) {
            const nb_real diagonal = step->op.diagonal[i + r];
            w[r] = diagonal > 0 ? diagonal : 1;
            out[r] = step->velocity[i + r] / w[r];
        }
        if (i >= step->bilateral)
            contact_residual(step->p + i, step->velocity + i, w,
                             step->model->friction[(i - step->bilateral) / 3], bounds, out);
        for (size_t r = 0; r < 3; ++r)
            sum += (double)w[r] * (double)out[r] * (double)out[r];
    }
    return sqrt(sum);
}

static void update_operator(struct NB(nb_dual_step) *step)
{
    for (size_t i = 0; i < step->bilateral; ++i)
        step->compliance[i] = step->model->bilateral_compliance[9 * (i / 3) + 4 * (i % 3)];
    step->op.strategy->update(&step->op, step->ones, step->compliance);
    step->updates++;
}

/* Linearises at u(p): U(u') = U(u) + J (u' - u), in which u' is u(p) again, now by the new J. Leaves
 * U(p) in velocity. */
static void refresh(struct NB(nb_dual_step) *step, int first)
{
    struct NB(nb_model) *model = step->model;
    respond(step, step->u);
    NB(nb_model_evaluate)(model, step->u);
    if ((first || !model->constant) && !step->given.matrix.value)
        update_operator(step);
    memcpy(step->velocity, model->violation, step->rows * sizeof *step->velocity);
    if (!model->constant) {
        respond(step, step->moved);
        for (size_t i = 0; i < 3 * (size_t)model->nodes; ++i)
            step->moved[i] -= step->u[i];
        NB(nb_bsr_multiply)(&model->jacobian, step->moved, step->q, model->threads);
        for (size_t i = 0; i < step->rows; ++i)
            step->velocity[i] += step->q[i];
    }
    NB(nb_model_add_compliance)(model, step->p, step->velocity);
    apply(step, step->p, step->q);
    for (size_t i = 0; i < step->rows; ++i)
        step->q[i] = step->velocity[i] - step->q[i];
}

static int is_moving(const struct NB(nb_dual_step) *step)
{
    return !step->model->constant ||
           (step->model->inertia_kind == NB_INERTIA_GENERAL && !step->given.matrix.value);
}

/* Refreshes before iteration k where it is time. */
static void refresh_when_due(struct NB(nb_dual_step) *step, const struct NB(nb_dual_method) *method,
                             int k)
{
    const enum nb_friction_bounds bounds = method->bounds;
    if (!is_moving(step)) {
        if (k % FIXED_INTERVAL == 0)
            refresh(step, 0);
        return;
    }
    if (!method->newton && k % MOVING_INTERVAL != 0)
        return;
    NB(nb_dual_step_velocity)(step, step->p, step->velocity);
    if (residual(step, bounds) > step->wanted / RESIDUAL_FALL)
        return;
    memcpy(step->kept, step->q, step->rows * sizeof *step->q);
    refresh(step, 0);
    const double refreshed = residual(step, bounds);
    if (refreshed < step->reference || ++step->refused > REFUSALS) {
        step->reference = step->wanted = refreshed;
        step->refused = 0;
        memcpy(step->anchor, step->u, 3 * (size_t)step->model->nodes * sizeof *step->u);
        return;
    }
    /* Worse than where the last linearisation began: its problem is to be solved better first. */
    NB(nb_model_evaluate)(step->model, step->anchor);
    update_operator(step);
    memcpy(step->q, step->kept, step->rows * sizeof *step->q);
    step->wanted /= RESIDUAL_FALL;
}

/* Free motion, or the start: where a method that needs no W finds its J and gaps, too. */
static void start(struct NB(nb_dual_step) *step, const struct NB(nb_method_task) *task,
                  enum nb_friction_bounds bounds)
{
    if (!step->model->constant) /* u(p) needs a J: that of the start, not the last run's */
        NB(nb_model_evaluate)(step->model, task->u);
    if (!step->op.strategy) {
        respond(step, step->u);
        NB(nb_model_evaluate)(step->model, step->u);
        return;
    }
    refresh(step, 1);
    if (!is_moving(step))
        return;
    memcpy(step->anchor, step->u, 3 * (size_t)step->model->nodes * sizeof *step->u);
    step->reference = step->wanted = residual(step, bounds);
    step->refused = 0;
}

static int publish(struct NB(nb_dual_step) *step, const struct NB(nb_method_task) *task)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    respond(step, task->u);
    for (size_t i = 0; i < step->rows; ++i)
        task->lambda[i] = step->p[i] / step->model->time_step;
    const int iteration = task->run->newton_iterations;
    return task->report(task, iteration, iteration > 0 ? &report : NULL);
}

int NB(nb_break_down)(const struct NB(nb_method_task) *task, const char *reason)
{
    task->run->broke_down = 1;
    snprintf(task->run->detail, sizeof task->run->detail, "iteration %d: %.120s",
             task->run->newton_iterations + 1, reason);
    return 1;
}

static int is_finite(const struct NB(nb_dual_step) *step)
{
    for (size_t i = 0; i < step->rows; ++i)
        if (!isfinite(step->p[i]))
            return 0;
    return 1;
}

/* One iteration; the iterate before is kept where this one cannot be used. Nonzero ends the run. */
static int advance(struct NB(nb_dual_step) *step, const struct NB(nb_dual_method) *method,
                   const struct NB(nb_method_task) *task, int *unchanged)
{
    const size_t bytes = step->rows * sizeof *step->p;
    const double begin = nb_seconds();
    memcpy(step->previous, step->p, bytes);
    step->under_way = 0;
    const char *reason = method->iterate(method->self, task->run);
    task->run->linear_seconds += nb_seconds() - begin;
    if (!reason && !is_finite(step))
        reason = "the iterate is not finite";
    if (reason) {
        memcpy(step->p, step->previous, bytes);
        return NB(nb_break_down)(task, reason);
    }
    task->run->newton_iterations++;
    const int rests = !step->under_way && !memcmp(step->p, step->previous, bytes);
    *unchanged = rests ? *unchanged + 1 : 0;
    return 0;
}

enum nb_status NB(nb_dual_step_run)(struct NB(nb_dual_step) *step,
                                    const struct NB(nb_dual_method) *method,
                                    const struct NB(nb_method_task) *task)
{
    const double begin = nb_seconds();
    const int last = step->rows > 0 ? task->iterations : task->iterations > 0;
    int unchanged = 0;
    step->op.applications = 0;
    for (size_t i = 0; i < step->rows; ++i)
        step->p[i] = step->model->time_step * task->lambda[i];
    start(step, task, method->bounds);
    const char *reason = method->restart(method->self);
    task->run->assembly_seconds += nb_seconds() - begin;
    int stop = (task->observer && publish(step, task)) ||
               (reason && NB(nb_break_down)(task, reason));
    for (int k = 1; k <= last && !stop; ++k) {
        const double began = nb_seconds();
        if (step->op.strategy)
            refresh_when_due(step, method, k);
        task->run->assembly_seconds += nb_seconds() - began;
        stop = advance(step, method, task, &unchanged) || unchanged > FIXED_INTERVAL;
        if (task->observer)
            stop = publish(step, task) || stop;
    }
    if (!task->observer)
        publish(step, task);
    task->run->operator_applications = step->op.applications;
    return NB_OK;
}
