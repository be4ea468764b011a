/* P = diag A (Macklin et al. 2019, section 8.2). */
#include <stdlib.h>

#include "problems/base/large.h"
#include "solvers/linear/relaxation/relaxation.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    *self = nb_large_allocate(op->size * sizeof(nb_real));
    return *self ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the diagonal");
}

static enum nb_status update(void *self, const struct nb_operator *op, struct nb_error *error)
{
    nb_real *inverse = self;
    const enum nb_status status = nb_check_diagonal(op, error);
    for (size_t i = 0; i < op->size && !status; ++i)
        inverse[i] = 1 / op->diagonal[i];
    return status;
}

static void apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const nb_real *inverse = self;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = inverse[i] * r[i];
}

static const nb_real *diagonal(const void *self)
{
    return self;
}

const struct nb_precond NB(nb_precond_jacobi) = {
    .name = "jacobi",
    .title = "diagonal",
    .source = "Macklin et al. 2019, section 8.2",
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = free,
    .diagonal = diagonal,
    .products_only = 1,
};
