/* CHOLMOD called plainly: solvers/peers/cholmod.c. */
#include "solvers/peers/peer_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_peer_setup)(self, op, &nb_peer_cholmod, error);
}

const struct NB(nb_linear) NB(nb_linear_cholmod_plain) = {
    .name = "cholmod_plain",
    .title = "CHOLMOD called plainly",
    .source = "Chen, Davis, Hager and Rajamanickam 2008",
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_peer_update),
    .solve = NB(nb_peer_solve),
    .free = NB(nb_peer_free),
};
