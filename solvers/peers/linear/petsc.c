/* PETSc: Krylov methods: solvers/peers/petsc.c. */
#include "solvers/peers/peer_linear.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_peer_setup(self, op, &nb_peer_petsc, nb_petsc_settings, error);
}

const struct nb_linear NB(nb_linear_petsc) = {
    .name = "petsc",
    .title = "PETSc: Krylov methods",
    .source = "Balay et al., PETSc Users Manual",
    .settings = nb_petsc_settings,
    .foreign = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_peer_update,
    .solve = nb_peer_solve,
    .free = nb_peer_free,
};
