/* Symmetric Gauss-Seidel over scalar rows (Saad 2003, section 4.1): one iteration is a sweep in order and
 * one backward, so that it costs twice that of gauss_seidel and favours no end of a stack. */
#include "solvers/linear/relaxation/relaxation.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    return nb_sweeps_solve(self, task, 2);
}

const struct nb_linear NB(nb_linear_symmetric_gauss_seidel) = {
    .name = "symmetric_gauss_seidel",
    .title = "symmetric Gauss-Seidel",
    .source = "Saad 2003, section 4.1",
    .relaxes = 1,
    .setup = nb_relaxation_setup,
    .update = nb_relaxation_update,
    .solve = solve,
    .free = nb_relaxation_free,
};
