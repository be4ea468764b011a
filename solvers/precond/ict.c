/* Incomplete Cholesky factorisation with a threshold, by contact blocks (solvers/precond/parts/incomplete.h).
 * Where a pivot vanishes, the factor of A + alpha diag A is taken, with alpha grown until one exists
 * (Manteuffel 1980), from what dropping may have taken from a diagonal entry: the square of the threshold. */
#include "solvers/precond/parts/incomplete.h"

static const struct nb_setting settings[] = {NB_INCOMPLETE_SETTINGS, {.name = NULL}};

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_incomplete_setup)(self, op, (int)op->precond_setting[1], "ict", error);
}

static enum nb_status update(void *self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    const nb_real threshold = (nb_real)op->precond_setting[0];
    const nb_real first = nb_max(threshold * threshold, 64 * NB_REAL(NB_UNIT_ROUNDOFF));
    int failed = 0;
    for (nb_real alpha = 0; alpha < 100; alpha = alpha > 0 ? 8 * alpha : first) {
        failed = NB(nb_incomplete_factor)(self, op->matrix, threshold, alpha, 0);
        if (!failed)
            return NB_OK;
    }
    return nb_fail(error, NB_BREAKDOWN, "ict: the pivot of block row %d stays indefinite", -1 - failed);
}

const struct NB(nb_precond) NB(nb_precond_ict) = {
    .name = "ict",
    .title = "incomplete Cholesky with a threshold, by contact blocks",
    .source = "Saad 2003, section 10.4; Jones and Plassmann 1995; Manteuffel 1980",
    .settings = settings,
    .setup = setup,
    .update = update,
    .apply = NB(nb_incomplete_apply),
    .free = NB(nb_incomplete_free),
};
