/* Projected Gauss-Seidel with over-relaxation, as engines have it: one sweep over all rows an
 * iteration (solvers/outer/dual/contact_sweep.h),
 *
 *     p_i <- P_i(p_i - omega U_i / W_ii).
 *
 * With friction=cone its fixed points are the solutions of Signorini's condition with Coulomb's law.
 * With friction=box, the default and the engines' way, each tangent has bounds -mu R_n and mu R_n of
 * its own: a friction pyramid along the contact's tangents, so that the natural map, which knows the
 * cone, does not vanish where contacts slip between them. The first `warm` sweeps leave friction out, so
 * that its bounds start from good normal forces.
 *
 * Jean 1999; Silcowitz, Niebe and Erleben 2009, section 3 (semi-staggered warm start). */
#include <math.h>
#include <stdlib.h>

#include "solvers/outer/dual/contact_sweep.h"

enum { FRICTION, RELAXATION, WARM, SETTINGS };

static const struct nb_setting settings[] = {
    [FRICTION] = {.name = "friction", .value = NB_FRICTION_BOX, .choices = "box,cone",
                  .meaning = "bounds of the tangents"},
    [RELAXATION] = {.name = "relaxation", .value = 1, .minimum = 0, .maximum = 2,
                    .above_minimum = 1, .meaning = "factor omega"},
    [WARM] = {.name = "warm", .value = 0, .minimum = 0, .maximum = 100000, .whole = 1,
              .meaning = "first sweeps without friction"},
    [SETTINGS] = {.name = NULL},
};

struct pgs {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    int sweeps;
};

static void release(void *data)
{
    struct pgs *self = data;
    if (self)
        NB(nb_dual_step_free)(&self->step);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct pgs *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for projected Gauss-Seidel");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 1, 0, NULL, error);
    if (!status)
        status = NB(nb_dual_step_keep_given)(&self->step, error);
    if (status)
        release(self);
    else
        *out = self;
    return status;
}

static const char *restart(void *data)
{
    ((struct pgs *)data)->sweeps = 0;
    return NULL;
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct pgs *self = data;
    const int warm = self->sweeps++ < (int)self->value[WARM];
    self->step.under_way = warm;
    NB(nb_contact_sweep)(&self->step, (nb_real)self->value[RELAXATION],
                         warm ? NB_FRICTION_NONE : (enum nb_friction_bounds)self->value[FRICTION]);
    run->linear_iterations++;
    return NULL;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct pgs *self = data;
    const struct NB(nb_dual_method) method = {self, (enum nb_friction_bounds)self->value[FRICTION],
                                              0, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_pgs) = {
    .name = "pgs",
    .title = "projected Gauss-Seidel",
    .source = "Jean 1999; Silcowitz, Niebe and Erleben 2009",
    .self_contained = 1,
    .warm = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
