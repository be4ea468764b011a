#include "solvers/linear/engine/polynomial.h"

#include <stdlib.h>

#include "solvers/linear/engine/krylov.h"
#include "solvers/linear/engine/relaxation.h"

enum { ESTIMATE_STEPS = 12 };

void NB(nb_polynomial_free)(void *self)
{
    struct NB(nb_polynomial) *polynomial = self;
    if (!polynomial)
        return;
    free(polynomial->inverse);
    free(polynomial->work);
    free(polynomial);
}

enum nb_status NB(nb_polynomial_setup)(void **self, const struct NB(nb_operator) *op,
                                       struct nb_error *error)
{
    struct NB(nb_polynomial) *polynomial = calloc(1, sizeof *polynomial);
    void *inverse = NULL, *work = NULL;
    *self = polynomial;
    if (!polynomial)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a polynomial preconditioner");
    enum nb_status status = NB(nb_krylov_allocate)(&inverse, op, 1, error);
    if (!status)
        status = NB(nb_krylov_allocate)(&work, op, 4, error);
    polynomial->inverse = inverse;
    polynomial->work = work;
    return status;
}

enum nb_status NB(nb_polynomial_update)(void *self, const struct NB(nb_operator) *op,
                                        struct nb_error *error)
{
    struct NB(nb_polynomial) *polynomial = self;
    const enum nb_status status = NB(nb_check_diagonal)(op, error);
    if (status)
        return status;
    polynomial->spectrum = NB(nb_lanczos_diagonal)(op, ESTIMATE_STEPS, polynomial->work);
    for (size_t i = 0; i < op->size; ++i)
        polynomial->inverse[i] = 1 / op->diagonal[i];
    if (!(polynomial->spectrum.high > 0 && isfinite((double)polynomial->spectrum.high)))
        return nb_fail(error, NB_BREAKDOWN, "the largest eigenvalue of the operator is estimated as %g",
                       (double)polynomial->spectrum.high);
    return NB_OK;
}
