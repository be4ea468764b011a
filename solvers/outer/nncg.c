/* Nonsmooth nonlinear conjugate gradients on projected Gauss-Seidel. What a sweep changes stands for
 * the negative gradient, and a Fletcher-Reeves direction is added to it:
 *
 *     g_k = p_k - PGS(p_k),   beta = |g_k|^2 / |g_{k-1}|^2,
 *     beta > 1:  d_k = 0,                      p_{k+1} = PGS(p_k)
 *     else:      d_k = beta d_{k-1} - g_k,     p_{k+1} = PGS(p_k) + beta d_{k-1}
 *
 * with d_0 = -g_0. Fixed points, and the meaning of friction and relaxation, are those of pgs; between
 * them an iterate may leave the friction bounds.
 *
 * Silcowitz, Niebe and Erleben 2010, A nonsmooth nonlinear conjugate gradient method for interactive
 * contact force problems, algorithm 2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/outer/dual/contact_sweep.h"

enum { FRICTION, RELAXATION, SETTINGS };

static const struct nb_setting settings[] = {
    [FRICTION] = {.name = "friction", .value = NB_FRICTION_BOX, .choices = "box,cone",
                  .meaning = "bounds of the tangents"},
    [RELAXATION] = {.name = "relaxation", .value = 1, .minimum = 0, .maximum = 2,
                    .above_minimum = 1, .meaning = "factor omega of the sweeps"},
    [SETTINGS] = {.name = NULL},
};

struct nncg {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    nb_real *start, *direction; /* [n] p_k, d_{k-1}                 */
    nb_sum before;              /* |g_{k-1}|^2; negative: none yet  */
};

static void release(void *data)
{
    struct nncg *self = data;
    if (self)
        NB(nb_dual_step_free)(&self->step);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct nncg *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for nonlinear conjugate gradients");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 1, 2, &self->start,
                                         error);
    if (!status)
        status = NB(nb_dual_step_keep_given)(&self->step, error);
    if (status) {
        release(self);
        return status;
    }
    self->direction = self->start + self->step.rows;
    *out = self;
    return NB_OK;
}

static const char *restart(void *data)
{
    struct nncg *self = data;
    self->before = -1;
    memset(self->direction, 0, self->step.rows * sizeof *self->direction);
    return NULL;
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct nncg *self = data;
    nb_real *p = self->step.p, *start = self->start, *direction = self->direction;
    const size_t n = self->step.rows;
    memcpy(start, p, n * sizeof *p);
    NB(nb_contact_sweep)(&self->step, (nb_real)self->value[RELAXATION],
                         (enum nb_friction_bounds)self->value[FRICTION]);
    for (size_t i = 0; i < n; ++i)
        start[i] -= p[i]; /* g_k */
    const nb_sum now = NB(nb_dot)(n, start, start, self->step.model->threads);
    const int again = self->before == 0 || (self->before > 0 && now > self->before);
    const nb_real beta = again || self->before < 0 ? 0 : (nb_real)(now / self->before);
    for (size_t i = 0; i < n; ++i) {
        p[i] += beta * direction[i];
        direction[i] = again ? 0 : beta * direction[i] - start[i];
    }
    self->before = now;
    run->linear_iterations++;
    return NULL;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct nncg *self = data;
    const struct NB(nb_dual_method) method = {self, (enum nb_friction_bounds)self->value[FRICTION],
                                              0, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_nncg) = {
    .name = "nncg",
    .title = "nonsmooth nonlinear conjugate gradients on projected Gauss-Seidel",
    .source = "Silcowitz, Niebe and Erleben 2010",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
