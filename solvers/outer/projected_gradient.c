/* Projected gradient with a fixed step (the fixed point iteration of De Saxce and Feng):
 *
 *     p <- P_K(p - step/L D^-1 U^(p)),   U^ = W p + q + mu |U_T| e_n,
 *
 * K the Coulomb cones, D the metric, L the largest eigenvalue of D^-1 W (solvers/outer/dual/projection.h,
 * which also says which problem friction=associated solves). One product with W an iteration.
 *
 * De Saxce and Feng 1998; Acary and Brogliato 2008, section 13.7. */
#include <math.h>
#include <stdlib.h>

#include "solvers/outer/dual/projection.h"

enum { FRICTION, METRIC, STEP, SETTINGS };

static const struct nb_setting settings[] = {
    [FRICTION] = NB_LAW_SETTING,
    [METRIC] = NB_METRIC_SETTING,
    [STEP] = {.name = "step", .value = 1, .minimum = 0, .maximum = 2, .above_minimum = 1,
              .meaning = "step length times L"},
    [SETTINGS] = {.name = NULL},
};

struct gradient {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    nb_real *metric; /* [n], and 2 n of work behind it */
    nb_real rho;
};

static void release(void *data)
{
    struct gradient *self = data;
    if (self)
        NB(nb_dual_step_free)(&self->step);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct gradient *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the projected gradient method");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 1, 3, &self->metric,
                                         error);
    if (status)
        release(self);
    else
        *out = self;
    return status;
}

static const char *restart(void *data)
{
    struct gradient *self = data;
    NB(nb_metric)(&self->step, (enum nb_metric)self->value[METRIC], self->metric);
    self->rho = (nb_real)self->value[STEP] /
                NB(nb_metric_eigenvalue)(&self->step, self->metric, self->metric + self->step.rows);
    return NULL;
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct gradient *self = data;
    struct NB(nb_dual_step) *step = &self->step;
    NB(nb_dual_step_velocity)(step, step->p, step->velocity);
    if (self->value[FRICTION] == NB_LAW_COULOMB)
        NB(nb_open_by_slip)(step, step->velocity, step->velocity);
    NB(nb_projected_step)(step, self->metric, self->rho, step->p, step->velocity, step->p);
    run->linear_iterations++;
    return NULL;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct gradient *self = data;
    const struct NB(nb_dual_method) method = {self, NB(nb_law_bounds)(self->value[FRICTION]),
                                              0, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_projected_gradient) = {
    .name = "projected_gradient",
    .title = "projected gradient, fixed step",
    .source = "De Saxce and Feng 1998",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
