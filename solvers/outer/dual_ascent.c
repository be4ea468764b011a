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
 * Macklin et al. 2020, Primal/Dual Descent Methods for Dynamics; in Macklin's thesis chapter 5, equations 119 to 125
 * and algorithm 3. There u follows from p, equation 124, which leaves the momentum balanced at the end, or, as XPBD and
 * the algorithm have it, motion=fast_projection, each iteration adds
 *
 *     u <- u + H^-1 J^T (p_k+1 - p_k)
 *
 * with the J of its own time (Goldenthal et al. 2007): on a nonlinear step the momentum is balanced only as far as J
 * has not turned. */
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/contact/coulomb.h"
#include "solvers/outer/dual/acceleration.h"
#include "solvers/outer/dual/dual.h"

enum { ALPHA, STIFFNESS, MOTION, MOMENTUM, RADIUS, SETTINGS };
enum { Y, DIAGONAL, BEFORE, VECTORS }; /* [n] extrapolated iterate, D, the acceleration's */

static const struct nb_setting settings[] = {
    [ALPHA] = {.name = "alpha", .value = 1, .minimum = 0, .maximum = 2, .above_minimum = 1,
               .meaning = "step length"},
    [STIFFNESS] = {.name = "k_n", .value = 0, .minimum = 0, .maximum = INFINITY,
                   .meaning = "stiffness of contacts [N/m]; 0: rigid"},
    [MOTION] = {.name = "motion", .value = 0, .choices = "response,fast_projection",
                .meaning = "that of all impulses, or each iteration's added to the last"},
    [MOMENTUM] = NB_MOMENTUM_SETTING,
    [RADIUS] = NB_RADIUS_SETTING,
    [SETTINGS] = {.name = NULL},
};

struct ascent {
    struct nb_acceleration acceleration;
    nb_real softness; /* 1/(h^2 k) of normals [1/kg] */
    int *sharers;     /* [nodes] n_b                 */
};

static void release(void *state)
{
    free(((struct ascent *)state)->sharers);
}

/* n_b of a node: its contacts, and its bilateral rows. */
static int count_sharers(const struct nb_model *model, int node)
{
    int count = 0;
    for (int k = model->node_start[node]; k < model->node_start[node + 1]; ++k)
        count += model->block_row[model->node_block[k]] < model->bilateral_blocks ? 3 : 1;
    return count;
}

static enum nb_status setup_state(struct nb_dual *dual, struct nb_error *error)
{
    struct ascent *self = dual->state;
    const struct nb_model *model = dual->step.model;
    const double h = (double)model->time_step, k = dual->value[STIFFNESS];
    self->sharers = malloc(((size_t)model->nodes + 1) * sizeof *self->sharers);
    if (!self->sharers)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for dual ascent");
    for (int node = 0; node < model->nodes; ++node)
        self->sharers[node] = count_sharers(model, node);
    self->acceleration.before = dual->vector[BEFORE];
    self->acceleration.kind = (enum nb_momentum_kind)dual->value[MOMENTUM];
    self->acceleration.radius = (nb_real)dual->value[RADIUS];
    if (k > 0)
        self->softness = (nb_real)(1 / (h * h * k));
    if (dual->value[MOTION] > 0 && dual->value[MOMENTUM] > 0)
        return nb_fail(error, NB_BAD_INPUT, "dual_ascent: motion=fast_projection takes momentum=none only");
    dual->keeps_motion = dual->value[MOTION] > 0 && !model->constant; /* where J is constant both are the same */
    return NB_OK;
}

/* Row r of block row i: the sum over its nodes of n_b j^T H_b^-1 j. */
static nb_real split_row(const struct nb_dual *dual, int i, int r)
{
    const struct ascent *self = dual->state;
    const struct nb_model *model = dual->step.model;
    const struct nb_bsr *jacobian = &model->jacobian;
    nb_real sum = 0;
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        const int node = jacobian->column[k];
        const nb_matrix *row = jacobian->value + 9 * (size_t)k + 3 * r;
        const nb_real j[3] = {(nb_real)row[0], (nb_real)row[1], (nb_real)row[2]};
        nb_real v[3];
        nb_block_apply(model->inverse_mass + 9 * (size_t)node, j, v);
        sum += (nb_real)self->sharers[node] * (j[0] * v[0] + j[1] * v[1] + j[2] * v[2]);
    }
    return sum;
}

/* At least the row sum of |E/h^2|, so that its diagonal exceeds it. */
static nb_real bilateral_softness(const struct nb_model *model, size_t i)
{
    const nb_real *row = model->bilateral_compliance + 3 * i;
    return nb_abs(row[0]) + nb_abs(row[1]) + nb_abs(row[2]);
}

static void split_diagonal(struct nb_dual *dual)
{
    const struct ascent *self = dual->state;
    const struct nb_model *model = dual->step.model;
    nb_real *diagonal = dual->vector[DIAGONAL];
    const int blocks = model->inertia_kind == NB_INERTIA_BLOCKS;
    if (!blocks)
        nb_model_diagonal(model, diagonal);
    for (size_t i = 0; i < dual->step.size; ++i) {
        const int row = (int)(i / 3);
        if (blocks)
            diagonal[i] = split_row(dual, row, (int)(i % 3));
        else
            diagonal[i] *= (nb_real)(model->delassus.start[row + 1] - model->delassus.start[row]);
        if (i < dual->step.bilateral)
            diagonal[i] += bilateral_softness(model, i);
        else if (i % 3 == 0)
            diagonal[i] += self->softness;
        diagonal[i] = diagonal[i] > 0 ? diagonal[i] : 1;
    }
    for (size_t i = dual->step.bilateral; i < dual->step.size; i += 3)
        diagonal[i + 1] = diagonal[i + 2] = nb_max(diagonal[i + 1], diagonal[i + 2]);
}

static const char *restart(struct nb_dual *dual)
{
    struct ascent *self = dual->state;
    memset(dual->vector[Y], 0, dual->step.size * sizeof(nb_real));
    nb_acceleration_restart(&self->acceleration, dual->step.size, dual->vector[Y]);
    split_diagonal(dual);
    return NULL;
}

/* U(u(y)) + C y */
static void evaluate(struct nb_dual *dual, const nb_real *y)
{
    const struct ascent *self = dual->state;
    struct nb_step_rows *step = &dual->step;
    if (!dual->keeps_motion)
        nb_model_respond(step->model, y, step->momentum, step->defect, step->u);
    nb_model_evaluate(step->model, step->u);
    if (!step->model->constant)
        split_diagonal(dual);
    memcpy(dual->velocity, step->model->violation, step->size * sizeof *dual->velocity);
    nb_model_add_compliance(step->model, y, dual->velocity);
    for (size_t i = step->bilateral; i < step->size; i += 3)
        dual->velocity[i] += self->softness * y[i];
}

/* u += H^-1 J^T (p - before), with the present J. */
static void add_motion(struct nb_dual *dual, const nb_real *before)
{
    struct nb_step_rows *step = &dual->step;
    for (size_t i = 0; i < step->size; ++i)
        dual->velocity[i] = dual->p[i] - before[i];
    nb_model_response(step->model, dual->velocity, step->momentum, dual->moved);
    for (size_t i = 0; i < 3 * (size_t)step->model->nodes; ++i)
        step->u[i] += dual->moved[i];
}

static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct ascent *self = dual->state;
    const nb_real alpha = (nb_real)dual->value[ALPHA], *diagonal = dual->vector[DIAGONAL];
    nb_real *y = dual->vector[Y], *p = dual->p;
    evaluate(dual, y);
    for (size_t i = 0; i < dual->step.size; ++i)
        p[i] = y[i] - alpha * dual->velocity[i] / diagonal[i];
    for (size_t i = dual->step.bilateral; i < dual->step.size; i += 3) {
        p[i] = nb_max(0, p[i]);
        nb_project_disc(p + i + 1, nb_dual_friction(dual, i) * p[i]);
    }
    if (dual->keeps_motion)
        add_motion(dual, y);
    nb_extrapolate(&self->acceleration, dual->step.size, p, y);
    run->linear_iterations++;
    return NULL;
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct ascent),
                                             .vectors = VECTORS,
                                             .matrix_free = 1,
                                             .setup = setup_state,
                                             .free = release,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

/* A stiffness is [N/m]. */
static int own_units(const struct nb_options *options)
{
    double value[SETTINGS];
    return !nb_settings_read(settings, options->solver, value, NULL) && value[STIFFNESS] > 0;
}

const struct nb_solver_strategy NB(nb_solver_dual_ascent) = {
    .name = "dual_ascent",
    .title = "dual ascent: Jacobi XPBD with mass splitting",
    .source = "Macklin et al. 2020, Primal/Dual Descent Methods for Dynamics",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .own_units = own_units,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
