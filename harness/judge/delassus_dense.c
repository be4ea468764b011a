/* Forms W = J M^-1 J^T of a linearised step densely: M X = J^T by LAPACK's Cholesky factor, then J X row by row of
 * the sparse J, made symmetric; of a local problem W is in the file. Eigenvalues by dsyevd. */
#include "harness/judge/delassus_dense.h"

#include <lapacke.h>
#include <stdlib.h>

static void scatter(const struct nb_csr *from, int rows, int stride, double *to)
{
    for (int i = 0; i < rows; ++i)
        for (int k = from->start[i]; k < from->start[i + 1]; ++k)
            if (from->column[k] < stride)
                to[(size_t)i * (size_t)stride + (size_t)from->column[k]] += from->value[k];
}

/* A = J X with M X = J^T; solved [rows x dofs] holds X^T. */
static void multiply(const struct nb_csr *jacobian, const double *solved, double *matrix)
{
    const size_t rows = (size_t)jacobian->rows, dofs = (size_t)jacobian->columns;
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < rows; ++j) {
            double sum = 0;
            for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
                sum += jacobian->value[k] * solved[j * dofs + (size_t)jacobian->column[k]];
            matrix[i * rows + j] = sum;
        }
}

static enum nb_status condense(const struct nb_linear_step *step, double *matrix,
                               struct nb_error *error)
{
    const size_t n = (size_t)step->dofs, rows = 3 * (size_t)step->contacts;
    double *mass = calloc(n * n + 1, sizeof *mass);
    double *solved = calloc(n * rows + 1, sizeof *solved);
    enum nb_status status = NB_OK;
    if (!mass || !solved) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense matrix of order %zu", n);
        goto done;
    }
    scatter(&step->mass, step->dofs, step->dofs, mass);
    scatter(&step->contact_jacobian, (int)rows, step->dofs, solved);
    /* J^T column by column is J row by row */
    if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (lapack_int)n, (lapack_int)rows, mass, (lapack_int)n,
                      solved, (lapack_int)n) != 0)
        status = nb_fail(error, NB_BAD_INPUT, "mass matrix M is not positive definite");
    else
        multiply(&step->contact_jacobian, solved, matrix);
done:
    free(mass);
    free(solved);
    return status;
}

static void symmetrise(double *matrix, size_t rows)
{
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < i; ++j)
            matrix[i * rows + j] = matrix[j * rows + i] =
                (matrix[i * rows + j] + matrix[j * rows + i]) / 2;
}

enum nb_status nb_delassus_dense(const struct nb_problem *problem, double **matrix, int *rows,
                                 struct nb_error *error)
{
    struct nb_problem linear;
    const int n = nb_problem_dofs(problem);
    *rows = 3 * nb_problem_contacts(problem);
    *matrix = NULL;
    if (*rows > NB_DELASSUS_DENSE_LIMIT ||
        (problem->form != NB_LINEAR_LOCAL && n > NB_DELASSUS_DENSE_LIMIT))
        return nb_fail(error, NB_UNSUPPORTED,
                       "%s: %d contact rows and %d velocities; dense matrices have at most %d rows",
                       problem->name, *rows, n, NB_DELASSUS_DENSE_LIMIT);
    enum nb_status status = nb_problem_linearize(problem, &linear, error);
    if (status)
        return status;
    const size_t size = (size_t)*rows;
    *matrix = calloc(size * size + 1, sizeof **matrix);
    if (!*matrix)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense matrix of order %d",
                         *rows);
    else if (linear.form == NB_LINEAR_LOCAL)
        scatter(&linear.linear.delassus, *rows, *rows, *matrix);
    else if (size > 0)
        status = condense(&linear.linear, *matrix, error);
    if (status) {
        free(*matrix);
        *matrix = NULL;
    } else {
        symmetrise(*matrix, size);
    }
    nb_problem_free(&linear);
    return status;
}

enum nb_status nb_eigenvalues(double *matrix, int rows, double *values, struct nb_error *error)
{
    if (rows == 0)
        return NB_OK;
    const lapack_int info =
        LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'N', 'L', rows, matrix, rows, values);
    return info == 0 ? NB_OK
                     : nb_fail(error, NB_BREAKDOWN, "the eigenvalues were not found: LAPACK's "
                               "dsyevd says %d", (int)info);
}
