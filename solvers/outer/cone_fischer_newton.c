/* Generalised Newton on the Fischer-Burmeister function of the second-order cone
 * (solvers/contact/cone_fischer.h):
 *
 *     F(p) = 0,   (dF/dR + dF/dU (W + damping D)) dp = -F,   p += t dp
 *
 * over all contacts, with U = W p + q, D the diagonal of W, and rho = 1/W_nn. Bilateral rows ask for
 * U = 0. t is the first of 1, 1/2, 1/4 ... with |F(t)|^2 <= (1 - 2e-4 t) times the largest of the last
 * `watchdog` + 1 iterations, else the last of ten. The damping keeps the matrix of redundant contacts
 * regular; it slows the end, and does not move the solution. A nonlinear step is linearised anew as for
 * the first-order methods.
 *
 * Fukushima, Luo and Tseng 2002, section 3; in contact mechanics Daviet, Bertails-Descoubes and
 * Boissieux 2011. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block_lu.h"
#include "solvers/contact/cone_fischer.h"
#include "solvers/outer/dual/dual_step.h"

enum { DAMPING, WATCHDOG, SETTINGS };
enum { LONGEST_WATCH = 20, TRIALS = 10 };
#define SUFFICIENT NB_REAL(2e-4)

static const struct nb_setting settings[] = {
    [DAMPING] = {.name = "damping", .value = 1e-8, .minimum = 0, .maximum = 1,
                 .meaning = "added to W, times its diagonal; at least a unit of roundoff"},
    [WATCHDOG] = {.name = "watchdog", .value = 10, .minimum = 0, .maximum = LONGEST_WATCH,
                  .whole = 1, .meaning = "iterations that the line search looks back"},
    [SETTINGS] = {.name = NULL},
};

struct fischer {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    struct NB(nb_block_lu) lu;
    double *direction;               /* [n]                                      */
    nb_real *residual, *start;       /* [n] F, and p where a search begins       */
    nb_real *by_impulse, *by_velocity; /* [9 blocks]                             */
    nb_real merit[LONGEST_WATCH + 1]; /* |F|^2 of the last iterations, in a ring */
    int iterations;
};

static void release(void *data)
{
    struct fischer *self = data;
    if (!self)
        return;
    NB(nb_dual_step_free)(&self->step);
    NB(nb_block_lu_free)(&self->lu);
    free(self->direction);
    free(self);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct fischer *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the conical Fischer-Newton method");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 1, 8, &self->residual, error);
    if (!status)
        status = NB(nb_block_lu_create)(&self->lu, self->step.op.matrix, error);
    if (!status) {
        const size_t n = self->step.rows;
        self->start = self->residual + n;
        self->by_impulse = self->start + n;
        self->by_velocity = self->by_impulse + 3 * n;
        self->direction = calloc(n + 1, sizeof *self->direction);
        if (!self->direction)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu rows", n);
    }
    if (status) {
        release(self);
        return status;
    }
    *out = self;
    return NB_OK;
}

static const char *restart(void *data)
{
    ((struct fischer *)data)->iterations = 0;
    return NULL;
}

static nb_real inverse(nb_real diagonal) { return diagonal > 0 ? 1 / diagonal : 1; }

/* F at p into residual; |F|^2. Derivatives where slopes is set. */
static nb_real evaluate(struct fischer *self, int slopes)
{
    struct NB(nb_dual_step) *step = &self->step;
    const nb_real *diagonal = step->op.diagonal;
    NB(nb_dual_step_velocity)(step, step->p, step->velocity);
    for (size_t i = 0; i < step->bilateral; ++i)
        self->residual[i] = step->velocity[i] * inverse(diagonal[i]);
    for (size_t i = step->bilateral; i < step->rows; i += 3)
        NB(nb_cone_fischer)(step->p + i, step->velocity + i,
                            step->model->friction[(i - step->bilateral) / 3],
                            inverse(diagonal[i]), self->residual + i,
                            slopes ? self->by_impulse + 3 * i : NULL,
                            slopes ? self->by_velocity + 3 * i : NULL);
    return (nb_real)NB(nb_dot)(step->rows, self->residual, self->residual, step->model->threads);
}

/* Block (i, j) of the Newton matrix: dF/dU W_ij, and on the diagonal dF/dR + damping dF/dU D. */
static void fill_block(struct fischer *self, int i, int k)
{
    const struct NB(nb_dual_step) *step = &self->step;
    const nb_matrix *w = step->op.matrix->value + 9 * (size_t)k;
    const nb_real *d = step->op.diagonal + 3 * (size_t)i;
    const nb_real damping = nb_max((nb_real)self->value[DAMPING], NB_REAL(NB_UNIT_ROUNDOFF));
    const int own = step->op.matrix->column[k] == i, bilateral = i < step->model->bilateral_blocks;
    nb_real block[9];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            const nb_real *left = self->by_velocity + 9 * (size_t)i + 3 * r;
            const nb_real scale = inverse(d[r]);
            nb_real sum = bilateral ? scale * (nb_real)w[3 * r + c]
                                    : left[0] * (nb_real)w[c] + left[1] * (nb_real)w[3 + c] +
                                          left[2] * (nb_real)w[6 + c];
            if (own && bilateral)
                sum += r == c ? scale * damping * d[r] : 0;
            else if (own)
                sum += self->by_impulse[9 * (size_t)i + (size_t)(3 * r + c)] +
                       damping * left[c] * d[c];
            block[3 * r + c] = sum;
        }
    NB(nb_block_lu_set)(&self->lu, k, block);
}

static const char *find_direction(struct fischer *self)
{
    const struct NB(nb_bsr) *matrix = self->step.op.matrix;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            fill_block(self, i, k);
    if (nb_sparse_lu_update(self->lu.lu, NULL))
        return "the Newton matrix is singular";
    for (size_t i = 0; i < self->step.rows; ++i)
        self->direction[i] = -(double)self->residual[i];
    nb_sparse_lu_solve(self->lu.lu, self->direction);
    return NULL;
}

static nb_real largest_merit(const struct fischer *self)
{
    const int length = (int)self->value[WATCHDOG] + 1;
    const int known = self->iterations + 1 < length ? self->iterations + 1 : length;
    nb_real most = 0;
    for (int k = 0; k < known; ++k)
        most = nb_max(most, self->merit[(self->iterations - k) % (LONGEST_WATCH + 1)]);
    return most;
}

static void search(struct fischer *self)
{
    struct NB(nb_dual_step) *step = &self->step;
    const nb_real reference = largest_merit(self);
    nb_real t = 1;
    memcpy(self->start, step->p, step->rows * sizeof *step->p);
    for (int k = 0; k < TRIALS; ++k, t /= 2) {
        for (size_t i = 0; i < step->rows; ++i)
            step->p[i] = self->start[i] + t * (nb_real)self->direction[i];
        if (evaluate(self, 0) <= (1 - SUFFICIENT * t) * reference)
            return;
    }
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct fischer *self = data;
    if (self->step.rows == 0)
        return NULL;
    self->merit[self->iterations % (LONGEST_WATCH + 1)] = evaluate(self, 1);
    const char *reason = find_direction(self);
    if (reason)
        return reason;
    search(self);
    self->iterations++;
    run->linear_iterations++;
    return NULL;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct fischer *self = data;
    const struct NB(nb_dual_method) method = {self, NB_FRICTION_CONE, 1, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_cone_fischer_newton) = {
    .name = "cone_fischer_newton",
    .title = "generalised Newton, conical Fischer-Burmeister",
    .source = "Fukushima, Luo and Tseng 2002",
    .self_contained = 1,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
