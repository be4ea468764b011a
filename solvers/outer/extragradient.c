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
#include "solvers/outer/dual/projection.h"

enum { TRIAL, VELOCITY, VECTORS }; /* [n] y, U^(y) */
enum { TRIALS = 30 };
#define MOST 0.9
#define LEAST 0.3
#define SHRINK (2.0 / 3)

static const struct nb_setting settings[] = {
    NB_PROJECTION_SETTINGS,
    [NB_PROJECTION_COMMON] = {.name = NULL},
};

struct extragradient {
    nb_real rho;
};

static const char *restart(struct nb_dual *dual)
{
    struct extragradient *self = dual->state;
    nb_metric_update(dual);
    self->rho = 1 / nb_metric_eigenvalue(dual, dual->vector[TRIAL], dual->vector[VELOCITY]);
    return NULL;
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct extragradient *self = dual->state;
    nb_real *trial = dual->vector[TRIAL], *velocity = dual->vector[VELOCITY], ratio = 0;
    nb_cone_velocity(dual, dual->p, dual->velocity);
    for (int k = 0; k < TRIALS; ++k) {
        nb_projected_step(dual, self->rho, dual->p, dual->velocity, trial);
        nb_cone_velocity(dual, trial, velocity);
        run->linear_iterations++;
        const nb_real moved = nb_metric_distance(dual, trial, dual->p, 0);
        const nb_real turned = nb_metric_distance(dual, velocity, dual->velocity, 1);
        ratio = moved > 0 ? self->rho * nb_sqrt(turned / moved) : 0;
        if (!(ratio > NB_REAL(MOST)))
            break;
        self->rho *= NB_REAL(SHRINK) * nb_min(1, 1 / ratio);
    }
    nb_projected_step(dual, self->rho, dual->p, velocity, dual->p);
    if (ratio < NB_REAL(LEAST) && ratio > 0)
        self->rho /= NB_REAL(SHRINK);
    return NULL;
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct extragradient),
                                             .vectors = VECTORS,
                                             .bounds = nb_projection_bounds,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_extragradient) = {
    .name = "extragradient",
    .title = "extragradient, self-adaptive step",
    .source = "Korpelevich 1976; Khobotov 1987",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
