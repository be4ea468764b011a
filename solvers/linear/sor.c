/* Successive over-relaxation over scalar rows in order (Young 1954; Saad 2003, section 4.1), with the
 * factor omega that is asked for, or an estimate of the optimum (solvers/linear/relaxation/relaxation.h). */
#include "solvers/linear/relaxation/relaxation.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_sweeps_setup)(self, op, "sor", error);
}

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    return NB(nb_sweeps_solve)(self, task, 1);
}

static const struct nb_setting settings[] = {
    NB_LINEAR_COMMON_SETTINGS, NB_OMEGA_SETTING, {.name = NULL}};

const struct NB(nb_linear) NB(nb_linear_sor) = {
    .name = "sor",
    .title = "successive over-relaxation",
    .source = "Young 1954; Saad 2003, section 4.1",
    .settings = settings,
    .setup = setup,
    .update = NB(nb_sweeps_update_factor),
    .solve = solve,
    .free = NB(nb_sweeps_free),
};
