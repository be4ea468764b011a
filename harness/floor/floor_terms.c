/* Of what the velocities of a linear step's constraint rows are made up: of W p + q, W = J M^-1 J^T and
 * q = J M^-1 f, which a local problem has in its file. Where that sum cancels, |J||u| tells nothing. */
#include <math.h>
#include <stdlib.h>

#include "harness/floor/floor_private.h"

/* y += |A|^T |x| */
static void add_magnitudes(const struct nb_csr *a, const double *x, double *y)
{
    for (int i = 0; i < a->rows; ++i)
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            y[a->column[k]] += fabs(a->value[k] * x[i]);
}

enum nb_status nb_floor_velocity_terms(const struct nb_judge *judge, double *terms, struct nb_error *error)
{
    const int contact_rows = 3 * judge->contacts;
    double *forces = calloc((size_t)judge->dofs + 1, sizeof *forces);
    if (!forces)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the terms of %d rows", judge->dofs);
    add_magnitudes(judge->jacobian, judge->impulse, forces);
    if (judge->bilateral)
        add_magnitudes(judge->bilateral, judge->impulse + contact_rows, forces);
    enum nb_status status =
        nb_mass_factor_terms(judge->factor, judge->jacobian, judge->force, forces, terms, error);
    if (!status && judge->bilateral)
        status = nb_mass_factor_terms(judge->factor, judge->bilateral, judge->force, forces, terms + contact_rows,
                                   error);
    free(forces);
    return status;
}
