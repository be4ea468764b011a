/* Proximal point iteration around a semismooth Newton method on the Alart-Curnier map (Alart and
 * Curnier 1991; Rockafellar 1976). Nonlinear Gauss-Seidel sweeps over the contacts come first: on a
 * linear step, accelerated, as long as they pay (sweep_watch.h), each an iteration; on a nonlinear one a
 * few, which count as one. Then each outer iteration solves, to a tenth of the norm it starts with,
 *
 *     F(p; U + W (p - a)) = 0,   M (u - u~) - J^T p = 0,   W = sigma diag(J H^-1 J^T)     (cone.h)
 *
 * by full Newton steps in (u, p), and its p is the next anchor a: as sigma -> 0 it is plain Newton,
 * and with sigma > 0 redundant contacts leave no singular matrix. Newton's norm may rise on the
 * way, as sets of open, sticking and sliding contacts change; where it has not fallen for PATIENCE
 * steps the proximal problem counts as failed, and the centre, the solution of the last one that did
 * not, is tried again with a larger sigma. That is not the best point so far: the natural norm rises
 * on the way of some proximal solutions, and to return to where it was least is to walk in a circle. An
 * attempt that stays far from a solution gives way to interior points (cone_interior.h), which find
 * the sets from which Newton's method goes on.
 *
 * sigma falls tenfold while that is easy. Once a problem has failed, sigma stays above a floor that
 * sinks slowly, and the anchor is extrapolated, a = p + beta (p - p_before) (Gueler 1992): contacts
 * that agree only up to round-off of their gaps leave forces to travel far at a small sigma. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/clock.h"
#include "solvers/kernels/anderson.h"
#include "solvers/kernels/cone.h"
#include "solvers/kernels/cone_interior.h"
#include "solvers/sweep_watch.h"

enum { SWEEPS = 3, INNER_LIMIT = 60, PATIENCE = 15, STALLED = 60 };
/* Near round-off: NEAR_ROUNDING times the unit, where nothing more is worth waiting for. */
enum { NEAR_ROUNDING = 1000, PATIENCE_AT_ROUNDING = 3, STALLED_AT_ROUNDING = 2 };
enum { STALLED_FAR = 20 };
#define FAR NB_REAL(1e-4)
#define WARM NB_REAL(0.1) /* a start's norm over that at p = 0, at most */
#define GROWN NB_REAL(1e3) /* forces, over what stops the motion */
#define ASTRAY NB_REAL(10.) /* a centre's norm over the best one */
#define FIRST_SIGMA 1e-2
#define LEAST_SIGMA 1e-10
#define MOST_SIGMA 1e4
/* Sweeps stop at this change over the first, or near round-off; Newton's method is taken to need so many
 * steps for the same. */
#define SWEEP_AIM 1e-9
enum { NEWTON_STEPS = 6 };
/* The first sweeps find out who touches whom; what they change tells acceleration nothing. */
enum { PLAIN_SWEEPS = 3 };
/* Where Newton's norm has not halved for so many outer iterations, so many sweeps lead elsewhere. */
enum { STIR_EVERY = 10, STIR_SWEEPS = 100 };

enum { SWEEP_FIRST, SETTINGS };

static const struct nb_setting settings[] = {
    [SWEEP_FIRST] = {.name = "sweeps", .value = 1, .choices = "no,yes",
                     .meaning = "begin with Gauss-Seidel sweeps while they pay"},
    [SETTINGS] = {.name = NULL},
};

/* A step whose Newton iterations stay away from a solution is begun anew in another way: of a nonlinear
 * one with other limits of how far a body may turn or an element stretch in an iteration, of a linear
 * one with other weights of the proximal term or shorter steps. */
struct attempt {
    double turn;    /* [rad] in one iteration                             */
    double strain;  /* of an element's edges over its size, likewise      */
    double sigma;   /* the first one, times the softness of the elements  */
    double shrink;  /* of sigma after a success; 0: by how easy it was    */
    int sweeps;     /* begin with as many sweeps as pay, else with a few  */
    int halvings;   /* of a step that does not lower the norm             */
    int stirred;    /* by sweeps where Newton stalls             */
    int interior;   /* begin with interior points                */
};
static const struct attempt of_nonlinear[] = {
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA, .interior = 1},
    {.turn = 0.5, .strain = 1, .sigma = FIRST_SIGMA},
    {.turn = 0.1, .strain = 0.2, .sigma = FIRST_SIGMA},
    {.turn = 100, .strain = 100, .sigma = FIRST_SIGMA},
    {.turn = 0.2, .strain = 0.4, .sigma = FIRST_SIGMA},
};
static const struct attempt of_linear[] = {
    {.sigma = FIRST_SIGMA, .sweeps = 1},
    {.sigma = FIRST_SIGMA, .interior = 1},
    {.sigma = FIRST_SIGMA, .stirred = 1},
    {.sigma = FIRST_SIGMA, .shrink = 0.5},
    {.sigma = FIRST_SIGMA, .halvings = 10, .stirred = 1},
    {.sigma = 10, .shrink = 0.5, .halvings = 10},
    {.sigma = 1, .stirred = 1},
};
/* An attempt of which so many Newton steps leave as much of the first norm gives way to one that begins
 * with interior points. */
enum { GIVES_WAY = 20 };
#define GIVES_WAY_AT NB_REAL(1e-4)
/* Interior points end where so many have not halved the norm, or at the limit. */
enum { INTERIOR_LIMIT = 60, INTERIOR_PATIENCE = 10 };
#define STAYS_AWAY NB_REAL(1e-9) /* of the first norm, in a linear step */

/* A point (u, p) and its norm. */
struct point {
    nb_real *p, *u, norm;
};

struct proximal {
    struct NB(nb_cone) *cone;
    struct NB(nb_cone_interior) *interior; /* NULL: the step does not have it */
    double value[SETTINGS];
    struct point best;      /* of this attempt, by the norm without the proximal term */
    struct point centre;    /* what the last proximal problem that was solved left */
    struct point former;    /* of the attempts before                     */
    nb_real *previous;      /* [rows] p of the outer iteration before     */
    struct NB(nb_anderson) anderson;
    nb_real start;          /* the norm at p = 0                          */
    int attempt;
    const struct attempt *way;
    double sigma, floor;
    double momentum;        /* t_k of the extrapolation; 0: none          */
    int begun;              /* iterations before this attempt's Newton steps */
    int waited;             /* outer iterations since the norm last halved */
    int sweeping;           /* p alone is the point, u and the norm are not known */
    int stop;               /* the observer wants no more                 */
};

static void free_point(struct point *point)
{
    free(point->p);
    free(point->u);
}

static int allocate_point(struct point *point, size_t rows, size_t dofs)
{
    point->p = calloc(rows, sizeof *point->p);
    point->u = calloc(dofs, sizeof *point->u);
    return point->p && point->u;
}

static void release(void *data)
{
    struct proximal *self = data;
    if (!self)
        return;
    NB(nb_cone_interior_free)(self->interior);
    NB(nb_cone_free)(self->cone);
    free_point(&self->best);
    free_point(&self->centre);
    free_point(&self->former);
    free(self->previous);
    NB(nb_anderson_free)(&self->anderson);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    const size_t rows = 3 * (size_t)model->blocks + 1, dofs = 3 * (size_t)model->nodes + 1;
    struct proximal *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    self->previous = calloc(rows, sizeof(nb_real));
    if (!allocate_point(&self->best, rows, dofs) || !allocate_point(&self->centre, rows, dofs) ||
        !allocate_point(&self->former, rows, dofs) || !self->previous)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    if (!status)
        status = NB(nb_cone_create)(&self->cone, model, error);
    if (!status && model->constant)
        status = NB(nb_anderson_create)(&self->anderson, self->cone->rows,
                                        self->cone->form->follow ? 0 : self->cone->dofs, error);
    if (!status && NB(nb_cone_interior_fits)(self->cone))
        status = NB(nb_cone_interior_create)(&self->interior, self->cone, error);
    if (status) {
        release(self);
        return status;
    }
    *out = self;
    return NB_OK;
}

static void keep(const struct NB(nb_cone) *cone, struct point *point, nb_real norm)
{
    point->norm = norm;
    memcpy(point->p, cone->p, cone->rows * sizeof *point->p);
    memcpy(point->u, cone->u, cone->dofs * sizeof *point->u);
}

static void go_back(struct NB(nb_cone) *cone, const struct point *point)
{
    memcpy(cone->p, point->p, cone->rows * sizeof *point->p);
    memcpy(cone->u, point->u, cone->dofs * sizeof *point->u);
}

/* Size of the impulses in the norm's measure, and of what they had to stop. */
static nb_real scale_of(const struct NB(nb_cone) *cone, nb_real start)
{
    nb_real sum = start * start;
    for (size_t i = 0; i < cone->rows; ++i)
        sum += cone->p[i] * cone->p[i] / cone->rho[i];
    return nb_sqrt(sum);
}

/* Where constraints contradict each other the norm falls by ever less while the forces grow without
 * bound: forces far beyond what stops the motion have to earn it. */
static void keep_best(struct proximal *self)
{
    const nb_real natural = NB(nb_cone_natural)(self->cone, self->cone->p);
    const int huge = scale_of(self->cone, 0) > GROWN * self->start;
    if (natural < (huge ? NB_REAL(0.5) : 1) * self->best.norm)
        keep(self->cone, &self->best, natural);
}

/* The point evaluated last. */
static void keep_centre(struct proximal *self)
{
    keep(self->cone, &self->centre, NB(nb_cone_natural)(self->cone, self->cone->p));
}

/* The best point becomes the result. lambda = p/h. */
static void hand_out(const struct proximal *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    const int former = self->attempt > 0 && self->former.norm <= self->best.norm;
    const struct point *point = former ? &self->former : &self->best;
    const nb_real *p = self->sweeping ? cone->p : point->p;
    nb_real *u = self->sweeping ? cone->u : point->u;
    if (self->sweeping && cone->form->follow)
        cone->form->follow(cone, p, u);
    else if (cone->form->complete)
        cone->form->complete(cone, p, u);
    memcpy(task->u, u, cone->dofs * sizeof *task->u);
    for (size_t i = 0; i < cone->rows; ++i)
        task->lambda[i] = p[i] / cone->model->time_step;
}

static void publish(struct proximal *self, const struct NB(nb_method_task) *task)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const int iteration = task->run->newton_iterations;
    if (!task->observer)
        return;
    hand_out(self, task);
    self->stop = task->report(task, iteration, iteration > 0 ? &report : NULL);
}

static int may_continue(const struct proximal *self, const struct NB(nb_method_task) *task)
{
    return !self->stop && task->run->newton_iterations < task->iterations;
}

/* Newton on one proximal problem from a point with that norm. Returns how many steps it took, or 0
 * if it failed. */
static int solve_proximal(struct proximal *self, const struct NB(nb_method_task) *task,
                          nb_real norm, int patience)
{
    struct NB(nb_cone) *cone = self->cone;
    const nb_real target = norm * NB_REAL(0.1);
    int missed = 0;
    nb_real reference = norm;
    for (int k = 1; k <= INNER_LIMIT && missed < patience && may_continue(self, task); ++k) {
        if (NB(nb_cone_step)(cone, task->run, &norm))
            return 0;
        keep_best(self);
        publish(self, task);
        if (norm <= target)
            return k;
        missed = norm < NB_REAL(0.9) * reference ? 0 : missed + 1;
        reference = nb_min(reference, norm);
    }
    return 0;
}

/* The anchor at p, or beyond it. */
static void set_anchor(struct proximal *self)
{
    const struct NB(nb_cone) *cone = self->cone;
    const double next = (1 + sqrt(1 + 4 * self->momentum * self->momentum)) / 2;
    const nb_real beta = self->momentum > 0 ? (nb_real)((self->momentum - 1) / next) : 0;
    for (size_t i = 0; i < cone->rows; ++i) {
        cone->anchor[i] = cone->p[i] + beta * (cone->p[i] - self->previous[i]);
        self->previous[i] = cone->p[i];
    }
    if (self->momentum > 0)
        self->momentum = next;
}

static void adapt(struct proximal *self, int steps)
{
    if (steps == 0) {
        self->floor = 2 * self->sigma;
        self->sigma *= 4;
        self->momentum = 1;
        go_back(self->cone, self->centre.norm < ASTRAY * self->best.norm ? &self->centre : &self->best);
    } else {
        const double easy = steps <= 3 ? 0.1 : steps <= 6 ? 0.3 : 0.5;
        self->sigma *= self->way->shrink > 0 ? self->way->shrink : easy;
        keep_centre(self);
    }
    self->sigma = fmin(fmax(fmax(self->sigma, self->floor), LEAST_SIGMA), MOST_SIGMA);
    self->floor *= steps > 0 && steps <= 3 ? 0.7 : 0.9;
}

/* A few sweeps, there and back, with the Jacobian of u~. */
static void sweep_a_little(struct proximal *self, const struct NB(nb_method_task) *task)
{
    for (int k = 0; k < 2 * SWEEPS; ++k)
        self->cone->form->sweep(self->cone, k % 2);
    task->run->newton_iterations++;
}

/* The exact step, sweep by sweep, in one direction, which is faster than there and back, and accelerated
 * (anderson.h). Zero where the run ends before sweeps have ceased to pay. */
static int sweep_linear(struct proximal *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    struct nb_sweep_watch watch = {
        .sweep_price = cone->sweep_price,
        .newton_price = NEWTON_STEPS * cone->step_price,
        .aim = fmax(SWEEP_AIM, 16 * NB_UNIT_ROUNDOFF),
    };
    const double begin = nb_seconds();
    int pays = 1;
    self->sweeping = 1;
    nb_real size = 0;
    NB(nb_anderson_restart)(&self->anderson);
    while (pays && may_continue(self, task)) {
        if (watch.count >= PLAIN_SWEEPS)
            NB(nb_anderson_step)(&self->anderson, cone->rho, size, cone->p, cone->u);
        size = cone->form->sweep(cone, 0);
        pays = nb_sweep_pays(&watch, sqrt((double)size));
        task->run->newton_iterations++;
        task->run->linear_iterations++;
        if (pays)
            publish(self, task);
    }
    task->run->linear_seconds += nb_seconds() - begin;
    return !pays;
}

/* The sweeps' forces become the point from which Newton's method goes on. */
static void hand_over(struct proximal *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    if (self->sweeping && cone->form->follow)
        cone->form->follow(cone, cone->p, cone->u);
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    self->sweeping = 0;
    keep_best(self);
    keep_centre(self);
    if (self->best.norm < self->start) /* what is nearly solved needs little regularisation */
        self->sigma *= sqrt((double)(self->best.norm / self->start));
    publish(self, task);
}

/* Interior points while they pay, then back to the best of them. */
static void go_inside(struct proximal *self, const struct NB(nb_method_task) *task)
{
    const double begin = nb_seconds();
    nb_real reference = (nb_real)INFINITY;
    int missed = 0;
    NB(nb_cone_interior_begin)(self->interior);
    for (int k = 0; k < INTERIOR_LIMIT && missed < INTERIOR_PATIENCE; ++k) {
        if (!may_continue(self, task))
            break;
        const nb_real norm = NB(nb_cone_interior_step)(self->interior);
        task->run->newton_iterations++;
        task->run->linear_iterations++;
        if (!isfinite(norm))
            break;
        keep_best(self);
        publish(self, task);
        missed = norm < reference / 2 ? 0 : missed + 1;
        reference = missed == 0 ? norm : reference;
    }
    task->run->assembly_seconds += nb_seconds() - begin;
    go_back(self->cone, &self->best);
}

/* The task's start, where it is much nearer a solution than p = 0 is; else the point stays there. */
static int take_start(struct proximal *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    nb_real given = 0;
    for (size_t i = 0; i < cone->rows; ++i)
        given = nb_max(given, nb_abs(task->lambda[i]));
    if (self->attempt > 0 || !(given > 0))
        return 0;
    memcpy(cone->u, task->u, cone->dofs * sizeof *cone->u);
    for (size_t i = 0; i < cone->rows; ++i)
        cone->p[i] = cone->model->time_step * task->lambda[i];
    if (cone->form->follow)
        cone->form->follow(cone, cone->p, cone->u);
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    keep_best(self);
    if (self->best.norm < WARM * self->start)
        return 1;
    self->start = NB(nb_cone_begin)(cone);
    keep(cone, &self->best, self->start);
    return 0;
}

/* An attempt begins at p = 0, u = u~ with sweeps, or where the task does. */
static void restart(struct proximal *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    self->start = NB(nb_cone_begin)(cone);
    self->way = (cone->model->constant ? of_linear : of_nonlinear) + self->attempt;
    self->sigma = fmax(self->way->sigma * (double)cone->softness, LEAST_SIGMA);
    self->floor = self->momentum = 0;
    self->waited = 0;
    cone->largest_turn = (nb_real)self->way->turn;
    cone->largest_strain = (nb_real)self->way->strain;
    cone->halvings = self->way->halvings;
    keep(cone, &self->best, self->start);
    keep(cone, &self->centre, self->start);
    if (!isfinite(self->start)) {
        self->stop = task->run->broke_down = 1;
        snprintf(task->run->detail, sizeof task->run->detail,
                 "the motion without contact forces is too fast to be told in %s",
                 NB_TEXT(NB_PRECISION));
    }
    const int warm = isfinite(self->start) && take_start(self, task);
    if (warm)
        hand_over(self, task);
    else if (self->attempt == 0)
        publish(self, task);
    if (self->way->interior) {
        go_inside(self, task);
        hand_over(self, task);
        return;
    }
    if (warm || !may_continue(self, task) || !(cone->sweep_price > 0) ||
        !(self->value[SWEEP_FIRST] > 0))
        return;
    if (!self->way->sweeps)
        sweep_a_little(self, task);
    else if (!sweep_linear(self, task))
        return;
    hand_over(self, task);
}

/* Accelerated sweeps from the present point, which becomes the centre whatever its norm. */
static void stir(struct proximal *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    nb_real size = 0;
    NB(nb_anderson_restart)(&self->anderson);
    for (int k = 0; k < STIR_SWEEPS; ++k) {
        NB(nb_anderson_step)(&self->anderson, cone->rho, size, cone->p, cone->u);
        size = cone->form->sweep(cone, 0);
    }
    if (cone->form->follow)
        cone->form->follow(cone, cone->p, cone->u);
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    keep_best(self);
    keep_centre(self);
    task->run->newton_iterations++;
    publish(self, task);
}

/* One outer iteration from a point that is kept. Zero where round-off or patience ends the run. */
static int advance(struct proximal *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    const nb_real before = self->best.norm;
    const nb_real rounding = NB_REAL(NB_UNIT_ROUNDOFF) * scale_of(cone, self->start);
    const int near = before <= NEAR_ROUNDING * rounding;
    if (before <= (self->waited > 0 ? 16 : 1) * rounding)
        return 0;
    if (self->way->stirred && self->waited > 0 && self->waited % STIR_EVERY == 0 && cone->sweep_price > 0)
        stir(self, task);
    set_anchor(self);
    cone->sigma = (nb_real)self->sigma;
    const nb_real norm = NB(nb_cone_evaluate)(cone, cone->u, cone->p);
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

/* Whether an attempt without interior points takes too long. */
static int gives_way(const struct proximal *self, const struct NB(nb_method_task) *task)
{
    return self->attempt == 0 && self->interior &&
           task->run->newton_iterations - self->begun > GIVES_WAY &&
           self->best.norm > GIVES_WAY_AT * self->start;
}

/* Whether what the attempt leaves is no solution, and another one may find it. */
static int try_again(struct proximal *self, const struct NB(nb_method_task) *task)
{
    const int linear = self->cone->model->constant;
    const size_t ways = linear ? sizeof of_linear / sizeof *of_linear
                               : sizeof of_nonlinear / sizeof *of_nonlinear;
    const struct attempt *attempts = linear ? of_linear : of_nonlinear;
    const struct point kept = self->former;
    if ((size_t)self->attempt + 1 == ways || !may_continue(self, task) ||
        self->best.norm <= (linear ? STAYS_AWAY : FAR) * self->start)
        return 0;
    if (self->attempt == 0 || self->best.norm < self->former.norm) {
        self->former = self->best;
        self->best = kept;
    }
    self->attempt++;
    if (attempts[self->attempt].interior && !self->interior)
        self->attempt++;
    return 1;
}

/* What a user should know of a run that ended by itself without a solution. */
static void explain(const struct proximal *self, const struct NB(nb_method_task) *task)
{
    const double rest = (double)(self->best.norm / self->start);
    const double force = (double)(scale_of(self->cone, 0) / self->start);
    const nb_real rounding = NB_REAL(NB_UNIT_ROUNDOFF) * scale_of(self->cone, self->start);
    if (self->sweeping || !may_continue(self, task) ||
        !(self->best.norm > NEAR_ROUNDING * rounding))
        return;
    if (rest > 1e-3 && force > (double)GROWN)
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
    struct proximal *self = data;
    (void)error;
    self->attempt = self->stop = self->sweeping = 0;
    do {
        restart(self, task);
        self->begun = task->run->newton_iterations;
        while (may_continue(self, task) && !gives_way(self, task) && advance(self, task))
            continue;
    } while (try_again(self, task));
    explain(self, task);
    hand_out(self, task);
    return NB_OK;
}

const struct NB(nb_solver_strategy) NB(nb_solver_proximal_newton) = {
    .name = "proximal_newton",
    .title = "proximal semismooth Newton, Alart-Curnier",
    .source = "Alart and Curnier 1991; Rockafellar 1976",
    .self_contained = 1,
    .warm = 1,
    .iterations = 3000,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
