/* Gauss-Seidel over scalar rows in order (Saad 2003, section 4.1; Macklin et al. 2019, section 8.2):
 * one iteration is one forward sweep. The operator brings the sweep in its own representation. */
#include "solvers/linear/relaxation/relaxation.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    return nb_sweeps_solve(self, task, 1);
}

const struct nb_linear NB(nb_linear_gauss_seidel) = {
    .name = "gauss_seidel",
    .title = "Gauss-Seidel",
    .source = "Saad 2003, section 4.1",
    .relaxes = 1,
    .setup = nb_relaxation_setup,
    .update = nb_relaxation_update,
    .solve = solve,
    .free = nb_relaxation_free,
};
