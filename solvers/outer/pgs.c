/* Projected Gauss-Seidel with over-relaxation, as engines have it: one sweep over all rows an
 * iteration (solvers/outer/dual/projected_gauss_seidel.h),
 *
 *     p_i <- P_i(p_i - omega U_i / W_ii).
 *
 * With friction=cone its fixed points are the solutions of Signorini's condition with Coulomb's law.
 * With friction=box, the default and the engines' way, each tangent has bounds -mu R_n and mu R_n of
 * its own: a friction pyramid along the contact's tangents, so that the natural map, which knows the
 * cone, does not vanish where contacts slip between them. With friction=inner or outer it is a regular one
 * of so many directions, inside the cone or around it. The first `warm` sweeps leave friction out, so that
 * its bounds start from good normal forces.
 *
 * Jean 1999; Silcowitz, Niebe and Erleben 2009, section 3 (semi-staggered warm start). */
#include "solvers/outer/dual/projected_gauss_seidel.h"

enum { WARM = NB_PGS_COMMON, SETTINGS };

static const struct nb_setting settings[] = {
    NB_PGS_SETTINGS,
    [WARM] = {.name = "warm", .value = 0, .minimum = 0, .maximum = 100000, .whole = 1,
              .meaning = "first sweeps without friction"},
    [SETTINGS] = {.name = NULL},
};

struct pgs {
    int sweeps;
};

static const char *restart(struct nb_dual *dual)
{
    struct pgs *self = dual->state;
    self->sweeps = 0;
    return NULL;
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct pgs *self = dual->state;
    const int warm = self->sweeps++ < (int)dual->value[WARM];
    dual->under_way = warm;
    nb_projected_gauss_seidel(dual, warm ? NB_FRICTION_NONE : dual->bounds);
    run->linear_iterations++;
    return NULL;
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct pgs),
                                             .sweeps = 1,
                                             .bounds = nb_pgs_bounds,
                                             .setup = nb_pgs_setup,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_pgs) = {
    .name = "pgs",
    .title = "projected Gauss-Seidel",
    .source = "Jean 1999; Silcowitz, Niebe and Erleben 2009",
    .self_contained = 1,
    .warm = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
