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
#include <string.h>

#include "solvers/outer/dual/acceleration.h"
#include "solvers/outer/dual/projection.h"

enum { UPDATE = NB_PROJECTION_COMMON, SETTINGS };
enum { TRIALS = 60 };
#define FALL 0.9

static const struct nb_setting settings[] = {
    NB_PROJECTION_SETTINGS,
    [UPDATE] = {.name = "update", .value = 10, .minimum = 1, .maximum = 100000, .whole = 1,
                .meaning = "iterations between updates of s, with friction=coulomb"},
    [SETTINGS] = {.name = NULL},
};

/* [n] mu s in the normal rows, else 0; y, p+, W p+ + q */
enum { OPENING, Y, NEXT, NEXT_VELOCITY, VECTORS };

struct apgd {
    nb_real lipschitz, theta;
    int iterations;
    int s_unchanged; /* by its last update */
};

/* L_0 = |D^-1 W 1| / |1|, steps 3 to 5 of the algorithm with the ones as second point. */
static const char *restart(struct nb_dual *dual)
{
    struct apgd *self = dual->state;
    nb_real *next = dual->vector[NEXT];
    nb_sum image = 0, ones = 0;
    nb_metric_update(dual);
    nb_operator_apply(&dual->step.op, dual->step.ones, next);
    for (size_t i = 0; i < dual->step.size; ++i) {
        image += (nb_sum)(next[i] * next[i] / dual->metric[i]);
        ones += (nb_sum)dual->metric[i];
    }
    self->lipschitz = image > 0 && ones > 0 ? nb_sqrt((nb_real)(image / ones)) : 1;
    self->theta = 1;
    self->iterations = 0;
    self->s_unchanged = dual->bounds != NB_FRICTION_CONE;
    memset(dual->vector[Y], 0, dual->step.size * sizeof(nb_real));
    memset(dual->vector[OPENING], 0, dual->step.size * sizeof(nb_real));
    return NULL;
}

/* p+ from y and its gradient in dual->velocity, with L large enough. */
static void descend(struct nb_dual *dual, struct nb_run *run)
{
    struct apgd *self = dual->state;
    const nb_real *y = dual->vector[Y], *opening = dual->vector[OPENING], *gradient = dual->velocity;
    nb_real *next = dual->vector[NEXT], *velocity = dual->vector[NEXT_VELOCITY];
    for (int k = 0; k < TRIALS; ++k) {
        nb_sum curvature = 0;
        nb_projected_step(dual, 1 / self->lipschitz, y, gradient, next);
        nb_dual_velocity(dual, next, velocity);
        run->linear_iterations++;
        for (size_t i = 0; i < dual->step.size; ++i)
            curvature += (nb_sum)((next[i] - y[i]) * (velocity[i] + opening[i] - gradient[i]));
        if (!((nb_real)curvature > self->lipschitz * nb_metric_distance(dual, next, y, 0)))
            return;
        self->lipschitz *= 2;
    }
}

/* y, theta and p of the next iteration. */
static void accelerate(struct nb_dual *dual)
{
    struct apgd *self = dual->state;
    const nb_real *next = dual->vector[NEXT], *gradient = dual->velocity;
    nb_real *y = dual->vector[Y], *p = dual->p;
    nb_real next_theta, beta = nb_nesterov_beta(self->theta, &next_theta);
    nb_sum uphill = 0;
    for (size_t i = 0; i < dual->step.size; ++i)
        uphill += (nb_sum)(gradient[i] * (next[i] - p[i]));
    if (uphill > 0) {
        beta = 0;
        next_theta = 1;
    }
    for (size_t i = 0; i < dual->step.size; ++i) {
        y[i] = next[i] + beta * (next[i] - p[i]);
        p[i] = next[i];
    }
    self->theta = next_theta;
    self->lipschitz *= NB_REAL(FALL);
}

/* s by the slip at p+, which p is by now. */
static void update_opening(struct nb_dual *dual)
{
    struct apgd *self = dual->state;
    nb_real *before = dual->vector[NEXT], *opening = dual->vector[OPENING];
    const size_t bytes = dual->step.size * sizeof *opening;
    memcpy(before, opening, bytes);
    memset(opening, 0, bytes);
    nb_open_by_slip(dual, dual->vector[NEXT_VELOCITY], opening);
    self->s_unchanged = !memcmp(before, opening, bytes);
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct apgd *self = dual->state;
    nb_dual_velocity(dual, dual->vector[Y], dual->velocity);
    for (size_t i = 0; i < dual->step.size; ++i)
        dual->velocity[i] += dual->vector[OPENING][i];
    descend(dual, run);
    accelerate(dual);
    if (dual->bounds == NB_FRICTION_CONE && ++self->iterations % (int)dual->value[UPDATE] == 0)
        update_opening(dual);
    dual->under_way = !self->s_unchanged;
    return NULL;
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct apgd),
                                             .vectors = VECTORS,
                                             .bounds = nb_projection_bounds,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_apgd) = {
    .name = "apgd",
    .title = "accelerated projected gradient descent",
    .source = "Mazhar, Heyn, Negrut and Tasora 2015",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
