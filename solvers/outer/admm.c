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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/contact/coulomb.h"
#include "solvers/outer/dual/projection.h"
#include "solvers/sparse/factor.h"

enum { FRICTION, METRIC, RHO, RELAXATION, BALANCE, SETTINGS };
enum { FIRST_BALANCE = 10 };
#define BALANCE_RATIO 5

static const struct nb_setting settings[] = {
    [FRICTION] = NB_LAW_SETTING,
    [METRIC] = NB_METRIC_SETTING,
    [RHO] = {.name = "rho", .value = 0.1, .minimum = 0, .maximum = INFINITY, .above_minimum = 1,
             .meaning = "first penalty, times D"},
    [RELAXATION] = {.name = "relaxation", .value = 1.6, .minimum = 0, .maximum = 2,
                    .above_minimum = 1, .meaning = "factor alpha"},
    [BALANCE] = {.name = "balance", .value = 1, .choices = "no,yes",
                 .meaning = "residual balancing"},
    [SETTINGS] = {.name = NULL},
};

struct admm {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    struct nb_factor *factor;
    nb_real *metric, *x, *y, *before; /* [n] D, x, y, z_old */
    nb_real rho;
    int iterations, next_balance;
    long factorised; /* the updates of W that the factor has seen; negative: rho is new */
};

static void release(void *data)
{
    struct admm *self = data;
    if (!self)
        return;
    NB(nb_dual_step_free)(&self->step);
    nb_factor_free(self->factor);
    free(self);
}

/* The scalar pattern of W's blocks. */
static enum nb_status analyse(struct admm *self, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = self->step.op.matrix;
    const size_t entries = 9 * (size_t)matrix->start[matrix->rows];
    int *start = malloc((self->step.rows + 1) * sizeof *start);
    int *column = malloc((entries + 1) * sizeof *column);
    enum nb_status status = NB_OK;
    int at = 0;
    if (!start || !column) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the pattern of W");
        goto done;
    }
    for (int i = 0; i < 3 * matrix->rows; ++i) {
        start[i] = at;
        for (int k = matrix->start[i / 3]; k < matrix->start[i / 3 + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                column[at++] = 3 * matrix->column[k] + c;
    }
    start[self->step.rows] = at;
    status = nb_factor_create(&self->factor, (int)self->step.rows, start, column,
                              sizeof(nb_real) == sizeof(float), error);
done:
    free(start);
    free(column);
    return status;
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct admm *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the alternating direction method");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 1, 4, &self->metric,
                                         error);
    if (!status && self->step.rows > 0)
        status = analyse(self, error);
    if (status) {
        release(self);
        return status;
    }
    self->x = self->metric + self->step.rows;
    self->y = self->x + self->step.rows;
    self->before = self->y + self->step.rows;
    *out = self;
    return NB_OK;
}

/* rho D, and the proximal term in bilateral rows. */
static nb_real penalty(const struct admm *self, size_t i)
{
    const nb_real proximal = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF));
    return (i < self->step.bilateral ? proximal : self->rho) * self->metric[i];
}

static const char *factorise(struct admm *self)
{
    const struct NB(nb_bsr) *matrix = self->step.op.matrix;
    const int *index = nb_factor_index(self->factor);
    double *wide = nb_factor_values(self->factor);
    float *single = nb_factor_values_single(self->factor);
    size_t entry = 0;
    for (int i = 0; i < 3 * matrix->rows; ++i)
        for (int k = matrix->start[i / 3]; k < matrix->start[i / 3 + 1]; ++k)
            for (int c = 0; c < 3; ++c, ++entry) {
                const int at = index[entry];
                nb_real value = (nb_real)matrix->value[9 * (size_t)k + 3 * (size_t)(i % 3) + (size_t)c];
                if (3 * matrix->column[k] + c == i)
                    value += penalty(self, (size_t)i);
                if (at >= 0 && wide)
                    wide[at] = (double)value;
                else if (at >= 0)
                    single[at] = (float)value;
            }
    self->factorised = self->step.updates;
    return nb_factor_update(self->factor, NULL) ? "W + rho D is not positive definite" : NULL;
}

static const char *restart(void *data)
{
    struct admm *self = data;
    if (self->step.rows == 0)
        return NULL;
    NB(nb_metric)(&self->step, (enum nb_metric)self->value[METRIC], self->metric);
    self->rho = (nb_real)self->value[RHO];
    self->iterations = 0;
    self->next_balance = FIRST_BALANCE;
    memset(self->x, 0, 3 * self->step.rows * sizeof *self->x);
    return factorise(self);
}

/* x from z, y and the slip of the last x, |U_T| = rho D |(z - y - x)_T|, which velocity holds. */
static const char *solve(struct admm *self)
{
    struct NB(nb_dual_step) *step = &self->step;
    nb_real *x = self->x, *slip = step->velocity;
    for (size_t i = 0; i < step->rows; ++i) {
        const nb_real target = i < step->bilateral ? x[i] : step->p[i] - self->y[i];
        x[i] = penalty(self, i) * target - step->q[i];
    }
    for (size_t i = step->bilateral; i < step->rows; i += 3)
        if (self->value[FRICTION] == NB_LAW_COULOMB)
            x[i] -= step->model->friction[(i - step->bilateral) / 3] *
                    NB(nb_length2)(slip[i + 1], slip[i + 2]);
    void *vector = x;
    const enum nb_status status = sizeof(nb_real) == sizeof(float)
                                      ? nb_factor_solve_single(self->factor, vector, vector, NULL)
                                      : nb_factor_solve(self->factor, vector, vector, NULL);
    for (size_t i = step->bilateral; i < step->rows; ++i)
        slip[i] = penalty(self, i) * (step->p[i] - self->y[i] - x[i]);
    return status ? "no memory to solve with the factor of W + rho D" : NULL;
}

static void project(struct admm *self)
{
    struct NB(nb_dual_step) *step = &self->step;
    const nb_real alpha = (nb_real)self->value[RELAXATION];
    nb_real *z = step->p, *y = self->y;
    memcpy(self->before, z, step->rows * sizeof *z);
    memcpy(z, self->x, step->bilateral * sizeof *z);
    for (size_t i = step->bilateral; i < step->rows; i += 3) {
        const nb_real former[3] = {y[i], y[i + 1], y[i + 2]};
        for (size_t r = i; r < i + 3; ++r) {
            y[r] += alpha * self->x[r] + (1 - alpha) * z[r];
            z[r] = y[r];
        }
        NB(nb_project_cone)(z + i, step->model->friction[(i - step->bilateral) / 3]);
        for (size_t r = i; r < i + 3; ++r) {
            y[r] -= z[r];
            step->under_way |= y[r] != former[r - i];
        }
    }
}

/* Only over contacts: bilateral rows have no residual of either kind. */
static const char *balance(struct admm *self)
{
    struct NB(nb_dual_step) *step = &self->step;
    nb_sum apart = 0, moved = 0;
    for (size_t i = step->bilateral; i < step->rows; ++i) {
        const nb_real a = self->x[i] - step->p[i], b = step->p[i] - self->before[i];
        apart += (nb_sum)(a * a * self->metric[i]);
        moved += (nb_sum)(b * b * self->metric[i]);
    }
    const nb_real first = nb_sqrt((nb_real)apart), second = self->rho * nb_sqrt((nb_real)moved);
    if (!(first > 0 && second > 0) ||
        (first < BALANCE_RATIO * second && second < BALANCE_RATIO * first))
        return NULL;
    const nb_real factor = nb_sqrt(first / second);
    self->rho *= factor;
    step->under_way = 1;
    for (size_t i = step->bilateral; i < step->rows; ++i)
        self->y[i] /= factor;
    return factorise(self);
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct admm *self = data;
    const char *reason = NULL;
    if (self->step.rows == 0)
        return NULL;
    if (self->factorised != self->step.updates)
        reason = factorise(self);
    if (!reason)
        reason = solve(self);
    if (reason)
        return reason;
    project(self);
    run->linear_iterations++;
    if (++self->iterations < self->next_balance || !(self->value[BALANCE] > 0))
        return NULL;
    self->next_balance *= 2;
    return balance(self);
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct admm *self = data;
    const struct NB(nb_dual_method) method = {self, NB(nb_law_bounds)(self->value[FRICTION]),
                                              0, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_admm) = {
    .name = "admm",
    .title = "alternating direction method of multipliers",
    .source = "Boyd et al. 2011; Acary, Bremond and Huber 2018",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
