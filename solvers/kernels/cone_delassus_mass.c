/* J M^-1 J^T of a mass matrix that is not quite symmetric, as it is given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/kernels/cone_delassus.h"

int NB(nb_is_symmetric)(const struct nb_csr *matrix)
{
    double most = 0, off = 0;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            double mirror = 0;
            int low = matrix->start[j], high = matrix->start[j + 1] - 1;
            while (low < high) {
                const int middle = (low + high) / 2;
                if (matrix->column[middle] < i)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low == high && matrix->column[low] == i)
                mirror = matrix->value[low];
            most = fmax(most, fabs(matrix->value[k]));
            off = fmax(off, fabs(matrix->value[k] - mirror));
        }
    return off <= 16 * (double)NB_UNIT_ROUNDOFF * most;
}

/* The rows of M are the columns of its transpose: the factor is of M^T, and solves go through the
 * transposed pattern. */
static enum nb_status factorise_mass(const struct nb_csr *mass, struct NB(nb_row_space) *self,
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

/* out [dofs]: a column of J^T. */
static void spread_row(const struct NB(nb_bsr) *jacobian, int row, size_t dofs, double *out)
{
    const int j = row / 3, c = row % 3;
    memset(out, 0, dofs * sizeof *out);
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; ++k)
        for (int e = 0; e < 3; ++e)
            out[3 * jacobian->column[k] + e] =
                (double)jacobian->value[9 * (size_t)k + (size_t)(3 * c + e)];
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

/* D = J M^-1 J^T, column by column and full; M^-1 J^T is kept where it is not too large. */
static enum nb_status fill_full(const struct NB(nb_model) *model, struct NB(nb_row_space) *self,
                                struct nb_error *error)
{
    const int n = model->blocks;
    const size_t dofs = 3 * (size_t)model->nodes;
    const enum nb_status status = NB(nb_bsr_allocate_full)(&self->full, n, error);
    if (status)
        return status;
    if (NB(nb_given_rows_fit)(model))
        self->response = malloc((3 * (size_t)n * dofs + 1) * sizeof *self->response);
    for (int column = 0; column < 3 * n; ++column) {
        nb_matrix *value = self->full.value + 9 * (size_t)(column / 3) + column % 3;
        spread_row(&model->jacobian, column, dofs, self->wide);
        nb_sparse_lu_solve(self->mass, self->wide);
        for (size_t i = 0; self->response && i < dofs; ++i)
            self->response[(size_t)column * dofs + i] = (nb_real)self->wide[i];
        for (int row = 0; row < 3 * n; ++row)
            value[9 * (size_t)(row / 3) * (size_t)n + 3 * (size_t)(row % 3)] =
                (nb_matrix)row_times(&model->jacobian, row, self->wide);
    }
    return NB_OK;
}

enum nb_status NB(nb_row_space_respond)(struct NB(nb_row_space) *self,
                                        const struct NB(nb_model) *model, struct nb_error *error)
{
    const enum nb_status status = factorise_mass(&model->problem->linear.mass, self, error);
    return status ? status : fill_full(model, self, error);
}
