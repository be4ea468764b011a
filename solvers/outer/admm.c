/* The alternating direction method of multipliers on the dual step, split into an unconstrained x and
 * a z in the Coulomb cones K, with scaled multipliers y:
 *
 *     (W + rho D) x = rho D (z - y) - q - mu s e_n      one factor for many iterations
 *     x^ = alpha x + (1 - alpha) z                      over-relaxation
 *     z <- P_K(x^ + y),   y <- y + x^ - z
 *
 * D is the metric (solvers/outer/dual/projection.h, which also says which problem friction=associated
 * solves); with Coulomb's law s = |U_T| of the last x is taken anew in every iteration. The impulses
 * are z. Bilateral rows are not split: a proximal term of the square root of the precision, which
 * vanishes at the solution, keeps redundant ones regular. After 10, 20, 40 ... iterations the residuals
 * |x - z| and rho |z - z_old| are balanced: where they differ by more than a factor of five, rho is
 * multiplied by the square root of their ratio and W + rho D is factorised anew. The growing intervals
 * let the method settle: balanced every ten iterations it wanders on some problems.
 *
 * Boyd et al. 2011, sections 3.3, 3.4.1 and 3.4.3; on frictional contact Acary, Bremond and Huber 2018. */
#include <string.h>

#include "solvers/block/block_factor.h"
#include "solvers/contact/coulomb.h"
#include "solvers/outer/dual/projection.h"

enum { RHO = NB_PROJECTION_COMMON, RELAXATION, BALANCE, SETTINGS };
enum { X, Y, BEFORE, VECTORS }; /* [n] x, y, z_old */
enum { FIRST_BALANCE = 10 };
#define BALANCE_RATIO 5

static const struct nb_setting settings[] = {
    NB_PROJECTION_SETTINGS,
    [RHO] = {.name = "rho", .value = 0.1, .minimum = 0, .maximum = INFINITY, .above_minimum = 1,
             .meaning = "first penalty, times D"},
    [RELAXATION] = {.name = "relaxation", .value = 1.6, .minimum = 0, .maximum = 2,
                    .above_minimum = 1, .meaning = "factor alpha"},
    [BALANCE] = {.name = "balance", .value = 1, .choices = "no,yes",
                 .meaning = "residual balancing"},
    [SETTINGS] = {.name = NULL},
};

struct admm {
    struct nb_factor *factor;
    nb_real rho;
    int iterations, next_balance;
    long factorised; /* the updates of W that the factor has seen */
};

static void release(void *state)
{
    nb_factor_free(((struct admm *)state)->factor);
}

static enum nb_status analyse(struct nb_dual *dual, struct nb_error *error)
{
    struct admm *self = dual->state;
    if (dual->step.size == 0) /* nothing to factorise */
        return NB_OK;
    return nb_block_factor_create(&self->factor, dual->step.op.matrix, 0, error);
}

/* rho D, and the proximal term in bilateral rows. */
static nb_real penalty(const struct nb_dual *dual, size_t i)
{
    const struct admm *self = dual->state;
    const nb_real proximal = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF));
    return (i < dual->step.bilateral ? proximal : self->rho) * dual->metric[i];
}

/* W + rho D */
static const char *factorise(struct nb_dual *dual)
{
    struct admm *self = dual->state;
    const struct nb_bsr *w = dual->step.op.matrix;
    for (int i = 0; i < w->rows; ++i)
        for (int k = w->start[i]; k < w->start[i + 1]; ++k) {
            nb_real block[9];
            for (size_t e = 0; e < 9; ++e)
                block[e] = (nb_real)w->value[9 * (size_t)k + e];
            for (size_t r = 0; r < 3 && w->column[k] == i; ++r)
                block[4 * r] += penalty(dual, 3 * (size_t)i + r);
            nb_block_factor_set(self->factor, w, i, k, block);
        }
    self->factorised = dual->updates;
    return nb_factor_update(self->factor, NULL) ? "W + rho D is not positive definite" : NULL;
}

static const char *restart(struct nb_dual *dual)
{
    struct admm *self = dual->state;
    if (dual->step.size == 0)
        return NULL;
    nb_metric_update(dual);
    self->rho = (nb_real)dual->value[RHO];
    self->iterations = 0;
    self->next_balance = FIRST_BALANCE;
    for (int v = 0; v < VECTORS; ++v)
        memset(dual->vector[v], 0, dual->step.size * sizeof(nb_real));
    return factorise(dual);
}

/* x from z, y and the slip of the last x, |U_T| = rho D |(z - y - x)_T|, which velocity holds. */
static const char *solve(struct nb_dual *dual)
{
    struct admm *self = dual->state;
    const size_t n = dual->step.size, bilateral = dual->step.bilateral;
    const nb_real *z = dual->p, *y = dual->vector[Y];
    nb_real *x = dual->vector[X], *slip = dual->velocity;
    for (size_t i = 0; i < n; ++i) {
        const nb_real target = i < bilateral ? x[i] : z[i] - y[i];
        x[i] = penalty(dual, i) * target - dual->q[i];
    }
    for (size_t i = bilateral; i < n && dual->bounds == NB_FRICTION_CONE; i += 3)
        x[i] -= nb_dual_friction(dual, i) * nb_length2(slip[i + 1], slip[i + 2]);
    const enum nb_status status = nb_block_factor_solve(self->factor, x);
    for (size_t i = bilateral; i < n; ++i)
        slip[i] = penalty(dual, i) * (z[i] - y[i] - x[i]);
    return status ? "no memory to solve with the factor of W + rho D" : NULL;
}

/* z and y from x. */
static void project(struct nb_dual *dual)
{
    const size_t n = dual->step.size, bilateral = dual->step.bilateral;
    const nb_real alpha = (nb_real)dual->value[RELAXATION], *x = dual->vector[X];
    nb_real *z = dual->p, *y = dual->vector[Y];
    memcpy(dual->vector[BEFORE], z, n * sizeof *z);
    memcpy(z, x, bilateral * sizeof *z);
    for (size_t i = bilateral; i < n; i += 3) {
        const nb_real former[3] = {y[i], y[i + 1], y[i + 2]};
        for (size_t r = i; r < i + 3; ++r) {
            y[r] += alpha * x[r] + (1 - alpha) * z[r];
            z[r] = y[r];
        }
        nb_project_cone(z + i, nb_dual_friction(dual, i));
        for (size_t r = i; r < i + 3; ++r) {
            y[r] -= z[r];
            dual->under_way |= y[r] != former[r - i];
        }
    }
}

/* Only over contacts: bilateral rows have no residual of either kind. */
static const char *balance(struct nb_dual *dual)
{
    struct admm *self = dual->state;
    const nb_real *x = dual->vector[X], *z = dual->p, *before = dual->vector[BEFORE];
    nb_sum apart = 0, moved = 0;
    for (size_t i = dual->step.bilateral; i < dual->step.size; ++i) {
        const nb_real a = x[i] - z[i], b = z[i] - before[i];
        apart += (nb_sum)(a * a * dual->metric[i]);
        moved += (nb_sum)(b * b * dual->metric[i]);
    }
    const nb_real first = nb_sqrt((nb_real)apart), second = self->rho * nb_sqrt((nb_real)moved);
    if (!(first > 0 && second > 0) ||
        (first < BALANCE_RATIO * second && second < BALANCE_RATIO * first))
        return NULL;
    const nb_real factor = nb_sqrt(first / second);
    self->rho *= factor;
    dual->under_way = 1;
    for (size_t i = dual->step.bilateral; i < dual->step.size; ++i)
        dual->vector[Y][i] /= factor;
    return factorise(dual);
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct admm *self = dual->state;
    const char *reason = NULL;
    if (dual->step.size == 0)
        return NULL;
    if (self->factorised != dual->updates)
        reason = factorise(dual);
    if (!reason)
        reason = solve(dual);
    if (reason)
        return reason;
    project(dual);
    run->linear_iterations++;
    if (++self->iterations < self->next_balance || !(dual->value[BALANCE] > 0))
        return NULL;
    self->next_balance *= 2;
    return balance(dual);
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct admm),
                                             .vectors = VECTORS,
                                             .bounds = nb_projection_bounds,
                                             .setup = analyse,
                                             .free = release,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_admm) = {
    .name = "admm",
    .title = "alternating direction method of multipliers",
    .source = "Boyd et al. 2011; Acary, Bremond and Huber 2018",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
