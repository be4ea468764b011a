/* PETSc: KSPCG with PCICC. */
#include "solvers/peers/peer_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_peer_setup)(self, op, &nb_peer_petsc, "cg+icc", error);
}

const struct NB(nb_linear) NB(nb_linear_petsc_cg_icc) = {
    .name = "petsc_cg_icc",
    .title = "PETSc: KSPCG with PCICC",
    .source = "Balay et al., PETSc Users Manual",
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_peer_update),
    .solve = NB(nb_peer_solve),
    .free = NB(nb_peer_free),
};
