/* PETSc: KSPMINRES with PCJACOBI. */
#include "solvers/peers/peer_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_peer_setup)(self, op, &nb_peer_petsc, "minres+jacobi", error);
}

const struct NB(nb_linear) NB(nb_linear_petsc_minres) = {
    .name = "petsc_minres",
    .title = "PETSc: KSPMINRES with PCJACOBI",
    .source = "Balay et al., PETSc Users Manual",
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_peer_update),
    .solve = NB(nb_peer_solve),
    .free = NB(nb_peer_free),
};
