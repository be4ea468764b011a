/* One Newton system of a method at (u, lambda), in double: M, L J, C, the constraints, the right-hand side and the
 * assembled Schur matrix, with the padding of velocities left out. */
#include "solvers/model/system_export.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/model/newton_system.h"

/* The scalar entries of a block matrix, rows scaled by scale (NULL: ones), columns below `columns`
 * (padding is dropped). */
static enum nb_status to_csr(const struct nb_bsr *matrix, const nb_real *scale, int columns,
                             struct nb_csr *out, struct nb_error *error)
{
    const int blocks = matrix->start[matrix->rows];
    const enum nb_status status = nb_csr_allocate(out, 3 * matrix->rows, columns, 9 * blocks, error);
    if (status)
        return status;
    int at = 0;
    for (int row = 0; row < 3 * matrix->rows; ++row) {
        const int i = row / 3, r = row % 3;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (int c = 0; c < 3 && 3 * matrix->column[k] + c < columns; ++c) {
                const int column = 3 * matrix->column[k] + c;
                const double value = (double)matrix->value[9 * (size_t)k + (size_t)(3 * r + c)];
                out->column[at] = column;
                out->value[at++] = (scale ? (double)scale[row] : 1) * value;
            }
        out->start[row + 1] = at;
    }
    return NB_OK;
}

static double *widen(const nb_real *values, int count, double less)
{
    double *out = malloc(((size_t)count + 1) * sizeof *out);
    for (int i = 0; out && i < count; ++i)
        out[i] = (double)values[i] - less;
    return out;
}

static enum nb_status copy_mass(const struct nb_problem *problem, struct nb_csr *mass,
                                struct nb_error *error)
{
    struct nb_problem linear;
    if (problem->form == NB_NONLINEAR)
        return nb_problem_mass(problem, mass, error);
    const enum nb_status status = nb_problem_copy(problem, &linear, error);
    if (status)
        return status;
    *mass = linear.linear.mass;
    memset(&linear.linear.mass, 0, sizeof linear.linear.mass);
    nb_problem_free(&linear);
    return NB_OK;
}

/* H and g = H defect. */
static enum nb_status export_mass(const struct nb_newton *newton,
                                  struct nb_newton_system *system, struct nb_error *error)
{
    const struct nb_model *model = newton->model;
    const enum nb_status status = copy_mass(model->problem, &system->mass, error);
    if (status)
        return status;
    double *defect = widen(newton->defect, model->dofs, 0);
    system->momentum = malloc(((size_t)model->dofs + 1) * sizeof *system->momentum);
    if (defect && system->momentum)
        nb_csr_multiply(&system->mass, defect, system->momentum, 0);
    free(defect);
    return defect && system->momentum ? NB_OK
                                      : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for g");
}

/* Pads are no velocities of the problem's: what they are of A is C, and what they are of b is in h. */
static void take_in_pads(const struct nb_newton *newton, struct nb_newton_system *system)
{
    const struct nb_model *model = newton->model;
    const int first = model->nodes - model->pads;
    for (int row = 0; model->pads > 0 && row < 3 * model->blocks; ++row) {
        const int i = row / 3, r = row % 3, last = model->jacobian.start[i + 1] - 1;
        if (last < model->jacobian.start[i] || model->jacobian.column[last] < first)
            continue;
        const size_t node = (size_t)model->jacobian.column[last];
        const double slope = (double)newton->row_scale[row] *
                             (double)model->jacobian.value[9 * (size_t)last + 4 * (size_t)r];
        system->compliance[row] += slope * slope * (double)model->inverse_mass[9 * node + 4 * (size_t)r];
        system->constraint[row] -= slope * (double)newton->defect[3 * node + (size_t)r];
    }
}

/* Blocks of C where some of its rows are coupled. */
static enum nb_status export_coupling(const struct nb_model *model,
                                      struct nb_newton_system *system, struct nb_error *error)
{
    const int entries = 9 * model->bilateral_blocks;
    int coupled = 0;
    for (int k = 0; k < entries; ++k)
        coupled |= k % 9 % 4 != 0 && model->bilateral_compliance[k] != 0;
    if (!coupled)
        return NB_OK;
    system->coupling = widen(model->bilateral_compliance, entries, 0);
    if (!system->coupling)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton system");
    system->coupled = 3 * model->bilateral_blocks;
    return NB_OK;
}

static enum nb_status export_matrices(const struct nb_newton *newton,
                                      struct nb_newton_system *system, struct nb_error *error)
{
    const struct nb_model *model = newton->model;
    const int rows = 3 * model->blocks;
    enum nb_status status = to_csr(newton->op.matrix, NULL, rows, &system->schur, error);
    if (!status && model->problem->form != NB_LINEAR_LOCAL)
        status = to_csr(&model->jacobian, newton->row_scale, model->dofs, &system->jacobian, error);
    if (!status && model->problem->form != NB_LINEAR_LOCAL)
        status = export_mass(newton, system, error);
    system->shift = (double)newton->shift;
    system->compliance = widen(newton->diagonal, rows, system->shift);
    system->constraint = widen(newton->constraint, rows, 0);
    system->right_side = widen(newton->right_side, rows, 0);
    if (!status && !(system->compliance && system->constraint && system->right_side))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton system");
    if (!status)
        take_in_pads(newton, system);
    return status ? status : export_coupling(model, system, error);
}

enum nb_status nb_system_export(struct nb_model *model, const struct nb_options *options,
                                const double *u, const double *lambda,
                                struct nb_newton_system *system, struct nb_error *error)
{
    memset(system, 0, sizeof *system);
    if (model->from_last_step > (model->particles == 0))
        return nb_fail(error, NB_UNSUPPORTED, "%s: its Newton matrix is made from the step before, too; "
                       "it has no systems to store", options->solver);
    struct nb_newton *newton = NULL;
    nb_real *narrow_u = malloc((3 * (size_t)model->nodes + 1) * sizeof *narrow_u);
    nb_real *narrow_lambda = malloc((3 * (size_t)model->blocks + 1) * sizeof *narrow_lambda);
    struct nb_options assembled = *options;
    assembled.operator_form = "assembled";
    enum nb_status status = NB_OK;
    if (!narrow_u || !narrow_lambda)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton system");
    nb_model_reset_inertia(model);
    if (!status)
        status = nb_newton_create(&newton, model, &assembled, error);
    if (!status) {
        nb_model_narrow_velocity(model, u, narrow_u);
        nb_model_narrow_multiplier(model, lambda, narrow_lambda);
        nb_model_settle_pads(model, narrow_lambda, narrow_u);
        status = nb_newton_linearise(newton, narrow_u, narrow_lambda, 0, error);
    }
    if (!status)
        status = export_matrices(newton, system, error);
    nb_newton_free(newton);
    free(narrow_u);
    free(narrow_lambda);
    if (status)
        nb_newton_system_free(system);
    return status;
}
