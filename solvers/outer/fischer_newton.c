/* Fischer-Newton: generalised Newton on the Fischer reformulation of contact with box friction
 * (Silcowitz, Niebe and Erleben 2009, equations 27 to 39):
 *
 *     Phi(p) = 0,   H dp = -Phi,   p += alpha dp
 *
 * with p = h lambda, the element H, the Armijo search and the treatment of units as in
 * solvers/outer/fischer_newton/fischer_newton.h. Semi-staggered start: first without friction, then with it.
 *
 * Either tangent has a Coulomb law of its own, |lambda_t| <= mu lambda_n: a box about the
 * friction disk. So this method solves another problem than the cone methods wherever a contact
 * slides between the tangents, and its natural map stays above zero there; errors.box_map
 * (harness/judge/metrics.h) is the measure of what it solves.
 *
 * On a nonlinear step J and the gaps are evaluated anew as ||Phi|| falls. The NCP function,
 * scaling, linear solver and damping of the options play no part. */
#include "solvers/outer/fischer_newton/fischer_newton.h"

/* Without friction until ||Phi|| has fallen by this, or for so many iterations. */
static const nb_real staggered_fall = NB_REAL(1e-4);
enum { STAGGERED_LIMIT = 10 };

/* A nonlinear step is linearised anew where ||Phi|| has fallen by this. */
static const nb_real linearised_fall = NB_REAL(1e-2);
enum { PATIENCE = 6 };

enum { SUBSOLVE, SUBITERATIONS, LINE_SEARCH, HALVINGS, START, DAMPING, SCALE, SETTINGS };

static const struct nb_setting settings[] = {
    [SUBSOLVE] = {.name = "subsolve", .choices = "exact,conjugate",
                  .meaning = "of H dp = -Phi: LU, or the quasi nonlinear conjugate gradient method"},
    [SUBITERATIONS] = {.name = "subiterations", .value = 15, .minimum = 1, .maximum = 1e6, .whole = 1,
                       .meaning = "conjugate gradients a step"},
    [LINE_SEARCH] = {.name = "line_search", .choices = "armijo,none",
                     .meaning = "backtracking on ||Phi||^2 / 2"},
    [HALVINGS] = {.name = "halvings", .value = 14, .minimum = 0, .maximum = 100, .whole = 1,
                  .meaning = "of a step in a search, at most; 7 in the paper's figure 10"},
    [START] = {.name = "start", .choices = "staggered,plain",
               .meaning = "first without friction, or with it"},
    [DAMPING] = {.name = "damping", .value = 1e-8, .minimum = 0, .maximum = 1,
                 .meaning = "epsilon taken from H's diagonal; 0: as published"},
    [SCALE] = {.name = "scale", .choices = "diagonal,none",
               .meaning = "rho of the velocities: 1/W_ii, or 1 as published"},
    [SETTINGS] = {.name = NULL},
};

static void release(void *self)
{
    nb_fischer_free(self);
}

static enum nb_status setup(void **out, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    double value[SETTINGS];
    struct nb_fischer *self = NULL;
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    *out = NULL;
    if (status)
        return status;
    const struct nb_fischer_settings chosen = {
        .conjugate = value[SUBSOLVE] > 0,
        .conjugate_iterations = (int)value[SUBITERATIONS],
        .searching = value[LINE_SEARCH] < 1,
        .halvings = (int)value[HALVINGS],
        .staggered = value[START] < 1,
        .scaled = value[SCALE] < 1,
        .damping = value[DAMPING],
    };
    status = nb_fischer_create(&self, model, &chosen, options->threads, error);
    *out = self;
    return status;
}

static int publish(struct nb_fischer *self, const struct nb_method_task *task,
                   const struct nb_linear_report *report)
{
    return nb_step_rows_publish(&self->rows, self->p, task, report);
}

static nb_real size_of(const struct nb_fischer *self, const nb_real *x)
{
    return nb_norm(self->rows.size, x, self->rows.model->threads);
}

/* Newton steps on one linearisation, at most `limit`, until ||Phi|| has fallen by `fall` or no
 * longer falls. Nonzero if the observer wants no more. */
static int descend(struct nb_fischer *self, const struct nb_method_task *task, int limit,
                   nb_real fall)
{
    nb_real norm = nb_fischer_evaluate(self);
    const nb_real target = fall * norm;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    for (int k = 0; k < limit && task->run->newton_iterations < task->iterations; ++k) {
        if (norm <= target || norm <= 4 * NB_REAL(NB_UNIT_ROUNDOFF) * size_of(self, self->p))
            return 0;
        const int better = nb_fischer_step(self, task->run, &report, &norm);
        if (publish(self, task, &report))
            return 1;
        if (!better)
            return 0;
    }
    return 0;
}

/* On one linearisation after the other, until ||Phi|| at their beginnings no longer falls. */
static void descend_relinearised(struct nb_fischer *self, const struct nb_method_task *task)
{
    nb_real least = 0;
    int before, first = 1, waited = 0;
    do {
        before = task->run->newton_iterations;
        nb_fischer_linearise(self);
        const nb_real norm = nb_fischer_evaluate(self);
        waited = !first && norm > least / 2 ? waited + 1 : 0;
        least = first ? norm : nb_min(least, norm);
        first = 0;
        if (waited > PATIENCE || descend(self, task, task->iterations, linearised_fall))
            return;
    } while (task->run->newton_iterations > before);
}

static enum nb_status run(void *data, const struct nb_method_task *task,
                          struct nb_error *error)
{
    struct nb_fischer *fischer = data;
    (void)error;
    nb_fischer_start(fischer);
    int stop = publish(fischer, task, NULL);
    fischer->with_friction = 0;
    if (fischer->settings.staggered && !stop)
        stop = descend(fischer, task, STAGGERED_LIMIT, staggered_fall);
    fischer->with_friction = 1;
    if (!stop && task->model->constant)
        descend(fischer, task, task->iterations, 0);
    else if (!stop)
        descend_relinearised(fischer, task);
    task->run->operator_applications = fischer->rows.op.applications;
    return NB_OK;
}

/* rho = 1, as published, is a number in the problem's units. */
static int own_units(const struct nb_options *options)
{
    double value[SETTINGS];
    return !nb_settings_read(settings, options->solver, value, NULL) && value[SCALE] > 0;
}

const struct nb_solver_strategy NB(nb_solver_fischer_newton) = {
    .name = "fischer_newton",
    .title = "Fischer-Newton, box friction",
    .source = "Silcowitz, Niebe and Erleben 2009",
    .self_contained = 1,
    .settings = settings,
    .own_units = own_units,
    .setup = setup,
    .run = run,
    .free = release,
};
