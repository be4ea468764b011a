/* Incomplete L D L^T factorisation with a threshold, by contact blocks, whose pivots may be indefinite;
 * P = L |D| L^T is positive definite (Gill, Murray, Ponceleon and Saunders 1992). Nothing is shifted: where
 * dropping has spoilt a pivot, only that pivot's block changes its sign. */
#include "solvers/precond/parts/incomplete.h"

static const struct nb_setting settings[] = {NB_INCOMPLETE_SETTINGS, {.name = NULL}};

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_incomplete_setup)(self, op, (int)op->precond_setting[1], "ildl", error);
}

static enum nb_status update(void *self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    const int failed =
        NB(nb_incomplete_factor)(self, op->matrix, (nb_real)op->precond_setting[0], 0, 1);
    return failed ? nb_fail(error, NB_BREAKDOWN, "ildl: the pivot of block row %d is zero or not finite",
                            -1 - failed) : NB_OK;
}

const struct NB(nb_precond) NB(nb_precond_ildl) = {
    .name = "ildl",
    .title = "incomplete L D L^T with a threshold, by contact blocks",
    .source = "Gill, Murray, Ponceleon and Saunders 1992; Saad 2003, section 10.4",
    .settings = settings,
    .setup = setup,
    .update = update,
    .apply = NB(nb_incomplete_apply),
    .free = NB(nb_incomplete_free),
};
