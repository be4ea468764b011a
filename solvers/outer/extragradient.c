/* The extragradient method with a step that adapts itself:
 *
 *     y = P_K(p - rho D^-1 U^(p)),   p <- P_K(p - rho D^-1 U^(y)),
 *
 * U^ = U + mu |U_T| e_n (solvers/outer/dual/projection.h, which also says which problem
 * friction=associated solves). With r = rho |U^(p) - U^(y)| / |p - y| in the metric's norms, a trial
 * with r > 0.9 is repeated with rho 2/3 min(1, 1/r); after one with r < 0.3 rho grows by 3/2. The
 * method converges for monotone U^, with s = 0; with Coulomb's law U^ is not, in general.
 *
 * Korpelevich 1976; Khobotov 1987; step control as in Marcotte 1991, as Siconos' ExtraGradient. */
#include <math.h>
#include <stdlib.h>

#include "solvers/outer/dual/projection.h"

enum { FRICTION, METRIC, SETTINGS };
enum { TRIALS = 30 };
#define MOST 0.9
#define LEAST 0.3
#define SHRINK (2.0 / 3)

static const struct nb_setting settings[] = {
    [FRICTION] = NB_LAW_SETTING,
    [METRIC] = NB_METRIC_SETTING,
    [SETTINGS] = {.name = NULL},
};

struct extragradient {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    nb_real *metric, *trial, *velocity; /* [n] D, y, U^(y) */
    nb_real rho;
};

static void release(void *data)
{
    struct extragradient *self = data;
    if (self)
        NB(nb_dual_step_free)(&self->step);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct extragradient *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the extragradient method");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 1, 3, &self->metric,
                                         error);
    if (status) {
        release(self);
        return status;
    }
    self->trial = self->metric + self->step.rows;
    self->velocity = self->trial + self->step.rows;
    *out = self;
    return NB_OK;
}

static const char *restart(void *data)
{
    struct extragradient *self = data;
    NB(nb_metric)(&self->step, (enum nb_metric)self->value[METRIC], self->metric);
    self->rho = 1 / NB(nb_metric_eigenvalue)(&self->step, self->metric, self->trial);
    return NULL;
}

static void cone_velocity(struct extragradient *self, const nb_real *x, nb_real *velocity)
{
    NB(nb_dual_step_velocity)(&self->step, x, velocity);
    if (self->value[FRICTION] == NB_LAW_COULOMB)
        NB(nb_open_by_slip)(&self->step, velocity, velocity);
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct extragradient *self = data;
    struct NB(nb_dual_step) *step = &self->step;
    nb_real ratio = 0;
    cone_velocity(self, step->p, step->velocity);
    for (int k = 0; k < TRIALS; ++k) {
        NB(nb_projected_step)(step, self->metric, self->rho, step->p, step->velocity, self->trial);
        cone_velocity(self, self->trial, self->velocity);
        run->linear_iterations++;
        const nb_real moved = NB(nb_metric_distance)(step, self->metric, self->trial, step->p, 0);
        const nb_real turned = NB(nb_metric_distance)(step, self->metric, self->velocity,
                                                      step->velocity, 1);
        ratio = moved > 0 ? self->rho * nb_sqrt(turned / moved) : 0;
        if (!(ratio > NB_REAL(MOST)))
            break;
        self->rho *= NB_REAL(SHRINK) * nb_min(1, 1 / ratio);
    }
    NB(nb_projected_step)(step, self->metric, self->rho, step->p, self->velocity, step->p);
    if (ratio < NB_REAL(LEAST) && ratio > 0)
        self->rho /= NB_REAL(SHRINK);
    return NULL;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct extragradient *self = data;
    const struct NB(nb_dual_method) method = {self, NB(nb_law_bounds)(self->value[FRICTION]),
                                              0, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_extragradient) = {
    .name = "extragradient",
    .title = "extragradient, self-adaptive step",
    .source = "Korpelevich 1976; Khobotov 1987",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
