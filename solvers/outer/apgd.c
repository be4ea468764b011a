/* Accelerated projected gradient descent with a step found by search and with restarts, on
 *
 *     min p^T W p / 2 + (q + mu s e_n)^T p   over the Coulomb cones K,
 *
 * from the method's y: p+ = P_K(y - D^-1 g / L), g = W y + q + mu s e_n; L doubles while the quadratic
 * model underestimates, (p+ - y)^T W (p+ - y) > L |p+ - y|^2, and falls by 0.9 an iteration; then
 * y = p+ + beta (p+ - p) with Nesterov's beta, or y = p+ where g^T (p+ - p) > 0. Norms and steps are of
 * the metric D (solvers/outer/dual/projection.h).
 *
 * friction=associated is the published method, s = 0: the convex relaxation, whose sliding contacts
 * open by mu |U_T|. With friction=coulomb, the default, s = |U_T| is taken anew every `update`
 * iterations: the fixed point of these convex problems solves Coulomb's law.
 *
 * Mazhar, Heyn, Negrut and Tasora 2015, algorithm 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/outer/dual/projection.h"

enum { FRICTION, METRIC, UPDATE, SETTINGS };
enum { TRIALS = 60 };
#define FALL 0.9

static const struct nb_setting settings[] = {
    [FRICTION] = NB_LAW_SETTING,
    [METRIC] = NB_METRIC_SETTING,
    [UPDATE] = {.name = "update", .value = 10, .minimum = 1, .maximum = 100000, .whole = 1,
                .meaning = "iterations between updates of s, with friction=coulomb"},
    [SETTINGS] = {.name = NULL},
};

struct apgd {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    nb_real *metric, *opening;  /* [n] D; mu s in the normal rows, else 0   */
    nb_real *y, *next, *w_next; /* [n] y, p+, W p+ + q                      */
    nb_real lipschitz, theta;
    int iterations;
    int settled; /* the last update of s changed nothing */
};

static void release(void *data)
{
    struct apgd *self = data;
    if (self)
        NB(nb_dual_step_free)(&self->step);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct apgd *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for accelerated projected gradients");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 1, 5, &self->metric,
                                         error);
    if (status) {
        release(self);
        return status;
    }
    nb_real **vectors[] = {&self->opening, &self->y, &self->next, &self->w_next};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
        *vectors[i] = self->metric + (i + 1) * self->step.rows;
    *out = self;
    return NB_OK;
}

/* L_0 = |D^-1 W 1| / |1|, steps 3 to 5 of the algorithm with the ones as second point. */
static const char *restart(void *data)
{
    struct apgd *self = data;
    struct NB(nb_dual_step) *step = &self->step;
    nb_sum image = 0, ones = 0;
    NB(nb_metric)(step, (enum nb_metric)self->value[METRIC], self->metric);
    NB(nb_operator_apply)(&step->op, step->ones, self->next);
    for (size_t i = 0; i < step->rows; ++i) {
        image += (nb_sum)(self->next[i] * self->next[i] / self->metric[i]);
        ones += (nb_sum)self->metric[i];
    }
    self->lipschitz = image > 0 && ones > 0 ? nb_sqrt((nb_real)(image / ones)) : 1;
    self->theta = 1;
    self->iterations = 0;
    self->settled = self->value[FRICTION] != NB_LAW_COULOMB;
    memset(self->y, 0, step->rows * sizeof *self->y);
    memset(self->opening, 0, step->rows * sizeof *self->opening);
    return NULL;
}

/* p+ from y and its gradient in step->velocity, with L large enough. */
static void descend(struct apgd *self, struct nb_run *run)
{
    struct NB(nb_dual_step) *step = &self->step;
    for (int k = 0; k < TRIALS; ++k) {
        nb_sum curvature = 0;
        NB(nb_projected_step)(step, self->metric, 1 / self->lipschitz, self->y, step->velocity,
                              self->next);
        NB(nb_dual_step_velocity)(step, self->next, self->w_next);
        run->linear_iterations++;
        for (size_t i = 0; i < step->rows; ++i)
            curvature += (nb_sum)((self->next[i] - self->y[i]) *
                                  (self->w_next[i] + self->opening[i] - step->velocity[i]));
        if (!((nb_real)curvature > self->lipschitz * NB(nb_metric_distance)(
                                       step, self->metric, self->next, self->y, 0)))
            return;
        self->lipschitz *= 2;
    }
}

/* y, theta and p of the next iteration. */
static void accelerate(struct apgd *self)
{
    struct NB(nb_dual_step) *step = &self->step;
    const nb_real theta = self->theta, square = theta * theta;
    nb_real next_theta = (-square + theta * nb_sqrt(square + 4)) / 2;
    nb_real beta = theta * (1 - theta) / (square + next_theta);
    nb_sum uphill = 0;
    for (size_t i = 0; i < step->rows; ++i)
        uphill += (nb_sum)(step->velocity[i] * (self->next[i] - step->p[i]));
    if (uphill > 0) {
        beta = 0;
        next_theta = 1;
    }
    for (size_t i = 0; i < step->rows; ++i) {
        self->y[i] = self->next[i] + beta * (self->next[i] - step->p[i]);
        step->p[i] = self->next[i];
    }
    self->theta = next_theta;
    self->lipschitz *= NB_REAL(FALL);
}

/* s by the slip at p+, which p is by now. */
static void update_opening(struct apgd *self)
{
    const size_t bytes = self->step.rows * sizeof *self->opening;
    memcpy(self->next, self->opening, bytes);
    memset(self->opening, 0, bytes);
    NB(nb_open_by_slip)(&self->step, self->w_next, self->opening);
    self->settled = !memcmp(self->next, self->opening, bytes);
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct apgd *self = data;
    struct NB(nb_dual_step) *step = &self->step;
    NB(nb_dual_step_velocity)(step, self->y, step->velocity);
    for (size_t i = 0; i < step->rows; ++i)
        step->velocity[i] += self->opening[i];
    descend(self, run);
    accelerate(self);
    if (self->value[FRICTION] == NB_LAW_COULOMB &&
        ++self->iterations % (int)self->value[UPDATE] == 0)
        update_opening(self);
    step->under_way = !self->settled;
    return NULL;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct apgd *self = data;
    const struct NB(nb_dual_method) method = {self, NB(nb_law_bounds)(self->value[FRICTION]),
                                              0, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_apgd) = {
    .name = "apgd",
    .title = "accelerated projected gradient descent",
    .source = "Mazhar, Heyn, Negrut and Tasora 2015",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
