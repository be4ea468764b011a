/* W = J M^-1 J^T of a mass matrix M that is not quite symmetric, by a sparse LU factor of M as it is given: column j
 * of W is J x with M x = (J^T)_j. One solve a column, where corrections of a symmetric factor (delassus_unsymmetric.h)
 * take several: the set-up of LMGC 00046 takes a seventeenth of the time, that of CubeH8 a fifth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "solvers/outer/proximal_newton/dual_system.h"

int nb_dual_system_is_symmetric(const struct nb_csr *matrix)
{
    double most = 0, off = 0;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            const int at = nb_find_sorted(matrix->column, matrix->start[j], matrix->start[j + 1], i);
            const double mirror = at < 0 ? 0 : matrix->value[at];
            most = fmax(most, fabs(matrix->value[k]));
            off = fmax(off, fabs(matrix->value[k] - mirror));
        }
    return off <= 16 * (double)NB_UNIT_ROUNDOFF * most;
}

/* The rows of M are the columns of its transpose: the factor is of M^T, and solves go through the
 * transposed pattern. */
static enum nb_status factorise_mass(const struct nb_csr *mass, struct nb_dual_system *self,
                                     struct nb_error *error)
{
    const size_t entries = (size_t)mass->start[mass->rows];
    int *start = calloc((size_t)mass->rows + 2, sizeof *start);
    int *row = malloc((entries + 1) * sizeof *row);
    double *value = malloc((entries + 1) * sizeof *value);
    enum nb_status status = NB_OK;
    if (!start || !row || !value) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the mass matrix");
        goto done;
    }
    for (size_t k = 0; k < entries; ++k)
        start[mass->column[k] + 2]++;
    for (int i = 0; i < mass->rows; ++i)
        start[i + 2] += start[i + 1];
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k) {
            const int at = start[mass->column[k] + 1]++;
            row[at] = i;
            value[at] = mass->value[k];
        }
    status = nb_sparse_lu_create(&self->mass, mass->rows, start, row, 0, error);
    if (!status) {
        memcpy(nb_sparse_lu_values(self->mass), value, entries * sizeof *value);
        status = nb_sparse_lu_update(self->mass, error);
    }
    if (status == NB_BREAKDOWN)
        status = nb_fail(error, NB_BAD_INPUT, "mass matrix M is singular");
done:
    free(start);
    free(row);
    free(value);
    return status;
}

/* (J x)_row */
static double row_times(const struct NB(nb_bsr) *jacobian, int row, const double *x)
{
    const int i = row / 3, r = row % 3;
    double sum = 0;
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
        for (int e = 0; e < 3; ++e)
            sum += (double)jacobian->value[9 * (size_t)k + (size_t)(3 * r + e)] *
                   x[3 * jacobian->column[k] + e];
    return sum;
}

/* W, column by column; M^-1 J^T is kept where that pays. */
static enum nb_status fill(const struct NB(nb_model) *model, struct nb_dual_system *self, struct nb_error *error)
{
    const size_t dofs = 3 * (size_t)model->nodes, rows = 3 * (size_t)model->blocks;
    struct NB(nb_bsr) *w = &self->general;
    int *mirror = NULL;
    enum nb_status status = NB(nb_bsr_copy_pattern)(w, &model->delassus, error);
    if (!status)
        status = NB(nb_bsr_mirror)(w, &mirror, error);
    if (!status && NB(nb_unsymmetric_responses_pay)(model))
        self->response = malloc((rows * dofs + 1) * sizeof *self->response);
    nb_real *row = malloc((dofs + 1) * sizeof *row);
    if (!status && !row)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus operator");
    for (int column = 0; column < 3 * model->blocks && !status; ++column) {
        const int j = column / 3, c = column % 3;
        memset(row, 0, dofs * sizeof *row);
        NB(nb_bsr_add_row)(&model->jacobian, column, 1, row);
        for (size_t i = 0; i < dofs; ++i)
            self->wide[i] = row[i];
        nb_sparse_lu_solve(self->mass, self->wide);
        for (size_t i = 0; self->response && i < dofs; ++i)
            self->response[(size_t)column * dofs + i] = (nb_real)self->wide[i];
        for (int k = w->start[j]; k < w->start[j + 1]; ++k)
            for (int r = 0; r < 3; ++r)
                w->value[9 * (size_t)mirror[k] + (size_t)(3 * r + c)] =
                    (nb_matrix)row_times(&model->jacobian, 3 * w->column[k] + r, self->wide);
    }
    free(row);
    free(mirror);
    return status;
}

enum nb_status nb_dual_system_general_mass(struct nb_dual_system *self, const struct NB(nb_model) *model,
                                           struct nb_error *error)
{
    self->wide = calloc(3 * (size_t)model->nodes + 1, sizeof *self->wide);
    if (!self->wide)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus operator");
    const enum nb_status status = factorise_mass(&model->problem->linear.mass, self, error);
    return status ? status : fill(model, self, error);
}

/* u -= M^-1 (M u - f - J^T p) */
void nb_dual_system_correct(const struct nb_nonsmooth *system, const nb_real *p, nb_real *u)
{
    const struct nb_dual_system *self = system->self;
    const struct NB(nb_model) *model = system->model;
    const struct nb_csr *mass = &model->problem->linear.mass;
    NB(nb_model_gather)(model, p, system->momentum);
    for (int i = 0; i < mass->rows; ++i) {
        double sum = 0;
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            sum += mass->value[k] * (double)u[mass->column[k]];
        self->wide[i] = sum - (double)model->force[i] - (double)system->momentum[i];
    }
    nb_sparse_lu_solve(self->mass, self->wide);
    for (int i = 0; i < mass->rows; ++i)
        u[i] -= (nb_real)self->wide[i];
}
