/* Proximal point iteration around a semismooth Newton method on the Alart-Curnier map (Alart and
 * Curnier 1991; Rockafellar 1976). Nonlinear Gauss-Seidel sweeps over the contacts come first: on a
 * linear step, accelerated, as long as they are worth while (sweep_cost.h), each an iteration; on a nonlinear one a
 * few, which count as one. A large step of mostly closed contacts that is still far from a solution then takes
 * interior points (interior_point.c), whose number hardly grows with its size, and so does one on which Newton's
 * method creeps. Each outer iteration solves, to a tenth of the norm it starts with,
 *
 *     F(p; U + Sigma (p - a)) = 0,   M (u - u~) - J^T p = 0,   Sigma = sigma diag(W)     (nonsmooth_system.h)
 *
 * by full Newton steps in (u, p), and its p is the next anchor a: as sigma -> 0 it is plain Newton,
 * and with sigma > 0 redundant contacts leave no singular matrix. Newton's norm may rise on the
 * way, as sets of open, sticking and sliding contacts change; where it has made no progress for
 * NB_NEWTON_PATIENCE steps the proximal problem counts as failed, and the centre, the solution of the last one that
 * did not, is tried again with a larger sigma. That is not the incumbent, the point of least natural norm so far:
 * the natural norm rises on the way of some proximal solutions, and to return to where it was least is to walk in a
 * circle. An attempt that stagnates far from a solution gives way to the next restart strategy (restarts.h), most of
 * which follow a homotopy (homotopy.h) and try Newton's method from points of it. A solution that it finds there, with
 * bodies turned far and more energy than the free motion has, is set aside for that of the next strategy.
 *
 * sigma falls tenfold while that is easy. Once a problem has failed, sigma stays above a floor that
 * sinks slowly, and the anchor is extrapolated, a = p + beta (p - p_before) (Gueler 1992): contacts
 * that agree only up to round-off of their gaps leave forces to travel far at a small sigma. */
#include <stdio.h>
#include <string.h>

#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/outer/proximal_newton/proximal_state.h"

enum { SWEEP_FIRST,
       INTERIOR,
       SKIP,
       SETTINGS };

static const struct nb_setting settings[] = {
    [SWEEP_FIRST] = {.name = "sweeps", .value = 1, .choices = "no,yes", .meaning = "begin with sweeps while they pay"},
    [INTERIOR] = {.name = "interior", .value = 1, .choices = "no,yes", .meaning = "interior points where they pay"},
    [SKIP] = {.name = "skip", .choices = NB_RESTART_NAMES, .meaning = "leave out this restart strategy"},
    [SETTINGS] = {.name = NULL},
};

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    double value[SETTINGS];
    struct nb_proximal *self = NULL;
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    if (!status)
        status = nb_proximal_create(&self, model, error);
    if (status) {
        nb_proximal_free(self);
        self = NULL;
    } else {
        self->sweeps_first = value[SWEEP_FIRST] > 0;
        self->interior_first = value[INTERIOR] > 0;
        self->skipped = (int)value[SKIP];
    }
    *out = self;
    return status;
}

/* Newton on one proximal problem from a point with that norm. Returns how many steps it took, or 0
 * if it failed. */
static int solve_proximal(struct nb_proximal *self, const struct NB(nb_method_task) *task, nb_real norm, int patience)
{
    struct nb_nonsmooth *system = self->system;
    const nb_real target = norm * NB_PROXIMAL_REDUCTION;
    int missed = 0;
    nb_real reference = norm;
    for (int k = 1; k <= NB_PROXIMAL_STEPS && missed < patience; ++k) {
        if (!nb_proximal_may_continue(self, task))
            break;
        if (nb_nonsmooth_step(system, task->run, &norm))
            return 0;
        nb_proximal_update_incumbent(self);
        nb_proximal_publish(self, task);
        if (norm <= target)
            return k;
        missed = norm < NB_NEWTON_PROGRESS * reference ? 0 : missed + 1;
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

/* The next proximal weight, and the centre, after a problem that took so many steps; 0: it failed. */
static void adapt_weight(struct nb_proximal *self, int steps)
{
    if (steps == 0) {
        self->floor = NB_SIGMA_FAILED / 2 * self->sigma;
        self->sigma *= NB_SIGMA_FAILED;
        self->momentum = 1;
        nb_iterate_restore(self->system, &self->centre);
    } else {
        self->sigma *= steps <= NB_EASY_STEPS ? NB_SIGMA_EASY : NB_SIGMA_SOLVED;
        nb_proximal_set_centre(self);
    }
    self->sigma = fmin(fmax(fmax(self->sigma, self->floor), NB_SIGMA_LEAST), NB_SIGMA_MOST);
    self->floor *= steps > 0 && steps <= NB_EASY_STEPS ? NB_FLOOR_EASY : NB_FLOOR_SINKS;
}

static void explain_overflow(struct nb_proximal *self, struct nb_run *run)
{
    self->stop = run->broke_down = 1;
    snprintf(run->detail, sizeof run->detail,
             "the motion without contact forces is too fast to be told in %s", NB_TEXT(NB_PRECISION));
}

/* Sweeps before Newton's method: on a linear step's first attempt while they are worth while, else a few. Zero where
 * the run ends among them. */
static int sweep_first(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    if (self->system->model->constant && self->restart == 0)
        return nb_proximal_sweep(self, task);
    nb_proximal_presweep(self, task);
    return 1;
}

/* An attempt begins at p = 0, u = u~ with sweeps, where the task does, or from a point of a homotopy. */
static void begin_attempt(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    const int first = self->restart == 0;
    if (nb_restarts[self->restart].softer && nb_softening_begin(self, task))
        return;
    self->start = nb_nonsmooth_begin(system);
    self->sigma = fmax(NB_SIGMA_FIRST * (double)system->softness, NB_SIGMA_LEAST);
    self->floor = self->momentum = 0;
    self->stagnant = 0;
    nb_iterate_save(system, &self->incumbent, self->start);
    nb_iterate_save(system, &self->centre, self->start);
    if (!isfinite(self->start))
        explain_overflow(self, task->run);
    const int warm = first && isfinite(self->start) && nb_proximal_warm_start(self, task);
    if (!warm && first)
        nb_proximal_publish(self, task);
    if (nb_restart_uses_homotopy(&nb_restarts[self->restart]))
        nb_proximal_follow_homotopy(self, task);
    else if (!warm && (!self->sweeps_first || !(system->sweep_cost > 0) || !nb_proximal_may_continue(self, task) ||
                       !sweep_first(self, task)))
        return;
    if (self->stop)
        return;
    nb_proximal_begin_newton(self, task);
    if (first && nb_proximal_wants_interior(self) && nb_proximal_may_continue(self, task))
        nb_proximal_follow_interior(self, task);
}

/* What the arithmetic leaves of the norm at the present forces. */
static nb_real rounding_of(const struct nb_proximal *self)
{
    return NB_REAL(NB_UNIT_ROUNDOFF) * nb_proximal_scale(self->system, self->start);
}

/* One outer iteration from a point that is kept. Zero where round-off or stagnation ends the attempt. */
static int iterate(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    const nb_real before = self->incumbent.norm;
    const nb_real rounding = rounding_of(self);
    const int near = before <= NB_NEAR_ROUNDING * rounding;
    if (before <= (self->stagnant > 0 ? NB_AT_ROUNDING : 1) * rounding)
        return 0;
    if (nb_restarts[self->restart].perturbed && self->stagnant > 0 && self->stagnant % NB_PERTURB_EVERY == 0 &&
        system->sweep_cost > 0)
        nb_proximal_perturb(self, task);
    set_anchor(self);
    system->sigma = (nb_real)self->sigma;
    const nb_real norm = nb_nonsmooth_evaluate(system, system->u, system->p);
    if (norm == 0)
        return 0;
    adapt_weight(self, solve_proximal(self, task, norm, near ? NB_PATIENCE_AT_ROUNDING : NB_NEWTON_PATIENCE));
    self->stagnant = self->incumbent.norm < before / 2 ? 0 : self->stagnant + 1;
    if (near && self->stagnant == 1) /* a nearly singular matrix: what is left is its round-off */
        self->sigma = fmax(self->sigma, NB_SIGMA_FIRST);
    if (near)
        return self->stagnant <= NB_STAGNATION_AT_ROUNDING;
    return self->stagnant <= (self->incumbent.norm > NB_FAR * self->start ? NB_STAGNATION_FAR : NB_STAGNATION_NEAR);
}

/* At the end of an attempt near round-off: whether U, computed anew, leaves something to do. */
static int renew(struct nb_proximal *self)
{
    struct nb_nonsmooth *system = self->system;
    const nb_real before = self->incumbent.norm;
    if (!system->form->renew || self->renewals == NB_RENEWALS || !(before <= NB_NEAR_ROUNDING * rounding_of(self)))
        return 0;
    nb_iterate_restore(system, &self->incumbent);
    if (!system->form->renew(system))
        return 0;
    self->renewals++;
    if (self->restart > 0 && before < self->earlier.norm) /* told by the former U, and worse than this one by it */
        self->earlier.norm = NB_REAL(INFINITY);
    system->sigma = 0;
    nb_iterate_save(system, &self->incumbent, nb_nonsmooth_evaluate(system, system->u, system->p));
    nb_proximal_set_centre(self);
    self->stagnant = 0;
    return self->incumbent.norm > NB_RENEWED * before;
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

/* Whether the attempt is one on a softer step, or from one, that has not come near the step's own solution. */
static int is_on_path(const struct nb_proximal *self)
{
    return nb_restarts[self->restart].softer &&
           (self->soft.softness > 1 || self->incumbent.norm > NB_FAR * self->start);
}

/* Whether an attempt takes too long: the first one, where there is a homotopy or a path of softer steps, and one from a
 * point of these that has more points to come. */
static int gives_way(const struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const int steps = task->run->newton_iterations - self->begun;
    if (is_on_path(self))
        return steps > NB_FIRST_ATTEMPT_STEPS || self->incumbent.norm <= NB_FAR * self->start;
    if (nb_restart_uses_homotopy(&nb_restarts[self->restart]))
        return !self->homotopy_ended && steps > NB_HOMOTOPY_ATTEMPT_STEPS &&
               self->incumbent.norm > NB_SOLVED * self->start;
    return self->restart == 0 && (self->homotopy || self->soft.compliance) && steps > NB_FIRST_ATTEMPT_STEPS &&
           self->incumbent.norm > NB_FAR * self->start;
}

/* Whether Newton's method takes so long that interior points, whose number is about the same for all steps, may have
 * found the solution before. */
static int creeps(const struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    return self->interior && self->interior_first && !self->followed && self->restart == 0 &&
           task->run->newton_iterations - self->begun > NB_NEWTON_PATIENCE &&
           self->incumbent.norm > NB_SOLVED * self->start && nb_proximal_may_continue(self, task);
}

/* The next strategy that this step has; NB_RESTARTS: there is none. */
static int next_restart(const struct nb_proximal *self)
{
    const int linear = self->system->model->constant;
    int next = self->restart + 1;
    while (next < NB_RESTARTS && (next == self->skipped || (nb_restarts[next].perturbed && !linear) ||
                                  (nb_restarts[next].softer && !self->soft.compliance) ||
                                  (nb_restart_uses_homotopy(&nb_restarts[next]) && !self->homotopy)))
        ++next;
    return next;
}

/* Whether what the attempt leaves is no solution, and another one may find it. */
static int restart(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const struct nb_restart *strategy = &nb_restarts[self->restart];
    const int linear = self->system->model->constant, next = next_restart(self);
    const int on_path = is_on_path(self), astray = !on_path && nb_proximal_set_aside(self);
    const int continues = !astray && nb_restart_uses_homotopy(strategy) && !self->homotopy_ended;
    const struct nb_iterate storage = self->earlier;
    if (on_path && nb_proximal_may_continue(self, task) && nb_softening_next(self))
        return 1;
    if ((!continues && next == NB_RESTARTS && !(strategy->omega > 0)) || !nb_proximal_may_continue(self, task) ||
        self->incumbent.norm <= (linear || continues ? NB_SOLVED : NB_FAR) * self->start)
        return 0;
    if (self->restart == 0 || self->incumbent.norm < self->earlier.norm) {
        self->earlier = self->incumbent;
        self->incumbent = storage;
    }
    if (continues)
        return 1;
    self->homotopy_norm = 0;
    if (strategy->omega > 0 && self->earlier.norm < NB_BETTER_ANCHOR * self->anchor_norm)
        return 1; /* once more, from there */
    if (next < NB_RESTARTS)
        self->restart = next;
    return next < NB_RESTARTS;
}

/* What a user should know of a run that ended without a solution, by itself or by its limit. */
static void explain(const struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const nb_real least = nb_proximal_best(self)->norm;
    const double rest = (double)(least / self->start);
    const double force = (double)(nb_proximal_scale(self->system, 0) / self->start);
    if (self->sweeping || self->stop || !(least > NB_NEAR_ROUNDING * rounding_of(self)))
        return;
    if (task->run->newton_iterations >= task->iterations)
        snprintf(task->run->detail, sizeof task->run->detail,
                 "ended by the limit of %d iterations at %.1e of the first residual", task->iterations, rest);
    else if (rest > NB_UNSOLVED && force > (double)NB_FORCES_GROWN)
        snprintf(task->run->detail, sizeof task->run->detail,
                 "no solution found: %.1e of the first residual is left, with forces %.0e times what stops the motion",
                 rest, force);
    else
        snprintf(task->run->detail, sizeof task->run->detail,
                 "stalled at %.1e of the first residual after %d iterations", rest,
                 task->run->newton_iterations);
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task, struct nb_error *error)
{
    struct nb_proximal *self = data;
    (void)error;
    forget_renewals(self);
    self->restart = 0;
    self->soft.first = self->soft.reached = 0;
    self->soft.softness = 1;
    self->stop = self->sweeping = 0;
    self->homotopy_norm = 0;
    self->followed = 0;
    self->astray.norm = NB_REAL(INFINITY);
    do {
        begin_attempt(self, task);
        self->begun = task->run->newton_iterations;
        while (nb_proximal_may_continue(self, task) && !gives_way(self, task) &&
               (iterate(self, task) || renew(self)))
            if (creeps(self, task))
                nb_proximal_follow_interior(self, task);
    } while (restart(self, task));
    if (self->soft.softness > 1) { /* ended on a path */
        nb_softening_apply(self, 1);
        self->incumbent.norm = NB_REAL(INFINITY);
    }
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
