/* Symmetric successive over-relaxation over scalar rows (Sheldon 1955; Saad 2003, section 4.1): a sweep in
 * order and one backward, with omega as in sor. */
#include "solvers/linear/relaxation/relaxation.h"

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    return NB(nb_sweeps_solve)(self, task, 2);
}

const struct NB(nb_linear) NB(nb_linear_ssor) = {
    .name = "ssor",
    .title = "symmetric successive over-relaxation",
    .source = "Sheldon 1955; Saad 2003, section 4.1",
    .settings = NB(nb_sor_settings),
    .relaxes = 1,
    .setup = NB(nb_sor_setup),
    .update = NB(nb_sor_update),
    .solve = solve,
    .free = NB(nb_relaxation_free),
};
