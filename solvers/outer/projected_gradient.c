/* Projected gradient with a fixed step (the fixed point iteration of De Saxce and Feng):
 *
 *     p <- P_K(p - step/L D^-1 U^(p)),   U^ = W p + q + mu |U_T| e_n,
 *
 * K the Coulomb cones, D the metric, L the largest eigenvalue of D^-1 W (solvers/outer/dual/projection.h,
 * which also says which problem friction=associated solves). One product with W an iteration.
 *
 * De Saxce and Feng 1998; Acary and Brogliato 2008, section 13.7. */
#include "solvers/outer/dual/projection.h"

enum { STEP = NB_PROJECTION_COMMON, SETTINGS };

static const struct nb_setting settings[] = {
    NB_PROJECTION_SETTINGS,
    [STEP] = {.name = "step", .value = 1, .minimum = 0, .maximum = 2, .above_minimum = 1,
              .meaning = "step length times L"},
    [SETTINGS] = {.name = NULL},
};

struct gradient {
    nb_real rho;
};

static const char *restart(struct nb_dual *dual)
{
    struct gradient *self = dual->state;
    nb_metric_update(dual);
    self->rho = (nb_real)dual->value[STEP] / nb_metric_eigenvalue(dual, dual->vector[0], dual->vector[1]);
    return NULL;
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    const struct gradient *self = dual->state;
    nb_cone_velocity(dual, dual->p, dual->velocity);
    nb_projected_step(dual, self->rho, dual->p, dual->velocity, dual->p);
    run->linear_iterations++;
    return NULL;
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct gradient),
                                             .vectors = 2,
                                             .bounds = nb_projection_bounds,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_projected_gradient) = {
    .name = "projected_gradient",
    .title = "projected gradient, fixed step",
    .source = "De Saxce and Feng 1998",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
