/* The values of a Newton matrix as compressed columns, in the LU's own array where there is one; Cholesky's factor
 * takes the lower triangle of them. There is one factor at a time: the other kind is freed before, since one is the
 * largest part of a large step's memory. */
#include "solvers/outer/proximal_newton/newton_matrix.h"

#include <math.h>
#include <stdlib.h>

#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/sparse/factor.h"
#include "solvers/sparse/sparse_lu.h"

struct nb_newton_matrix {
    struct nb_sparse_lu *lu;  /* NULL: Cholesky's factor alone                 */
    struct nb_factor *factor; /* of a symmetric matrix, NULL: there is none    */
    double *value, *own;      /* the LU's, or own                              */
    size_t entries;           /* of the pattern                                */
    int by_symmetric;         /* the last factor is Cholesky's                 */
};

void nb_newton_matrix_free(struct nb_newton_matrix *self)
{
    if (!self)
        return;
    nb_sparse_lu_free(self->lu);
    nb_factor_free(self->factor);
    free(self->own);
    free(self);
}

enum nb_status nb_newton_matrix_create(struct nb_newton_matrix **out, int order, const int *start, const int *row,
                                       enum nb_newton_factors factors, struct nb_error *error)
{
    const int single = sizeof(nb_real) == sizeof(float);
    struct nb_newton_matrix *self = calloc(1, sizeof *self);
    enum nb_status status = NB_OK;
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix");
    self->entries = (size_t)start[order];
    if (factors == NB_FACTORS_CHOLESKY && !single) {
        self->value = self->own = calloc(self->entries + 1, sizeof *self->own);
        if (!self->own)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix");
    } else {
        status = nb_sparse_lu_create(&self->lu, order, start, row, single, error);
        self->value = status ? NULL : nb_sparse_lu_values(self->lu);
    }
    const int both = factors == NB_FACTORS_BOTH && !status && nb_sparse_lu_operations(self->lu) >= NB_TINY_FACTOR;
    if (!status && !single && (both || factors == NB_FACTORS_CHOLESKY))
        status = nb_factor_create(&self->factor, order, start, row, NB_FACTOR_OFTEN, error);
    return status;
}

double *nb_newton_matrix_values(struct nb_newton_matrix *self)
{
    return self->value;
}

double nb_newton_matrix_operations(const struct nb_newton_matrix *self)
{
    return self->lu ? nb_sparse_lu_operations(self->lu) : nb_factor_operations(self->factor);
}

int nb_newton_matrix_has_lu(const struct nb_newton_matrix *self)
{
    return self->lu != NULL;
}

int nb_newton_matrix_has_symmetric(const struct nb_newton_matrix *self)
{
    return self->factor != NULL;
}

enum nb_status nb_newton_matrix_factorise_symmetric(struct nb_newton_matrix *self)
{
    const int *index = nb_factor_index(self->factor);
    double *lower = nb_factor_values(self->factor), sum = 0;
    for (size_t k = 0; k < self->entries; ++k)
        if (index[k] >= 0) {
            lower[index[k]] = self->value[k];
            sum += fabs(self->value[k]);
        }
    if (self->lu && !self->by_symmetric)
        nb_sparse_lu_forget(self->lu);
    self->by_symmetric = 1;
    return isfinite(sum) ? nb_factor_update(self->factor, NULL) : NB_BREAKDOWN;
}

enum nb_status nb_newton_matrix_factorise(struct nb_newton_matrix *self)
{
    if (!self->lu)
        return nb_newton_matrix_factorise_symmetric(self);
    if (self->by_symmetric)
        nb_factor_forget(self->factor);
    self->by_symmetric = 0;
    return nb_sparse_lu_update(self->lu, NULL);
}

void nb_newton_matrix_solve(const struct nb_newton_matrix *self, double *x)
{
    if (self->by_symmetric)
        nb_factor_solve(self->factor, x, x, NULL);
    else
        nb_sparse_lu_solve(self->lu, x);
}

int nb_newton_matrix_sign(const struct nb_newton_matrix *self)
{
    return nb_sparse_lu_sign(self->lu);
}
