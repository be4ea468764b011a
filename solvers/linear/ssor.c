/* Symmetric successive over-relaxation over scalar rows (Sheldon 1955; Saad 2003, section 4.1): a sweep in
 * order and one backward, with omega as in sor. */
#include "solvers/linear/relaxation/relaxation.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_sweeps_setup)(self, op, "ssor", error);
}

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    return NB(nb_sweeps_solve)(self, task, 2);
}

static const struct nb_setting settings[] = {
    NB_LINEAR_COMMON_SETTINGS, NB_OMEGA_SETTING, {.name = NULL}};

const struct NB(nb_linear) NB(nb_linear_ssor) = {
    .name = "ssor",
    .title = "symmetric successive over-relaxation",
    .source = "Sheldon 1955; Saad 2003, section 4.1",
    .settings = settings,
    .setup = setup,
    .update = NB(nb_sweeps_update_factor),
    .solve = solve,
    .free = NB(nb_sweeps_free),
};
