/* Symmetric Gauss-Seidel over scalar rows (Saad 2003, section 4.1): one iteration is a sweep in order and
 * one backward, so that it costs twice that of gauss_seidel and favours no end of a stack. */
#include "solvers/linear/relaxation/relaxation.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_sweeps_setup)(self, op, "symmetric_gauss_seidel", error);
}

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    return NB(nb_sweeps_solve)(self, task, 2);
}

const struct NB(nb_linear) NB(nb_linear_symmetric_gauss_seidel) = {
    .name = "symmetric_gauss_seidel",
    .title = "symmetric Gauss-Seidel",
    .source = "Saad 2003, section 4.1",
    .setup = setup,
    .update = NB(nb_sweeps_update),
    .solve = solve,
    .free = NB(nb_sweeps_free),
};
