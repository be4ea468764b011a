/* The diagonal of J M^-1 J^T by the judge's factor of M. */
#ifndef NB_TESTS_MASS_DIAGONAL_H
#define NB_TESTS_MASS_DIAGONAL_H

#include "harness/judge/metrics_private.h"

static inline enum nb_status test_mass_diagonal(const struct nb_csr *mass, const struct nb_csr *jacobian,
                                                double *diagonal, struct nb_error *error)
{
    struct nb_mass_factor *factor;
    enum nb_status status = nb_mass_factor_create(&factor, mass, error);
    if (!status)
        status = nb_mass_factor_diagonal(factor, jacobian, diagonal, error);
    nb_mass_factor_free(factor);
    return status;
}

#endif
