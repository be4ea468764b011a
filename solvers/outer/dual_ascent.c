/* Dual ascent with a diagonal preconditioner and mass splitting: Jacobi XPBD on the impulses p,
 *
 *     p <- Pi(p - alpha D^-1 (U(u) + C p)),   u = u~ + H^-1 J^T p,
 *
 * with U = c_b/h, C_n/h, D^T u evaluated at u in every iteration, J too, and C the compliance E/h^2 of
 * bilateral rows and 1/(h^2 k) of normals (k = 0: rigid). Pi keeps R_n >= 0 and |R_T| <= mu R_n. The
 * fixed points are the solutions of Signorini's condition with Coulomb's law, softened by k.
 *
 * D_i = sum_b n_b J_ib H_b^-1 J_ib^T + C_i: each of the n_b contacts and bilateral rows that meet body b
 * moves a part of its mass (Tonge et al. 2012), so that the step holds for any number of them; where
 * only W is known, the blocks of its row i count. One value serves both tangents.
 *
 * Macklin et al. 2020, Primal/Dual Descent Methods for Dynamics; in Macklin's thesis chapter 5,
 * equations 119 to 125 and algorithm 3. Its Fast Projection adds the motion of each
 * iteration with the Jacobian of that time; here u follows from p, equation 124, which leaves the
 * momentum balanced at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/contact/coulomb.h"
#include "solvers/outer/dual/dual_step.h"
#include "solvers/outer/dual/momentum.h"

enum { ALPHA, STIFFNESS, MOMENTUM, RADIUS, SETTINGS };

static const struct nb_setting settings[] = {
    [ALPHA] = {.name = "alpha", .value = 1, .minimum = 0, .maximum = 2, .above_minimum = 1,
               .meaning = "step length"},
    [STIFFNESS] = {.name = "k_n", .value = 0, .minimum = 0, .maximum = INFINITY,
                   .meaning = "stiffness of contacts [N/m]; 0: rigid"},
    [MOMENTUM] = NB_MOMENTUM_SETTING,
    [RADIUS] = NB_RADIUS_SETTING,
    [SETTINGS] = {.name = NULL},
};

struct ascent {
    struct NB(nb_dual_step) step;
    double value[SETTINGS];
    struct NB(nb_momentum) momentum;
    nb_real *y, *diagonal; /* [n] extrapolated iterate, D       */
    nb_real softness;      /* 1/(h^2 k) of normals [1/kg]       */
    int *sharers;          /* [nodes] n_b                       */
};

static void release(void *data)
{
    struct ascent *self = data;
    if (self) {
        NB(nb_dual_step_free)(&self->step);
        free(self->sharers);
    }
    free(self);
}

/* n_b of a node: its contacts, and its bilateral rows. */
static int count_sharers(const struct NB(nb_model) *model, int node)
{
    int count = 0;
    for (int k = model->node_start[node]; k < model->node_start[node + 1]; ++k)
        count += model->block_row[model->node_block[k]] < model->bilateral_blocks ? 3 : 1;
    return count;
}

static enum nb_status setup(void **out, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    struct ascent *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for dual ascent");
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    self->sharers = malloc(((size_t)model->nodes + 1) * sizeof *self->sharers);
    if (!status && !self->sharers)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for dual ascent");
    if (!status)
        status = NB(nb_dual_step_create)(&self->step, model, options, 0, 3, &self->y, error);
    if (status) {
        release(self);
        return status;
    }
    for (int node = 0; node < model->nodes; ++node)
        self->sharers[node] = count_sharers(model, node);
    self->diagonal = self->y + self->step.rows;
    self->momentum.before = self->diagonal + self->step.rows;
    self->momentum.kind = (enum nb_momentum_kind)self->value[MOMENTUM];
    self->momentum.radius = (nb_real)self->value[RADIUS];
    const double h = (double)model->time_step, k = self->value[STIFFNESS];
    if (k > 0)
        self->softness = (nb_real)(1 / (h * h * k));
    *out = self;
    return NB_OK;
}

/* Row r of block row i: the sum over its nodes of n_b j^T H_b^-1 j. */
static nb_real split_row(const struct ascent *self, int i, int r)
{
    const struct NB(nb_model) *model = self->step.model;
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    nb_real sum = 0;
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        const int node = jacobian->column[k];
        const nb_matrix *row = jacobian->value + 9 * (size_t)k + 3 * r;
        const nb_real j[3] = {(nb_real)row[0], (nb_real)row[1], (nb_real)row[2]};
        nb_real v[3];
        NB(nb_block_apply)(model->inverse_mass + 9 * (size_t)node, j, v);
        sum += (nb_real)self->sharers[node] * (j[0] * v[0] + j[1] * v[1] + j[2] * v[2]);
    }
    return sum;
}

/* At least the row sum of |E/h^2|, so that its diagonal exceeds it. */
static nb_real bilateral_softness(const struct NB(nb_model) *model, size_t i)
{
    const nb_real *row = model->bilateral_compliance + 3 * i;
    return nb_abs(row[0]) + nb_abs(row[1]) + nb_abs(row[2]);
}

static void split_diagonal(struct ascent *self)
{
    const struct NB(nb_model) *model = self->step.model;
    nb_real *diagonal = self->diagonal;
    const int blocks = model->inertia_kind == NB_INERTIA_BLOCKS;
    if (!blocks)
        NB(nb_model_diagonal)(model, diagonal);
    for (size_t i = 0; i < self->step.rows; ++i) {
        const int row = (int)(i / 3);
        if (blocks)
            diagonal[i] = split_row(self, row, (int)(i % 3));
        else
            diagonal[i] *= (nb_real)(model->delassus.start[row + 1] - model->delassus.start[row]);
        if (i < self->step.bilateral)
            diagonal[i] += bilateral_softness(model, i);
        else if (i % 3 == 0)
            diagonal[i] += self->softness;
        diagonal[i] = diagonal[i] > 0 ? diagonal[i] : 1;
    }
    for (size_t i = self->step.bilateral; i < self->step.rows; i += 3)
        diagonal[i + 1] = diagonal[i + 2] = nb_max(diagonal[i + 1], diagonal[i + 2]);
}

static const char *restart(void *data)
{
    struct ascent *self = data;
    memset(self->y, 0, self->step.rows * sizeof *self->y);
    NB(nb_momentum_restart)(&self->momentum, self->step.rows, self->y);
    split_diagonal(self);
    return NULL;
}

static const char *iterate(void *data, struct nb_run *run)
{
    struct ascent *self = data;
    struct NB(nb_dual_step) *step = &self->step;
    struct NB(nb_model) *model = step->model;
    const nb_real alpha = (nb_real)self->value[ALPHA];
    NB(nb_model_respond)(model, self->y, step->momentum, step->defect, step->u);
    NB(nb_model_evaluate)(model, step->u);
    if (!model->constant)
        split_diagonal(self);
    memcpy(step->velocity, model->violation, step->rows * sizeof *step->velocity);
    NB(nb_model_add_compliance)(model, self->y, step->velocity);
    for (size_t i = step->bilateral; i < step->rows; i += 3)
        step->velocity[i] += self->softness * self->y[i];
    for (size_t i = 0; i < step->rows; ++i)
        step->p[i] = self->y[i] - alpha * step->velocity[i] / self->diagonal[i];
    for (size_t i = step->bilateral; i < step->rows; i += 3) {
        const nb_real mu = model->friction[(i - step->bilateral) / 3];
        step->p[i] = nb_max(0, step->p[i]);
        NB(nb_project_disc)(step->p + i + 1, mu * step->p[i]);
    }
    NB(nb_momentum_extrapolate)(&self->momentum, step->rows, step->p, self->y);
    run->linear_iterations++;
    return NULL;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) *task,
                          struct nb_error *error)
{
    struct ascent *self = data;
    const struct NB(nb_dual_method) method = {self, NB_FRICTION_CONE, 0, restart, iterate};
    (void)error;
    return NB(nb_dual_step_run)(&self->step, &method, task);
}

const struct NB(nb_solver_strategy) NB(nb_solver_dual_ascent) = {
    .name = "dual_ascent",
    .title = "dual ascent: Jacobi XPBD with mass splitting",
    .source = "Macklin et al. 2020, Primal/Dual Descent Methods for Dynamics",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .setup = setup,
    .run = run,
    .free = release,
};
