/* Implicit complementarity (Todorov 2010): r(x) = (W Sigma - 1) f(x) - x + v_0 = 0 over x in R^3
 * per contact, with f and v = x + f that satisfy Signorini's condition and Coulomb's law for
 * every x. Each iteration is one of the pseudocode III.E: the Newton point of Levenberg and
 * Marquardt restricted to active edges, taken where it lowers ||r||^2 by half of what was
 * predicted, else an edge-aware line search along the dogleg x : x_C : x_N. It ends where no
 * better point is found, as printed.
 *
 * The linear iterations of an iteration are the points at which ||r|| was evaluated: 1 where the
 * Newton point was taken; its report says where a line search ended on an edge that it met.
 * Iteration 0 is the start, with all contacts sticking, which costs a factorisation; a warm run
 * begins where the task's motion and forces leave off.
 *
 * On a nonlinear step the gaps and W are evaluated anew as ||r|| falls, and x = v - f taken from
 * the impulses so far; where it no longer falls, the run ends at the point where it was least. The NCP
 * function, scaling, linear solver and damping of the options play no part. */
#include <string.h>

#include "solvers/outer/implicit_complementarity/implicit_newton.h"

/* A nonlinear step is linearised anew where ||r|| has fallen by this. */
static const nb_real linearised_fall = NB_REAL(1e-2);
enum { PATIENCE = 6 };

enum { SCALE, START, EDGES, SETTINGS };

static const struct nb_setting settings[] = {
    [SCALE] = {.name = "scale", .choices = "contact,step,none",
               .meaning = "Sigma: 1 over the mean diagonal of W, of a contact or of the step; or 1, as "
                          "published"},
    [START] = {.name = "start", .choices = "sticking,zero", .meaning = "x of iteration 0"},
    [EDGES] = {.name = "edges", .choices = "followed,tangent,met,ignored",
               .meaning = "as published; without the projection on curved ones; the line search's alone; none"},
    [SETTINGS] = {.name = NULL},
};

static void release(void *self)
{
    nb_implicit_free(self);
}

static enum nb_status setup(void **out, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    double value[SETTINGS];
    struct nb_implicit *self = NULL;
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    if (!status)
        status = nb_implicit_create(&self, model, (int)value[SCALE], options->threads, error);
    if (!status) {
        self->sticking = value[START] < 1;
        self->edges = (int)value[EDGES];
    }
    *out = self;
    return status;
}

static int publish(struct nb_implicit *self, const struct nb_method_task *task, int better)
{
    const struct nb_linear_report report = {better ? NB_LINEAR_CONVERGED : NB_LINEAR_STAGNATED, self->tried,
                                            !better         ? "local minimum"
                                            : self->crossed ? NB_LINEAR_ON_AN_EDGE
                                                            : ""};
    return nb_step_rows_publish(&self->rows, self->p, task,
                                task->run->newton_iterations ? &report : NULL);
}

/* Round-off of r: what it is made of. */
static nb_real floor_of(const struct nb_implicit *self)
{
    const size_t n = self->rows.size;
    const int threads = self->rows.model->threads;
    return 4 * NB_REAL(NB_UNIT_ROUNDOFF) *
           (nb_norm(n, self->x, threads) + nb_norm(n, self->velocity, threads));
}

/* Iterations on one linearisation until ||r|| has fallen to `target`. Nonzero if the observer
 * wants no more. */
static int descend(struct nb_implicit *self, const struct nb_method_task *task,
                   nb_real target)
{
    while (task->run->newton_iterations < task->iterations) {
        const nb_real norm = nb_sqrt(2 * self->objective);
        if (norm <= target || norm <= floor_of(self))
            return 0;
        const int better = nb_implicit_iterate(self, task->run);
        if (publish(self, task, better))
            return 1;
        if (!better)
            return 0;
    }
    return 0;
}

/* The point at which ||r|| was least so far. */
static void keep_best(struct nb_implicit *self)
{
    memcpy(self->kept, self->p, self->rows.size * sizeof *self->kept);
    memcpy(self->kept_u, self->rows.u, 3 * (size_t)self->rows.model->nodes * sizeof *self->kept_u);
}

/* Back to it: an iteration, where the limit leaves one. */
static void return_to_best(struct nb_implicit *self, const struct nb_method_task *task)
{
    if (task->run->newton_iterations >= task->iterations)
        return;
    task->run->newton_iterations++;
    self->tried = self->crossed = 0;
    memcpy(self->p, self->kept, self->rows.size * sizeof *self->p);
    memcpy(self->rows.u, self->kept_u, 3 * (size_t)self->rows.model->nodes * sizeof *self->rows.u);
    publish(self, task, 1);
}

/* On one linearisation after the other, until ||r|| at their beginnings no longer falls. Once half of the
 * digits are found, what grows twice running is round-off, which each linearisation multiplies by |W Sigma|. */
static void descend_relinearised(struct nb_implicit *self, const struct nb_method_task *task)
{
    const nb_real half = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF));
    nb_real first = 0, least = 0;
    int before, waited = 0, grown = 0;
    do {
        before = task->run->newton_iterations;
        nb_implicit_linearise(self);
        const nb_real norm = nb_sqrt(2 * self->objective);
        first = before > 0 ? first : norm;
        grown = before > 0 && least <= half * first && norm > 4 * least ? grown + 1 : 0;
        waited = before > 0 && norm > least / 2 ? waited + 1 : 0;
        if (before == 0 || norm < least)
            keep_best(self);
        least = before > 0 ? nb_min(least, norm) : norm;
        if (waited > PATIENCE || grown > 1) {
            if (norm > least)
                return_to_best(self, task);
            return;
        }
        if (descend(self, task, linearised_fall * norm))
            return;
    } while (task->run->newton_iterations > before);
}

/* At rest and without force the setting decides. */
static int is_warm(const struct nb_implicit *self, const struct nb_method_task *task)
{
    for (size_t i = 0; i < self->rows.size; ++i)
        if (task->lambda[i] != 0)
            return 1;
    return 0;
}

static enum nb_status run(void *data, const struct nb_method_task *task,
                          struct nb_error *error)
{
    struct nb_implicit *self = data;
    (void)error;
    if (is_warm(self, task))
        nb_implicit_start_warm(self, task->u, task->lambda);
    else
        nb_implicit_start(self);
    int stop = publish(self, task, 1);
    if (task->model->constant && !stop)
        descend(self, task, 0);
    else if (!stop)
        descend_relinearised(self, task);
    task->run->operator_applications = self->rows.op.applications;
    return NB_OK;
}

/* Sigma = 1, as published, is a number in the problem's units. */
static int own_units(const struct nb_options *options)
{
    double value[SETTINGS];
    return !nb_settings_read(settings, options->solver, value, NULL) && value[SCALE] > 1;
}

const struct nb_solver_strategy NB(nb_solver_implicit_complementarity) = {
    .name = "implicit_complementarity",
    .title = "implicit complementarity, edge-aware Gauss-Newton",
    .source = "Todorov 2010",
    .self_contained = 1,
    .warm = 1,
    .settings = settings,
    .own_units = own_units,
    .setup = setup,
    .run = run,
    .free = release,
};
