/* hypre: BoomerAMG: solvers/peers/hypre.c. */
#include "solvers/peers/peer_precond.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_peer_precond_setup(self, op, &nb_peer_hypre_precond, NULL, error);
}

const struct nb_precond NB(nb_precond_hypre) = {
    .name = "hypre",
    .title = "hypre: BoomerAMG",
    .source = "Henson and Yang 2002",
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_peer_precond_update,
    .apply = nb_peer_precond_apply,
    .free = nb_peer_precond_free,
};
