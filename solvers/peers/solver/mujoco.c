/* MuJoCo's constraint solvers: solvers/peers/mujoco.c. */
#include "solvers/peers/peer_contact.h"

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_peer_contact_setup(self, &nb_peer_mujoco, nb_mujoco_settings, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_mujoco) = {
    .name = "mujoco",
    .title = "MuJoCo's constraint solvers: the convex relaxation",
    .source = "Todorov, Erez and Tassa 2012, MuJoCo",
    .self_contained = 1,
    .alone = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = nb_mujoco_settings,
    .setup = setup,
    .run = nb_peer_contact_run,
    .free = nb_peer_contact_free,
};
