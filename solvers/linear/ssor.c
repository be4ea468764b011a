/* Symmetric successive over-relaxation over scalar rows (Sheldon 1955; Saad 2003, section 4.1): a sweep in
 * order and one backward, with omega as in sor. */
#include "solvers/linear/relaxation/relaxation.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    return nb_sweeps_solve(self, task, 2);
}

const struct nb_linear NB(nb_linear_ssor) = {
    .name = "ssor",
    .title = "symmetric successive over-relaxation",
    .source = "Sheldon 1955; Saad 2003, section 4.1",
    .settings = NB(nb_sor_settings),
    .relaxes = 1,
    .setup = nb_sor_setup,
    .update = nb_sor_update,
    .solve = solve,
    .free = nb_relaxation_free,
};
