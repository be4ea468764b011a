/* CHOLMOD called plainly: solvers/peers/cholmod.c. */
#include "solvers/peers/peer_linear.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_peer_setup(self, op, &nb_peer_cholmod, NULL, error);
}

const struct nb_linear NB(nb_linear_cholmod_plain) = {
    .name = "cholmod_plain",
    .title = "CHOLMOD called plainly",
    .source = "Chen, Davis, Hager and Rajamanickam 2008",
    .foreign = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_peer_update,
    .solve = nb_peer_solve,
    .free = nb_peer_free,
};
