/* Successive over-relaxation over scalar rows in order (Young 1954; Saad 2003, section 4.1), with the
 * factor omega that is asked for, or an estimate of the optimum (solvers/linear/relaxation/relaxation.h). */
#include "solvers/linear/relaxation/relaxation.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    return nb_sweeps_solve(self, task, 1);
}

const struct nb_linear NB(nb_linear_sor) = {
    .name = "sor",
    .title = "successive over-relaxation",
    .source = "Young 1954; Saad 2003, section 4.1",
    .settings = NB(nb_sor_settings),
    .relaxes = 1,
    .setup = nb_sor_setup,
    .update = nb_sor_update,
    .solve = solve,
    .free = nb_relaxation_free,
};
