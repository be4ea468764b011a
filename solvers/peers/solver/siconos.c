/* Siconos' solvers of frictional contact: solvers/peers/siconos.c. */
#include "solvers/peers/peer_contact.h"

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_peer_contact_setup(self, &nb_peer_siconos, nb_siconos_settings, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_siconos) = {
    .name = "siconos",
    .title = "Siconos' solvers of frictional contact",
    .source = "Acary et al. 2019, Siconos",
    .self_contained = 1,
    .alone = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = nb_siconos_settings,
    .setup = setup,
    .run = nb_peer_contact_run,
    .free = nb_peer_contact_free,
};
