/* Conjugate residuals on the mixed problem, velocities and forces together, without the matrix J
 * M^-1 J^T or a factor of M (Verschoor and Jalba 2019; solvers/outer/mixed_conjugate_residual/mixed_residual.h).
 * Contacts change between open, static and kinetic while the iteration goes on: they are looked
 * at where the residual of the present set has fallen to a tenth, and at the latest every
 * `interval` iterations.
 *
 * One iteration, as counted and observed, is one product with the system. On a nonlinear step J
 * and the gaps are evaluated anew as the residual falls. The overview of the method that is at
 * hand gives no formulae: the switching rule, the interval and the preconditioners' details are
 * this program's. The NCP function, scaling, linear solver and damping of the options play no
 * part. */
#include <string.h>

#include "solvers/outer/mixed_conjugate_residual/mixed_residual.h"

/* Contacts are looked at where ||r|| has fallen by this. */
static const nb_real switching_fall = NB_REAL(0.1);

/* A nonlinear step is linearised anew where ||r|| has fallen by this. */
static const nb_real linearised_fall = NB_REAL(1e-3);

/* An interval in which ||r|| falls by less makes no progress. */
static const nb_real slow = NB_REAL(0.99);

/* Looks without a smaller residual after which the directions are thrown away; after twice as many
 * nothing more is to be expected, nor after so many linearisations without one. */
enum { PATIENCE = 10 };

enum { PRECOND, AVERAGE, INTERVAL, SETTINGS };

static const struct nb_setting settings[] = {
    [PRECOND] = {.name = "precond", .value = NB_MIXED_BLOCK, .choices = "none,diagonal,block",
                 .meaning = "of the mixed system; block: its inverse by blocks"},
    [AVERAGE] = {.name = "average", .value = 4, .minimum = 1, .maximum = 64, .whole = 1,
                 .meaning = "N: values in the means of kinetic friction"},
    [INTERVAL] = {.name = "interval", .value = 200, .minimum = 1, .maximum = 1e6, .whole = 1,
                  .meaning = "iterations between looks at the contacts, at most"},
    [SETTINGS] = {.name = NULL},
};

static void release(void *self)
{
    nb_mixed_residual_free(self);
}

static enum nb_status setup(void **out, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    double value[SETTINGS];
    struct nb_mixed *self = NULL;
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    if (!status)
        status = nb_mixed_residual_create(&self, model, (int)value[PRECOND], (int)value[AVERAGE],
                                          error);
    if (!status)
        self->interval = (int)value[INTERVAL];
    *out = self;
    return status;
}

static int publish(const struct nb_mixed *self, const struct nb_method_task *task)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const struct nb_mixed_system *system = &self->system;
    memcpy(task->u, self->x, system->dofs * sizeof *task->u);
    for (size_t i = 0; i < system->rows; ++i)
        task->lambda[i] = self->x[system->dofs + i] / system->model->time_step;
    return task->report(task, task->run->newton_iterations,
                        task->run->newton_iterations ? &report : NULL);
}

/* Iterations with the present contacts; one at least where they have changed, since friction may
 * have moved between contacts without a trace in the residual. Nonzero if the observer wants no
 * more. */
static int solve_set(struct nb_mixed *residual, const struct nb_method_task *task,
                     nb_real target, int changes)
{
    for (int k = 0; k < residual->interval && task->run->newton_iterations < task->iterations; ++k) {
        if (nb_mixed_norm(residual) <= target && (k > 0 || changes == 0))
            return 0;
        const int possible = nb_mixed_iterate(residual, task->run);
        if (publish(residual, task))
            return 1;
        if (!possible)
            return 0;
    }
    return 0;
}

/* Where the run stands. */
struct progress {
    nb_real first;   /* ||r|| as the present linearisation began             */
    nb_real least;   /* the smallest ||r|| of the present contacts           */
    nb_real floor;   /* round-off                                            */
    int changes;     /* of the last look                                     */
    int waited;      /* looks in which ||r|| hardly fell                     */
    int settled;     /* linearisations that began no better than the last    */
};

/* Looks at the contacts, and anew at a nonlinear step whose linearisation is solved well enough. */
static void update_contacts(struct nb_mixed *residual, int constant, struct progress *at)
{
    const nb_real norm = nb_mixed_norm(residual), before = at->first;
    at->changes = nb_mixed_switch(residual);
    if (!constant && at->changes == 0 && norm <= nb_max(at->floor, linearised_fall * before)) {
        nb_mixed_relinearise(residual);
        at->first = nb_mixed_norm(residual);
        at->settled = at->first > before / 2 ? at->settled + 1 : 0;
    } else if (at->changes > 0) {
        nb_mixed_restart(residual);
        at->first = nb_max(before, nb_mixed_norm(residual));
    } else if (constant && norm <= at->floor) {
        at->settled = PATIENCE; /* nothing is left */
    }
    at->waited = at->changes == 0 && norm >= slow * at->least ? at->waited + 1 : 0;
    at->least = nb_max(nb_min(at->least, norm), nb_mixed_norm(residual));
    if (at->waited == PATIENCE)
        nb_mixed_restart(residual); /* directions may have lost their conjugacy */
}

static enum nb_status run(void *data, const struct nb_method_task *task,
                          struct nb_error *error)
{
    struct nb_mixed *residual = data;
    struct progress at = {.changes = 1};
    (void)error;
    nb_mixed_start(residual);
    at.first = at.least = nb_mixed_norm(residual);
    at.floor = NB_REAL(NB_UNIT_ROUNDOFF) * at.first;
    int stop = publish(residual, task);
    while (!stop && task->run->newton_iterations < task->iterations && at.waited < 2 * PATIENCE &&
           at.settled < PATIENCE) {
        const nb_real target = nb_max(at.floor, switching_fall * nb_mixed_norm(residual));
        stop = solve_set(residual, task, target, at.changes);
        update_contacts(residual, task->model->constant, &at);
    }
    return NB_OK;
}

/* ||r|| weighs N s against m/s, as published: the path depends on the units. */
static int own_units(const struct nb_options *options)
{
    (void)options;
    return 1;
}

const struct nb_solver_strategy NB(nb_solver_mixed_conjugate_residual) = {
    .name = "mixed_conjugate_residual",
    .title = "conjugate residuals on velocities and forces, switching contacts",
    .source = "Verschoor and Jalba 2019",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .own_units = own_units,
    .setup = setup,
    .run = run,
    .free = release,
};
