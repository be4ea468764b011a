/* One Newton iteration's system (Macklin et al. 2019, 53 to 60): bilateral rows, normal rows by the NCP function and
 * friction rows by its compliance are linearised at (u, lambda); the operator takes row scaling L and compliance C,
 * the right-hand side is b = L J H^-1 g - h, and after the linear solve  du = H^-1 J^T L (h dlambda) - H^-1 g. */
#include "solvers/model/newton_system.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"

/* In the true form the normal row is divided by alpha, which may vanish (docs/theory/design.md, section 1). */
#define LEAST_ALPHA NB_REAL(1e-10)

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_newton *newton = data;
    const struct nb_model *model = newton->model;
    nb_real **rows[] = {&newton->row_scale, &newton->diagonal, &newton->constraint,
                        &newton->right_side, &newton->impulse};
    nb_real **velocities[] = {&newton->defect, &newton->step, &newton->momentum};
    NB_ARRAY(arena, newton->op.diagonal, 3 * (size_t)(model->blocks > model->nodes ? model->blocks : model->nodes));
    nb_real **per_contact[] = {&newton->r_normal, &newton->r_friction, &newton->gap,
                               &newton->force, &newton->phi, &newton->alpha, &newton->beta,
                               &newton->slip, &newton->tangential, &newton->limit,
                               &newton->r_active, &newton->compliance, &newton->held};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        NB_ARRAY(arena, *rows[i], 3 * model->blocks);
    for (size_t i = 0; i < sizeof velocities / sizeof *velocities; ++i)
        NB_ARRAY(arena, *velocities[i], 3 * model->nodes);
    for (size_t i = 0; i < sizeof per_contact / sizeof *per_contact; ++i)
        NB_ARRAY(arena, *per_contact[i], model->contacts);
    NB_ARRAY(arena, newton->active, model->contacts);
}

static enum nb_status find_strategies(struct nb_newton *newton, const struct nb_options *options,
                                      const struct nb_scaling **scaling,
                                      struct nb_error *error)
{
    newton->ncp = nb_find_ncp(options->ncp);
    newton->op.strategy = nb_find_operator(options->operator_form);
    *scaling = nb_find_scaling(options->scaling);
    if (!newton->ncp || !newton->op.strategy || !*scaling)
        return nb_fail(error, NB_BAD_INPUT, "an unknown strategy was asked for");
    return NB_OK;
}

/* The shift is relative to the mean diagonal of J M^-1 J^T, so that it means the same in any units:
 * an absolute 1e-6 is negligible for bodies of a kilogram and swamps a problem of tonnes. Unless
 * turned off it is at least 16 units of the precision, about the 1e-6 that the paper uses in single:
 * less would vanish in the diagonal's own rounding. A method may ask for the paper's own, absolute one. */
static nb_real shift_of(const struct nb_newton *newton, double shift, const nb_real *diagonal)
{
    const double least = 16 * (double)NB_UNIT_ROUNDOFF;
    const struct nb_model *model = newton->model;
    const int rows = model->bilaterals + 3 * model->contacts;
    nb_real sum = 0;
    if (model->absolute_shift)
        return (nb_real)shift;
    for (int i = 0; i < 3 * model->blocks; ++i)
        sum += diagonal[i]; /* padding rows have none */
    if (rows == 0 || shift == 0)
        return 0;
    return (nb_real)(shift > least ? shift : least) * sum / (nb_real)rows;
}

/* r is fixed over the step: it defines the function whose root is sought. */
static enum nb_status compute_scaling(struct nb_newton *newton, const struct nb_scaling *scaling, double shift,
                                      struct nb_error *error)
{
    const struct nb_model *model = newton->model;
    nb_real *diagonal = newton->right_side + 3 * (size_t)model->bilateral_blocks;
    enum nb_status status = NB_OK;
    memset(newton->step, 0, 3 * (size_t)model->nodes * sizeof *newton->step);
    nb_model_evaluate(newton->model, newton->step);
    nb_model_diagonal(model, newton->right_side);
    newton->shift = shift_of(newton, shift, newton->right_side);
    if (scaling->refine)
        status = scaling->refine(model->problem, diagonal, error);
    const struct nb_scaling_input input = {(size_t)model->contacts, model->time_step, diagonal};
    if (!status)
        scaling->compute(&input, newton->r_normal, newton->r_friction);
    return status;
}

static enum nb_status setup_strategies(struct nb_newton *newton,
                                       const struct nb_options *options, struct nb_error *error)
{
    struct nb_operator *op = &newton->op;
    op->model = newton->model;
    op->size = 3 * (size_t)newton->model->blocks;
    op->threads = options->threads;
    const enum nb_status status = op->strategy->setup(op, newton->model, error);
    return status ? status : nb_linear_solver_create(&newton->linear, op, options, error);
}

enum nb_status nb_newton_create(struct nb_newton **out, struct nb_model *model,
                                const struct nb_options *options, struct nb_error *error)
{
    const struct nb_scaling *scaling = NULL;
    struct nb_newton *newton = calloc(1, sizeof *newton);
    *out = NULL;
    if (!newton)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton system");
    newton->model = model;
    newton->true_form = strcmp(options->newton_form, "true") == 0;
    enum nb_status status = find_strategies(newton, options, &scaling, error);
    if (!status && !(newton->memory = nb_arena_allocate(lay_out, newton)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton system");
    if (!status)
        status = compute_scaling(newton, scaling, options->shift, error);
    if (!status)
        status = setup_strategies(newton, options, error);
    if (status) {
        nb_newton_free(newton);
        return status;
    }
    *out = newton;
    return NB_OK;
}

void nb_newton_free(struct nb_newton *newton)
{
    if (!newton)
        return;
    nb_linear_solver_free(newton->linear);
    if (newton->op.strategy)
        newton->op.strategy->free(&newton->op);
    nb_geometric_free(newton->geometric);
    free(newton->memory);
    free(newton);
}

/* Bilateral rows: c/h + E/h^2 (h lambda). Padding rows are inert. The diagonal of C goes with the
 * contacts'; what couples three bilateral rows, the operators take from the model. */
static void linearise_bilateral(struct nb_newton *newton, const nb_real *lambda)
{
    const struct nb_model *model = newton->model;
    for (size_t i = 0; i < 3 * (size_t)model->bilateral_blocks; ++i) {
        const nb_real *block = model->bilateral_compliance + 9 * (i / 3);
        newton->row_scale[i] = 1;
        newton->diagonal[i] = block[4 * (i % 3)] + newton->shift;
        newton->constraint[i] = model->violation[i];
        newton->impulse[i] = model->time_step * lambda[i];
    }
    nb_model_add_compliance(model, newton->impulse, newton->constraint);
}

/* h_n = phi(C_n, r lambda_n)/h, C = S/h^2 with S = r dphi/db, L = dphi/da (44), (54). */
static void linearise_normal(struct nb_newton *newton, const nb_real *lambda)
{
    const struct nb_model *model = newton->model;
    const int first = 3 * model->bilateral_blocks;
    const nb_real h = model->time_step;
    for (int i = 0; i < model->contacts; ++i) {
        const int row = first + 3 * i;
        newton->gap[i] = h * model->violation[row];
        newton->force[i] = newton->r_normal[i] * lambda[row];
    }
    newton->ncp->normal((size_t)model->contacts, newton->gap, newton->force, newton->phi,
                        newton->alpha, newton->beta);
    for (int i = 0; i < model->contacts; ++i) {
        const int row = first + 3 * i;
        const nb_real divisor = newton->true_form ? nb_max(newton->alpha[i], LEAST_ALPHA) : 1;
        newton->row_scale[row] = newton->true_form ? 1 : newton->alpha[i];
        newton->diagonal[row] = newton->r_normal[i] * newton->beta[i] / (h * h * divisor) +
                                newton->shift;
        newton->constraint[row] = newton->phi[i] / (h * divisor);
    }
}

/* Contacts in the cone's half space are gathered, so that the NCP function sees only those. */
static size_t gather_active(struct nb_newton *newton, const nb_real *lambda)
{
    const struct nb_model *model = newton->model;
    size_t count = 0;
    for (int i = 0; i < model->contacts; ++i) {
        const int row = 3 * (model->bilateral_blocks + i);
        const nb_real limit = model->friction[i] * lambda[row];
        const nb_real *u = model->violation + row, *f = lambda + row;
        if (!(limit > 0))
            continue;
        newton->active[count] = i;
        newton->limit[count] = limit;
        newton->slip[count] = nb_sqrt(u[1] * u[1] + u[2] * u[2]);
        newton->tangential[count] = nb_sqrt(f[1] * f[1] + f[2] * f[2]);
        newton->r_active[count++] = newton->r_friction[i];
    }
    return count;
}

/* Gamma of every contact into held. */
static void find_friction(struct nb_newton *newton, const nb_real *lambda)
{
    const size_t count = gather_active(newton, lambda);
    newton->ncp->friction(count, newton->slip, newton->tangential, newton->limit,
                          newton->r_active, newton->compliance);
    for (int i = 0; i < newton->model->contacts; ++i)
        newton->held[i] = -1;
    for (size_t k = 0; k < count; ++k)
        newton->held[newton->active[k]] = newton->compliance[k];
}

/* h_f = D^T u + Gamma lambda_f with C = Gamma/h. Where mu lambda_n <= 0 the rows are zeroed and Gamma = 1, which
 * returns lambda_f to zero. */
static void linearise_friction(struct nb_newton *newton, const nb_real *lambda)
{
    const struct nb_model *model = newton->model;
    const nb_real h = model->time_step;
    if (!newton->hold_friction)
        find_friction(newton, lambda);
    for (int i = 0; i < model->contacts; ++i) {
        const int active = newton->held[i] >= 0;
        const nb_real w = active ? newton->held[i] : 1;
        for (int row = 3 * (model->bilateral_blocks + i) + 1, r = 0; r < 2; ++r, ++row) {
            newton->row_scale[row] = (nb_real)active;
            newton->diagonal[row] = w / h + newton->shift;
            newton->constraint[row] = (active ? model->violation[row] : 0) + w * lambda[row];
        }
    }
}

/* defect = H^-1 g with g = M (u - u~) - J^T L h lambda (57); right_side = L J defect - h (59). */
static void form_right_side(struct nb_newton *newton, const nb_real *u, const nb_real *lambda)
{
    const struct nb_model *model = newton->model;
    const size_t n = nb_newton_rows(newton);
    for (size_t i = 0; i < n; ++i)
        newton->impulse[i] = newton->row_scale[i] * model->time_step * lambda[i];
    nb_model_defect(model, u, newton->impulse, newton->momentum, newton->defect);
    nb_bsr_multiply(&model->jacobian, newton->defect, newton->right_side, model->threads);
    for (size_t i = 0; i < n; ++i)
        newton->right_side[i] = newton->row_scale[i] * newton->right_side[i] -
                                newton->constraint[i];
}

void nb_newton_evaluate(struct nb_newton *newton, const nb_real *u, const nb_real *lambda)
{
    if (newton->geometric)
        nb_geometric_look_back(newton->geometric, lambda);
    nb_model_evaluate(newton->model, u);
    if (newton->geometric)
        nb_geometric_update(newton->geometric, u);
    linearise_bilateral(newton, lambda);
    linearise_normal(newton, lambda);
    linearise_friction(newton, lambda);
    form_right_side(newton, u, lambda);
}

nb_real nb_newton_merit(const struct nb_newton *newton)
{
    const struct nb_model *model = newton->model;
    const size_t nodes = 3 * (size_t)model->nodes;
    nb_sum sum = nb_dot(nodes, newton->defect, newton->defect, model->threads);
    for (size_t i = 0; i < nb_newton_rows(newton); ++i) {
        const size_t contact = i / 3 - (size_t)model->bilateral_blocks;
        const int normal = i % 3 == 0 && i >= 3 * (size_t)model->bilateral_blocks;
        const nb_real h = normal ? newton->phi[contact] / model->time_step : newton->constraint[i];
        sum += (nb_sum)h * (nb_sum)h;
    }
    return (nb_real)sum;
}

enum nb_status nb_newton_linearise(struct nb_newton *newton, const nb_real *u,
                                   const nb_real *lambda, int prepare,
                                   struct nb_error *error)
{
    nb_newton_evaluate(newton, u, lambda);
    newton->op.direct = prepare ? nb_linear_solver_product(newton->linear) : NULL;
    newton->op.strategy->update(&newton->op, newton->row_scale, newton->diagonal);
    return prepare ? nb_linear_solver_update(newton->linear, error) : NB_OK;
}

/* By the velocities H^-1 J^T L (h dlambda), to which the defect is added; impulses follow from these. */
static struct nb_linear_report solve_condensed(struct nb_newton *newton, int iterations, struct nb_run *run)
{
    const struct nb_operator_strategy *strategy = newton->op.strategy;
    strategy->condense(&newton->op, newton->right_side, newton->momentum);
    const struct nb_linear_solver_task task = {
        .b = newton->momentum,
        .x = newton->step,
        .iterations = iterations,
        .run = run,
    };
    const struct nb_linear_report report = nb_linear_solver_solve(newton->linear, &task);
    strategy->recover(&newton->op, newton->step, newton->right_side, newton->impulse);
    for (size_t i = 0; i < 3 * (size_t)newton->model->nodes; ++i)
        newton->step[i] -= newton->defect[i];
    return report;
}

struct nb_linear_report nb_newton_solve(struct nb_newton *newton, int iterations, struct nb_run *run)
{
    const struct nb_model *model = newton->model;
    const size_t n = nb_newton_rows(newton), nodes = 3 * (size_t)model->nodes;
    if (newton->op.strategy->condense)
        return solve_condensed(newton, iterations, run);
    const struct nb_linear_solver_task task = {
        .b = newton->right_side,
        .x = newton->impulse,
        .iterations = iterations,
        .run = run,
    };
    const struct nb_linear_report report = nb_linear_solver_solve(newton->linear, &task);
    /* The right-hand side has done its work: it now holds L impulse. */
    for (size_t i = 0; i < n; ++i)
        newton->right_side[i] = newton->row_scale[i] * newton->impulse[i];
    nb_model_response(model, newton->right_side, newton->momentum, newton->step);
    for (size_t i = 0; i < nodes; ++i)
        newton->step[i] -= newton->defect[i];
    return report;
}
