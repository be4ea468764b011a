/* Nonsmooth Newton with a constant damping (Macklin et al. 2019, algorithm 1 and section 8.1):
 *
 *     solve (59) for h dlambda,  du by (60),  (u, lambda) += t (du, dlambda),
 *
 * from u = 0, lambda = 0. Friction is a fixed point: its compliance W is taken at the last iterate. */
#include <stdio.h>

#include "solvers/clock.h"
#include "solvers/kernels/newton_system.h"

enum { GEOMETRIC_STIFFNESS, COMPLIANCE, SETTINGS };
enum { BY_ROWS, NONE, DIAGONAL };

static const struct nb_setting settings[] = {
    [GEOMETRIC_STIFFNESS] = {"geometric_stiffness", BY_ROWS, 0, 2, 0, 1, "rows,none,diagonal",
                             "of deformable bodies, in the Newton matrix: rows of the elements' "
                             "principal axes, nothing, or Broyden's diagonal of section 8.3"},
    [COMPLIANCE] = {"compliance", 0, 0, 1, 0, 1, "full,diagonal",
                    "of elements: the inverse of the elastic Hessian, or of a diagonal bound"},
    [SETTINGS] = {0},
};

static void elasticity(const char *solver, struct nb_elasticity *out)
{
    double value[SETTINGS] = {0};
    nb_settings_read(settings, solver, value, NULL);
    out->no_axis_rows = value[GEOMETRIC_STIFFNESS] > BY_ROWS;
    out->diagonal_compliance = value[COMPLIANCE] > 0;
}

static enum nb_status setup(void **self, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct NB(nb_newton) *newton = NULL;
    double value[SETTINGS];
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    *self = NULL;
    if (!status)
        status = NB(nb_newton_create)(&newton, model, options, error);
    if (!status && value[GEOMETRIC_STIFFNESS] >= DIAGONAL && model->particles > 0)
        status = NB(nb_geometric_create)(&newton->geometric, model, error);
    if (status) {
        NB(nb_newton_free)(newton);
        return status;
    }
    *self = newton;
    return NB_OK;
}

/* Without contacts a linear step is solved by one full Newton step: damping would only delay it. */
static void move(const struct NB(nb_newton) *newton, const struct NB(nb_method_task) *task)
{
    const nb_real t = newton->model->contacts > 0 ? (nb_real)task->options->damping : 1;
    const nb_real force_step = t / newton->model->time_step;
    const size_t nodes = 3 * (size_t)newton->model->nodes;
    for (size_t i = 0; i < nodes; ++i)
        task->u[i] += t * newton->step[i];
    for (size_t i = 0; i < newton->op.size; ++i)
        task->lambda[i] += force_step * newton->impulse[i];
}

/* A matrix that cannot be factorised, or a solve that is not finite, leaves no step to take. A
 * Krylov breakdown does: its best iterate. */
static int end_run(const struct NB(nb_method_task) *task, const char *reason)
{
    task->run->broke_down = 1;
    snprintf(task->run->detail, sizeof task->run->detail, "Newton iteration %d: %.120s",
             task->run->newton_iterations + 1, reason);
    return 1;
}

/* One iteration; nonzero ends the run. */
static int iterate(struct NB(nb_newton) *newton, const struct NB(nb_method_task) *task,
                   struct nb_linear_report *report)
{
    struct nb_run *run = task->run;
    struct nb_error error;
    const double begin = nb_seconds();
    const enum nb_status status = NB(nb_newton_linearise)(newton, task->u, task->lambda, 1, &error);
    const double assembled = nb_seconds();
    run->assembly_seconds += assembled - begin;
    if (status)
        return end_run(task, error.text);
    *report = NB(nb_newton_solve)(newton, task->options->linear_iterations, run);
    run->linear_seconds += nb_seconds() - assembled;
    run->linear_iterations += report->iterations;
    if (report->ending == NB_LINEAR_NON_FINITE)
        return end_run(task, "the linear solve is not finite");
    move(newton, task);
    run->newton_iterations++;
    return 0;
}

static enum nb_status run(void *self, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct NB(nb_newton) *newton = self;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    (void)error;
    newton->op.applications = 0;
    NB(nb_engine_restart)(newton->engine);
    if (newton->geometric)
        NB(nb_geometric_restart)(newton->geometric);
    int stop = task->report(task, 0, NULL);
    for (int k = 1; k <= task->iterations && !stop; ++k)
        stop = iterate(newton, task, &report) || task->report(task, k, &report);
    task->run->operator_applications = newton->op.applications;
    return NB_OK;
}

static void release(void *self) { NB(nb_newton_free)(self); }

const struct NB(nb_solver_strategy) NB(nb_solver_newton) = {
    .name = "newton",
    .title = "nonsmooth Newton, constant damping",
    .source = "Macklin et al. 2019, algorithm 1",
    .settings = settings,
    .elasticity = elasticity,
    .setup = setup,
    .run = run,
    .free = release,
};
