/* Nonsmooth Newton (Macklin et al. 2019, algorithm 1 and section 8.1):
 *
 *     solve (59) for h dlambda,  du by (60),  (u, lambda) += t (du, dlambda),
 *
 * from u = 0, lambda = 0, or with start=free from the motion without forces. Friction is a fixed point: its compliance
 * Gamma is taken at the last iterate.
 *
 * step=constant, the paper's, takes t = damping. step=adaptive doubles t towards 1 while the merit
 * falls to a quarter, and goes back to damping when it grows, so that the end is that of full steps.
 * step=armijo takes the first t of 1, 1/2, 1/4 ... with
 *
 *     theta(t) <= (1 - 2e-4 t) theta_max,   theta = ||H^-1 g||^2 + ||h||^2 with Gamma held,
 *
 * theta_max the largest of the last `watchdog` + 1 iterations (Chamberlain et al. 1982; Grippo,
 * Lampariello and Lucidi 1986), and t = damping where none of six serves. step=backtracking is the paper's
 * own search, with which it gave friction up: theta of the whole residual, Gamma with it, is to fall below that of the
 * last iteration, and of 24 halvings the last is kept. friction=staggered holds Gamma
 * until theta has fallen to a hundredth with it, or for ten iterations (Kaufman et al. 2008). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/model/newton_system.h"

enum { STEP, WATCHDOG, START, FRICTION, GEOMETRIC_STIFFNESS, COMPLIANCE, SHIFT, SETTINGS };
enum { BY_ROWS, NONE, DIAGONAL, BODIES };
enum { CONSTANT, ADAPTIVE, ARMIJO, BACKTRACKING };
enum { LONGEST_WATCH = 20, TRIALS = 6, HALVINGS = 24, STAGGERED_LIMIT = 10 };
#define SUFFICIENT NB_REAL(2e-4)
#define STAGGERED_FALL NB_REAL(0.01)

static const struct nb_setting settings[] = {
    [STEP] = {.name = "step", .value = CONSTANT, .choices = "constant,adaptive,armijo,backtracking",
              .meaning = "length of a step"},
    [WATCHDOG] = {.name = "watchdog", .value = 4, .minimum = 0, .maximum = LONGEST_WATCH,
                  .whole = 1, .meaning = "iterations that armijo looks back"},
    [START] = {.name = "start", .value = 0, .choices = "rest,free", .meaning = "u of iteration 0, unless it is warm"},
    [FRICTION] = {.name = "friction", .value = 0, .choices = "current,staggered",
                  .meaning = "when the friction compliance is taken anew"},
    [GEOMETRIC_STIFFNESS] = {.name = "geometric_stiffness", .value = BY_ROWS, .choices = "rows,none,diagonal,bodies",
                             .meaning = "of deformable bodies, in the Newton matrix: rows of the elements' "
                                        "principal axes, nothing, or Broyden's diagonal of section 8.3; "
                                        "or that of bodies, too"},
    [COMPLIANCE] = {.name = "compliance", .choices = "full,diagonal",
                    .meaning = "of elements: the inverse of the elastic Hessian, or of a diagonal bound"},
    [SHIFT] = {.name = "shift", .choices = "relative,absolute",
               .meaning = "what --shift is: of the mean diagonal of J M^-1 J^T, or, as published, a number in the "
                          "problem's units [1/kg]"},
    [SETTINGS] = {.name = NULL},
};

static void elasticity(const char *solver, struct nb_elasticity *out)
{
    double value[SETTINGS] = {0};
    nb_settings_read(settings, solver, value, NULL);
    out->no_axis_rows = value[GEOMETRIC_STIFFNESS] > BY_ROWS;
    out->from_last_step = (value[GEOMETRIC_STIFFNESS] >= DIAGONAL) + (value[GEOMETRIC_STIFFNESS] > DIAGONAL);
    out->diagonal_compliance = value[COMPLIANCE] > 0;
    out->absolute_shift = value[SHIFT] > 0;
}

struct method {
    struct nb_newton *newton;
    double value[SETTINGS];
    nb_real *u, *lambda, *impulse; /* where a search begins [3 nodes], [n], and h dlambda [n] */
    nb_real merit[LONGEST_WATCH + 1]; /* of the last iterations, in a ring                   */
    nb_real t, held_since;         /* last step length; merit when Gamma was taken                */
    int iterations, held;          /* so far; with the present Gamma                              */
};

static void release(void *data)
{
    struct method *self = data;
    if (!self)
        return;
    nb_newton_free(self->newton);
    free(self->u);
    free(self);
}

static enum nb_status setup(void **out, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    struct method *self = calloc(1, sizeof *self);
    enum nb_status status = NB_OK;
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Newton's method");
    self->u = calloc(2 * n + nodes + 1, sizeof *self->u);
    if (!self->u)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Newton's method");
    if (!status)
        status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status && self->value[STEP] >= ARMIJO && self->value[GEOMETRIC_STIFFNESS] >= DIAGONAL)
        status = nb_fail(error, NB_BAD_INPUT, "newton: geometric_stiffness=diagonal compares an iteration with the "
                         "one before; it does not go with step=armijo or step=backtracking");
    if (!status)
        status = nb_newton_create(&self->newton, model, options, error);
    const int bodies = self->value[GEOMETRIC_STIFFNESS] == BODIES && model->inertia_kind == NB_INERTIA_BLOCKS;
    if (!status && ((self->value[GEOMETRIC_STIFFNESS] >= DIAGONAL && model->particles > 0) || bodies))
        status = nb_geometric_create(&self->newton->geometric, model, bodies, error);
    if (status) {
        release(self);
        return status;
    }
    self->lambda = self->u + nodes;
    self->impulse = self->lambda + n;
    *out = self;
    return NB_OK;
}

/* (u, lambda) += t (du, dlambda) */
static void add_step(const struct method *self, const struct nb_method_task *task, nb_real t,
                     const nb_real *impulse)
{
    const struct nb_newton *newton = self->newton;
    const nb_real force_step = t / newton->model->time_step;
    const size_t nodes = 3 * (size_t)newton->model->nodes;
    for (size_t i = 0; i < nodes; ++i)
        task->u[i] += t * newton->step[i];
    for (size_t i = 0; i < nb_newton_rows(newton); ++i)
        task->lambda[i] += force_step * impulse[i];
}

/* Of the last iterations that the search looks back on. */
static nb_real largest_merit(const struct method *self)
{
    const int length = self->value[STEP] == ARMIJO ? (int)self->value[WATCHDOG] + 1 : 1;
    const int known = self->iterations + 1 < length ? self->iterations + 1 : length;
    nb_real most = 0;
    for (int k = 0; k < known; ++k)
        most = nb_max(most, self->merit[(self->iterations - k) % (LONGEST_WATCH + 1)]);
    return most;
}

/* Takes the longest of the trial steps that serves, or t = damping (armijo), or the shortest (backtracking). */
static void search(struct method *self, const struct nb_method_task *task, nb_real damping)
{
    struct nb_newton *newton = self->newton;
    const size_t velocity_bytes = 3 * (size_t)newton->model->nodes * sizeof *task->u;
    const size_t force_bytes = nb_newton_rows(newton) * sizeof *task->lambda;
    const nb_real reference = largest_merit(self);
    const int plain = self->value[STEP] == BACKTRACKING, trials = plain ? HALVINGS : TRIALS;
    nb_real t = 1;
    memcpy(self->u, task->u, velocity_bytes);
    memcpy(self->lambda, task->lambda, force_bytes);
    memcpy(self->impulse, newton->impulse, force_bytes);
    newton->hold_friction = !plain;
    for (int k = 0; k < trials; ++k, t /= 2) {
        add_step(self, task, t, self->impulse);
        nb_newton_evaluate(newton, task->u, task->lambda);
        if (nb_newton_merit(newton) <= (1 - SUFFICIENT * t) * reference)
            return;
        memcpy(task->u, self->u, velocity_bytes);
        memcpy(task->lambda, self->lambda, force_bytes);
    }
    add_step(self, task, plain ? t : damping, self->impulse);
}

static nb_real adapt(struct method *self, nb_real damping)
{
    const nb_real now = self->merit[self->iterations % (LONGEST_WATCH + 1)];
    if (self->iterations > 0) {
        const nb_real before = self->merit[(self->iterations - 1) % (LONGEST_WATCH + 1)];
        if (now <= before / 4)
            self->t = nb_min(1, 2 * self->t);
        else if (!(now <= before))
            self->t = damping;
    }
    return self->t;
}

/* A linear step without contacts and free motion are systems of linear equations, which one full Newton
 * step solves: damping would only delay them. */
static void take_step(struct method *self, const struct nb_method_task *task)
{
    const struct nb_model *model = self->newton->model;
    const nb_real damping = (nb_real)task->options->damping;
    if (model->contacts == 0 && (model->constant || model->blocks == 0))
        add_step(self, task, 1, self->newton->impulse);
    else if (self->value[STEP] >= ARMIJO)
        search(self, task, damping);
    else
        add_step(self, task, self->value[STEP] == ADAPTIVE ? adapt(self, damping) : damping,
             self->newton->impulse);
}

/* A matrix that cannot be factorised, or a solve that is not finite, leaves no step to take. A
 * Krylov breakdown does: its best iterate. */
static int end_run(const struct nb_method_task *task, const char *reason)
{
    task->run->broke_down = 1;
    snprintf(task->run->detail, sizeof task->run->detail, "Newton iteration %d: %.120s",
             task->run->newton_iterations + 1, reason);
    return 1;
}

/* Whether Gamma stays as it is for this iteration; theta is that of the one before. */
static int holds_friction(struct method *self)
{
    const nb_real *merit = self->merit;
    if (self->value[FRICTION] == 0 || self->iterations == 0)
        return 0;
    const nb_real last = merit[(self->iterations - 1) % (LONGEST_WATCH + 1)];
    return self->held < STAGGERED_LIMIT && last > STAGGERED_FALL * self->held_since;
}

static enum nb_status linearise(struct method *self, const struct nb_method_task *task,
                                struct nb_error *error)
{
    struct nb_newton *newton = self->newton;
    newton->hold_friction = holds_friction(self);
    const enum nb_status status = nb_newton_linearise(newton, task->u, task->lambda, 1, error);
    const nb_real merit = self->value[STEP] != CONSTANT || self->value[FRICTION] > 0
                              ? nb_newton_merit(newton) : 0;
    self->merit[self->iterations % (LONGEST_WATCH + 1)] = merit;
    self->held = newton->hold_friction ? self->held + 1 : 0;
    if (!newton->hold_friction)
        self->held_since = merit;
    return status;
}

/* One iteration; nonzero ends the run. */
static int iterate(struct method *self, const struct nb_method_task *task,
                   struct nb_linear_report *report)
{
    struct nb_run *run = task->run;
    struct nb_error error;
    const double begin = nb_seconds();
    const enum nb_status status = linearise(self, task, &error);
    const double assembled = nb_seconds();
    run->assembly_seconds += assembled - begin;
    if (status)
        return end_run(task, error.text);
    *report = nb_newton_solve(self->newton, task->options->linear_iterations, run);
    run->linear_seconds += nb_seconds() - assembled;
    run->linear_iterations += report->iterations;
    if (report->ending >= NB_LINEAR_NON_FINITE) {
        char reason[128]; /* of a device, its own words */
        snprintf(reason, sizeof reason, "the linear solve %s (%.80s)",
                 report->ending == NB_LINEAR_FAILED ? "failed" : "is not finite", report->detail);
        return end_run(task, reason);
    }
    take_step(self, task);
    self->iterations++;
    run->newton_iterations++;
    return 0;
}

/* u = u~, the motion without forces, where it is to begin there and is not warm. */
static void start_free(struct method *self, const struct nb_method_task *task)
{
    struct nb_model *model = self->newton->model;
    for (size_t i = 0; i < nb_newton_rows(self->newton); ++i)
        if (task->lambda[i] != 0)
            return;
    nb_model_evaluate(model, task->u);
    nb_model_respond(model, task->lambda, self->u, self->newton->step, task->u);
}

static enum nb_status run(void *data, const struct nb_method_task *task,
                          struct nb_error *error)
{
    struct method *self = data;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    (void)error;
    self->newton->op.applications = 0;
    nb_linear_solver_restart(self->newton->linear);
    if (self->newton->geometric)
        nb_geometric_restart(self->newton->geometric);
    self->iterations = self->held = 0;
    self->t = (nb_real)task->options->damping;
    if (self->value[START] > 0)
        start_free(self, task);
    int stop = task->report(task, 0, NULL);
    for (int k = 1; k <= task->iterations && !stop; ++k)
        stop = iterate(self, task, &report) || task->report(task, k, &report);
    task->run->operator_applications = self->newton->op.applications;
    return NB_OK;
}

static int own_units(const struct nb_options *options)
{
    double value[SETTINGS] = {0};
    nb_settings_read(settings, options->solver, value, NULL);
    return value[SHIFT] > 0 || nb_scaling_own_units(options);
}

const struct nb_solver_strategy NB(nb_solver_newton) = {
    .name = "newton",
    .title = "nonsmooth Newton, damped",
    .source = "Macklin et al. 2019, algorithm 1",
    .warm = 1,
    .together = 1, /* the paper's budgets of Newton and linear iterations are of the whole step */
    .settings = settings,
    .elasticity = elasticity,
    .own_units = own_units,
    .setup = setup,
    .run = run,
    .free = release,
};
