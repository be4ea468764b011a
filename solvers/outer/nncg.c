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
#include <string.h>

#include "solvers/outer/dual/projected_gauss_seidel.h"

enum { START, DIRECTION, VECTORS }; /* [n] p_k and then g_k, d_{k-1} */

static const struct nb_setting settings[] = {
    NB_PGS_SETTINGS,
    [NB_PGS_COMMON] = {.name = NULL},
};

struct nncg {
    nb_sum before; /* |g_{k-1}|^2; negative: none yet */
};

static const char *restart(struct nb_dual *dual)
{
    struct nncg *self = dual->state;
    self->before = -1;
    memset(dual->vector[DIRECTION], 0, dual->step.size * sizeof(nb_real));
    return NULL;
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct nncg *self = dual->state;
    nb_real *p = dual->p, *start = dual->vector[START], *direction = dual->vector[DIRECTION];
    const size_t n = dual->step.size;
    memcpy(start, p, n * sizeof *p);
    nb_projected_gauss_seidel(dual, dual->bounds);
    for (size_t i = 0; i < n; ++i)
        start[i] -= p[i]; /* g_k */
    const nb_sum now = nb_dot(n, start, start, dual->step.model->threads);
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

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct nncg),
                                             .vectors = VECTORS,
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

const struct nb_solver_strategy NB(nb_solver_nncg) = {
    .name = "nncg",
    .title = "nonsmooth nonlinear conjugate gradients on projected Gauss-Seidel",
    .source = "Silcowitz, Niebe and Erleben 2010",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
