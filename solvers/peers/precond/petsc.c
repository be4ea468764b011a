/* PETSc: ICC and GAMG: solvers/peers/petsc.c. */
#include "solvers/peers/peer_precond.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_peer_precond_setup(self, op, &nb_peer_petsc_precond, nb_petsc_precond_settings, error);
}

const struct nb_precond NB(nb_precond_petsc) = {
    .name = "petsc",
    .title = "PETSc: incomplete Cholesky, multigrid",
    .source = "Balay et al., PETSc Users Manual",
    .settings = nb_petsc_precond_settings,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_peer_precond_update,
    .apply = nb_peer_precond_apply,
    .free = nb_peer_precond_free,
};
