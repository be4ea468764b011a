/* Proximal point iteration around a semismooth Newton method on the Alart-Curnier map (Alart and
 * Curnier 1991; Rockafellar 1976). Nonlinear Gauss-Seidel sweeps over the contacts come first: on a
 * linear step, accelerated, as long as they pay (sweep_cost.h), each an iteration; on a nonlinear one a
 * few, which count as one. Then each outer iteration solves, to a tenth of the norm it starts with,
 *
 *     F(p; U + W (p - a)) = 0,   M (u - u~) - J^T p = 0,   W = sigma diag(J H^-1 J^T)     (nonsmooth_system.h)
 *
 * by full Newton steps in (u, p), and its p is the next anchor a: as sigma -> 0 it is plain Newton,
 * and with sigma > 0 redundant contacts leave no singular matrix. Newton's norm may rise on the
 * way, as sets of open, sticking and sliding contacts change; where it has not fallen for PATIENCE
 * steps the proximal problem counts as failed, and the centre, the solution of the last one that did
 * not, is tried again with a larger sigma. That is not the best point so far: the natural norm rises
 * on the way of some proximal solutions, and to return to where it was least is to walk in a circle. An
 * attempt that stays far from a solution gives way to a path (homotopy.h) that leads to one, and is
 * tried again from points of it; where that path ends without one, to a path from the best point so far,
 * and again from the better point where that one ends.
 *
 * sigma falls tenfold while that is easy. Once a problem has failed, sigma stays above a floor that
 * sinks slowly, and the anchor is extrapolated, a = p + beta (p - p_before) (Gueler 1992): contacts
 * that agree only up to round-off of their gaps leave forces to travel far at a small sigma. */
#include <stdio.h>
#include <string.h>

#include "solvers/outer/proximal_newton/proximal_state.h"

enum { INNER_LIMIT = 60, PATIENCE = 15, STALLED = 60 };
/* Near round-off: NEAR_ROUNDING times the unit, where nothing more is worth waiting for. */
enum { NEAR_ROUNDING = 1000, PATIENCE_AT_ROUNDING = 3, STALLED_AT_ROUNDING = 2 };
enum { STALLED_FAR = 20, RENEWALS = 3 };
/* A norm of so much of the larger of the first two rarely comes back: it costs so many steps of patience. */
#define BURST NB_REAL(10.)
enum { BURST_COUNTS = 4 };
#define RENEWED NB_REAL(2.) /* the norm over what it was */
#define FAR NB_REAL(1e-4)
#define ASTRAY NB_REAL(10.) /* a centre's norm over the best one */
#define FIRST_SIGMA 1e-2
#define LEAST_SIGMA 1e-10
#define MOST_SIGMA 1e4
/* Where no outer iteration has halved Newton's norm for so many, sweeps lead elsewhere. */
enum { STIR_EVERY = 10 };

enum { SWEEP_FIRST, INNER, SETTINGS };

static const struct nb_setting settings[] = {
    [SWEEP_FIRST] = {.name = "sweeps", .value = 1, .choices = "no,yes",
                     .meaning = "begin with Gauss-Seidel sweeps while they pay"},
    [INNER] = {.name = "inner", .value = NB_INNER_AUTO, .choices = "auto,direct,bicgstab",
               .meaning = "how a Newton step solves its linear system"},
    [SETTINGS] = {.name = NULL},
};

static const struct nb_restart of_nonlinear[] = {
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA, .path = 0.5},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA, .weight = 0.01},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA, .weight = 0.1},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA, .path = 0.35},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA, .path = 1},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA, .again = 1},
    {.turn = 0.1, .strain = 0.2, .sigma = FIRST_SIGMA},
    {.turn = 100, .strain = 100, .sigma = FIRST_SIGMA},
    {.turn = 0.2, .strain = 0.4, .sigma = FIRST_SIGMA},
};
static const struct nb_restart of_linear[] = {
    {.sigma = FIRST_SIGMA, .sweeps = 1},
    {.sigma = FIRST_SIGMA, .shrink = 0.5},
    {.sigma = FIRST_SIGMA, .path = 0.5},
    {.sigma = FIRST_SIGMA, .weight = 0.01},
    {.sigma = FIRST_SIGMA, .weight = 0.1},
    {.sigma = FIRST_SIGMA, .path = 0.35},
    {.sigma = FIRST_SIGMA, .path = 1},
    {.sigma = FIRST_SIGMA, .stirred = 1},
    {.sigma = FIRST_SIGMA, .halvings = 10, .stirred = 1},
    {.sigma = 10, .shrink = 0.5, .halvings = 10},
    {.sigma = 1, .stirred = 1},
};
/* The first attempt gives way to one that begins on the path where so many Newton steps leave as much of
 * the first norm, and one from a point of the path to one from the next after fewer. */
enum { GIVES_WAY = 60, GIVES_WAY_ON_PATH = 20 };
#define GIVES_WAY_AT NB_REAL(1e-4)
#define NEARER NB_REAL(0.5) /* what a path from the best point has to leave of its norm to be begun again */
#define STAYS_AWAY NB_REAL(1e-9) /* of the first norm, in a linear step */

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    double value[SETTINGS];
    struct nb_proximal *self = NULL;
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    if (!status)
        status = nb_proximal_create(&self, model, (enum nb_inner_method)value[INNER], error);
    if (status) {
        nb_proximal_free(self);
        self = NULL;
    } else {
        self->sweeps_first = value[SWEEP_FIRST] > 0;
    }
    *out = self;
    return status;
}

/* Newton on one proximal problem from a point with that norm. Returns how many steps it took, or 0
 * if it failed. */
static int solve_proximal(struct nb_proximal *self, const struct NB(nb_method_task) *task,
                          nb_real norm, int patience)
{
    struct nb_nonsmooth *system = self->system;
    const nb_real target = norm * NB_REAL(0.1);
    int missed = 0;
    nb_real reference = norm, highest = norm;
    for (int k = 1; k <= INNER_LIMIT && missed < patience; ++k) {
        if (!nb_proximal_may_continue(self, task))
            break;
        if (nb_nonsmooth_step(system, task->run, &norm))
            return 0;
        nb_proximal_update_incumbent(self);
        nb_proximal_publish(self, task);
        if (norm <= target)
            return k;
        if (k == 1)
            highest = nb_max(highest, norm);
        const int more = norm > BURST * highest ? BURST_COUNTS : 1;
        missed = norm < NB_REAL(0.9) * reference ? 0 : missed + more;
        reference = nb_min(reference, norm);
    }
    return 0;
}

/* The anchor at p, or beyond it. */
static void set_anchor(struct nb_proximal *self)
{
    const struct nb_nonsmooth *system = self->system;
    const double next = (1 + sqrt(1 + 4 * self->momentum * self->momentum)) / 2;
    const nb_real beta = self->momentum > 0 ? (nb_real)((self->momentum - 1) / next) : 0;
    for (size_t i = 0; i < system->rows; ++i) {
        system->anchor[i] = system->p[i] + beta * (system->p[i] - self->previous[i]);
        self->previous[i] = system->p[i];
    }
    if (self->momentum > 0)
        self->momentum = next;
}

static void adapt(struct nb_proximal *self, int steps)
{
    if (steps == 0) {
        self->floor = 2 * self->sigma;
        self->sigma *= 4;
        self->momentum = 1;
        const int astray = self->centre.norm >= ASTRAY * self->best.norm;
        nb_iterate_restore(self->system, astray ? &self->best : &self->centre);
    } else {
        const double easy = steps <= 3 ? 0.1 : steps <= 6 ? 0.3 : 0.5;
        self->sigma *= self->way->shrink > 0 ? self->way->shrink : easy;
        nb_proximal_set_centre(self);
    }
    self->sigma = fmin(fmax(fmax(self->sigma, self->floor), LEAST_SIGMA), MOST_SIGMA);
    self->floor *= steps > 0 && steps <= 3 ? 0.7 : 0.9;
}

/* An attempt begins at p = 0, u = u~ with sweeps, or where the task does. */
static void restart(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    self->start = nb_nonsmooth_begin(system);
    self->way = (system->model->constant ? of_linear : of_nonlinear) + self->attempt;
    self->sigma = fmax(self->way->sigma * (double)system->softness, LEAST_SIGMA);
    self->floor = self->momentum = 0;
    self->waited = 0;
    system->largest_turn = (nb_real)self->way->turn;
    system->largest_strain = (nb_real)self->way->strain;
    system->halvings = self->way->halvings;
    nb_iterate_save(system, &self->best, self->start);
    nb_iterate_save(system, &self->centre, self->start);
    if (!isfinite(self->start)) {
        self->stop = task->run->broke_down = 1;
        snprintf(task->run->detail, sizeof task->run->detail,
                 "the motion without contact forces is too fast to be told in %s",
                 NB_TEXT(NB_PRECISION));
    }
    const int warm = isfinite(self->start) && nb_proximal_warm_start(self, task);
    if (warm)
        nb_proximal_begin_newton(self, task);
    else if (self->attempt == 0)
        nb_proximal_publish(self, task);
    if (nb_restart_uses_homotopy(self->way)) {
        nb_proximal_follow_homotopy(self, task);
        nb_proximal_begin_newton(self, task);
        return;
    }
    if (warm || !nb_proximal_may_continue(self, task) || !(system->sweep_cost > 0) ||
        !(self->sweeps_first))
        return;
    if (!self->way->sweeps)
        nb_proximal_presweep(self, task);
    else if (!nb_proximal_sweep(self, task))
        return;
    nb_proximal_begin_newton(self, task);
}

/* What the arithmetic leaves of the norm at the present forces. */
static nb_real rounding_of(const struct nb_proximal *self)
{
    return NB_REAL(NB_UNIT_ROUNDOFF) * nb_proximal_scale(self->system, self->start);
}

/* One outer iteration from a point that is kept. Zero where round-off or patience ends the run. */
static int advance(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    const nb_real before = self->best.norm;
    const nb_real rounding = rounding_of(self);
    const int near = before <= NEAR_ROUNDING * rounding;
    if (before <= (self->waited > 0 ? 16 : 1) * rounding)
        return 0;
    if (self->way->stirred && self->waited > 0 && self->waited % STIR_EVERY == 0 &&
        system->sweep_cost > 0)
        nb_proximal_perturb(self, task);
    set_anchor(self);
    system->sigma = (nb_real)self->sigma;
    system->former = 0;
    const nb_real norm = nb_nonsmooth_evaluate(system, system->u, system->p);
    if (norm == 0)
        return 0;
    adapt(self, solve_proximal(self, task, norm, near ? PATIENCE_AT_ROUNDING : PATIENCE));
    self->waited = self->best.norm < before / 2 ? 0 : self->waited + 1;
    if (near && self->waited == 1) /* a nearly singular matrix: what is left is its round-off */
        self->sigma = fmax(self->sigma, FIRST_SIGMA);
    if (near)
        return self->waited <= STALLED_AT_ROUNDING;
    return self->waited <= (self->best.norm > FAR * self->start ? STALLED_FAR : STALLED);
}

/* At the end of an attempt near round-off: whether U, taken anew, leaves something to do. */
static int renew(struct nb_proximal *self)
{
    struct nb_nonsmooth *system = self->system;
    const nb_real before = self->best.norm;
    if (!system->form->renew || self->renewals == RENEWALS ||
        !(before <= NEAR_ROUNDING * rounding_of(self)))
        return 0;
    nb_iterate_restore(system, &self->best);
    if (!system->form->renew(system))
        return 0;
    self->renewals++;
    system->sigma = 0;
    nb_iterate_save(system, &self->best, nb_nonsmooth_evaluate(system, system->u, system->p));
    nb_proximal_set_centre(self);
    self->waited = 0;
    return self->best.norm > RENEWED * before;
}

/* A run begins as the first one did, to the bit. */
static void forget_renewals(struct nb_proximal *self)
{
    struct nb_nonsmooth *system = self->system;
    if (self->renewals > 0) {
        memset(system->p, 0, system->rows * sizeof *system->p);
        system->form->begin(system);
    }
    self->renewals = 0;
}

/* Whether an attempt takes too long: the first one, where there is a path, and one from a point of it
 * that has more points to come. */
static int gives_way(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const int steps = task->run->newton_iterations - self->begun;
    if (nb_restart_uses_homotopy(self->way))
        return !self->path_ended && steps > GIVES_WAY_ON_PATH &&
               self->best.norm > STAYS_AWAY * self->start;
    self->gave_way |= self->attempt == 0 && self->path && steps > GIVES_WAY &&
                      self->best.norm > GIVES_WAY_AT * self->start;
    return self->attempt == 0 && self->gave_way;
}

/* Whether the attempt would be of use: the path where there is one, the first one again where
 * it was not seen to its end. */
static int is_apt(const struct nb_proximal *self, const struct nb_restart *attempt)
{
    return (!nb_restart_uses_homotopy(attempt) || self->path) && (!attempt->again || self->gave_way);
}

/* Whether what the attempt leaves is no solution, and another one may find it. */
static int try_again(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const int linear = self->system->model->constant;
    const size_t ways = linear ? sizeof of_linear / sizeof *of_linear
                               : sizeof of_nonlinear / sizeof *of_nonlinear;
    const struct nb_restart *attempts = linear ? of_linear : of_nonlinear;
    const struct nb_iterate kept = self->former;
    const int again = nb_restart_uses_homotopy(self->way) && !self->path_ended;
    if ((!again && (size_t)self->attempt + 1 == ways) ||
        !nb_proximal_may_continue(self, task) ||
        self->best.norm <= (linear || again ? STAYS_AWAY : FAR) * self->start)
        return 0;
    if (self->attempt == 0 || self->best.norm < self->former.norm) {
        self->former = self->best;
        self->best = kept;
    }
    if (again)
        return 1;
    self->path_norm = 0;
    if (self->way->weight > 0 && self->former.norm < NEARER * self->anchor_norm)
        return 1; /* once more, from there */
    do
        self->attempt++;
    while (!is_apt(self, &attempts[self->attempt]));
    return 1;
}

/* What a user should know of a run that ended without a solution, by itself or by its limit. */
static void explain(const struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const nb_real best = self->attempt > 0 ? nb_min(self->former.norm, self->best.norm) : self->best.norm;
    const double rest = (double)(best / self->start);
    const double force = (double)(nb_proximal_scale(self->system, 0) / self->start);
    if (self->sweeping || self->stop || !(best > NEAR_ROUNDING * rounding_of(self)))
        return;
    if (task->run->newton_iterations >= task->iterations)
        snprintf(task->run->detail, sizeof task->run->detail,
                 "ended by the limit of %d iterations at %.1e of the first residual", task->iterations, rest);
    else if (rest > 1e-3 && force > (double)NB_FORCES_GROWN)
        snprintf(task->run->detail, sizeof task->run->detail,
                 "no solution found: a residual of %.1e is left while the forces grew %.0e times, "
                 "as where constraints contradict each other", rest, force);
    else
        snprintf(task->run->detail, sizeof task->run->detail,
                 "stalled at %.1e of the first residual after %d iterations", rest,
                 task->run->newton_iterations);
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct nb_proximal *self = data;
    (void)error;
    forget_renewals(self);
    self->attempt = self->stop = self->sweeping = self->gave_way = 0;
    self->path_norm = 0;
    do {
        restart(self, task);
        self->begun = task->run->newton_iterations;
        while (nb_proximal_may_continue(self, task) && !gives_way(self, task) &&
               (advance(self, task) || renew(self)))
            continue;
    } while (try_again(self, task));
    explain(self, task);
    nb_proximal_write_solution(self, task);
    return NB_OK;
}

const struct NB(nb_solver_strategy) NB(nb_solver_proximal_newton) = {
    .name = "proximal_newton",
    .title = "proximal semismooth Newton, Alart-Curnier",
    .source = "Alart and Curnier 1991; Rockafellar 1976",
    .self_contained = 1,
    .warm = 1,
    .iterations = 5000,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = nb_proximal_free,
};
