/* Generalised Newton on the Fischer-Burmeister function of the second-order cone
 * (solvers/contact/soc_fischer_burmeister.h):
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
#include "solvers/contact/soc_fischer_burmeister.h"
#include "solvers/outer/dual/dual.h"

enum { DAMPING, WATCHDOG, SETTINGS };
enum { RESIDUAL, START, VECTORS }; /* [n] F, and p where a search begins */
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
    struct nb_block_lu lu;
    double *direction;               /* [n]                                      */
    nb_real *by_impulse, *by_velocity; /* [9 blocks]                             */
    nb_real merit[LONGEST_WATCH + 1]; /* |F|^2 of the last iterations, in a ring */
    int iterations;
};

static void release(void *state)
{
    struct fischer *self = state;
    nb_block_lu_free(&self->lu);
    free(self->direction);
    free(self->by_impulse);
}

static enum nb_status setup_state(struct nb_dual *dual, struct nb_error *error)
{
    struct fischer *self = dual->state;
    const size_t n = dual->step.size;
    self->direction = calloc(n + 1, sizeof *self->direction);
    self->by_impulse = calloc(6 * n + 1, sizeof *self->by_impulse);
    if (!self->direction || !self->by_impulse)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu rows", n);
    self->by_velocity = self->by_impulse + 3 * n;
    return nb_block_lu_create(&self->lu, dual->step.op.matrix, error);
}

static const char *restart(struct nb_dual *dual)
{
    struct fischer *self = dual->state;
    self->iterations = 0;
    return NULL;
}

static nb_real inverse(nb_real diagonal) { return diagonal > 0 ? 1 / diagonal : 1; }

/* F at p into residual; |F|^2. Derivatives where slopes is set. */
static nb_real evaluate(struct nb_dual *dual, int slopes)
{
    struct fischer *self = dual->state;
    const struct nb_step_rows *step = &dual->step;
    nb_real *residual = dual->vector[RESIDUAL];
    const nb_real *diagonal = step->op.diagonal;
    nb_dual_velocity(dual, dual->p, dual->velocity);
    for (size_t i = 0; i < step->bilateral; ++i)
        residual[i] = dual->velocity[i] * inverse(diagonal[i]);
    for (size_t i = step->bilateral; i < step->size; i += 3)
        nb_soc_fischer_burmeister(dual->p + i, dual->velocity + i, nb_dual_friction(dual, i),
                                  inverse(diagonal[i]), residual + i,
                                  slopes ? self->by_impulse + 3 * i : NULL,
                                  slopes ? self->by_velocity + 3 * i : NULL);
    return (nb_real)nb_dot(step->size, residual, residual, step->model->threads);
}

/* Block (i, j) of the Newton matrix: dF/dU W_ij, and on the diagonal dF/dR + damping dF/dU D. */
static void fill_block(struct nb_dual *dual, int i, int k)
{
    struct fischer *self = dual->state;
    const struct nb_step_rows *step = &dual->step;
    const nb_matrix *w = step->op.matrix->value + 9 * (size_t)k;
    const nb_real *d = step->op.diagonal + 3 * (size_t)i;
    const nb_real damping = nb_max((nb_real)dual->value[DAMPING], NB_REAL(NB_UNIT_ROUNDOFF));
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
    nb_block_lu_set(&self->lu, k, block);
}

static const char *find_direction(struct nb_dual *dual)
{
    struct fischer *self = dual->state;
    const struct nb_bsr *matrix = dual->step.op.matrix;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            fill_block(dual, i, k);
    if (nb_sparse_lu_update(self->lu.lu, NULL))
        return "the Newton matrix is singular";
    for (size_t i = 0; i < dual->step.size; ++i)
        self->direction[i] = -(double)dual->vector[RESIDUAL][i];
    nb_sparse_lu_solve(self->lu.lu, self->direction);
    return NULL;
}

static nb_real largest_merit(const struct nb_dual *dual)
{
    const struct fischer *self = dual->state;
    const int length = (int)dual->value[WATCHDOG] + 1;
    const int known = self->iterations + 1 < length ? self->iterations + 1 : length;
    nb_real most = 0;
    for (int k = 0; k < known; ++k)
        most = nb_max(most, self->merit[(self->iterations - k) % (LONGEST_WATCH + 1)]);
    return most;
}

static void search(struct nb_dual *dual)
{
    const struct fischer *self = dual->state;
    const size_t n = dual->step.size;
    const nb_real reference = largest_merit(dual);
    nb_real t = 1, *start = dual->vector[START];
    memcpy(start, dual->p, n * sizeof *start);
    for (int k = 0; k < TRIALS; ++k, t /= 2) {
        for (size_t i = 0; i < n; ++i)
            dual->p[i] = start[i] + t * (nb_real)self->direction[i];
        if (evaluate(dual, 0) <= (1 - SUFFICIENT * t) * reference)
            return;
    }
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct fischer *self = dual->state;
    if (dual->step.size == 0)
        return NULL;
    self->merit[self->iterations % (LONGEST_WATCH + 1)] = evaluate(dual, 1);
    const char *reason = find_direction(dual);
    if (reason)
        return reason;
    search(dual);
    self->iterations++;
    run->linear_iterations++;
    return NULL;
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct fischer),
                                             .vectors = VECTORS,
                                             .newton = 1,
                                             .setup = setup_state,
                                             .free = release,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_cone_fischer_newton) = {
    .name = "cone_fischer_newton",
    .title = "generalised Newton, conical Fischer-Burmeister",
    .source = "Fukushima, Luo and Tseng 2002",
    .self_contained = 1,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
