/* MuJoCo: conjugate gradients on its convex, regularised contact. */
#include "solvers/peers/peer_mujoco.h"

static enum nb_status setup(void **self, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return NB(nb_mujoco_setup)(self, model, options, NB_MUJOCO_CG, error);
}

const struct NB(nb_solver_strategy) NB(nb_solver_mujoco_cg) = {
    .name = "mujoco_cg",
    .title = "MuJoCo: conjugate gradients",
    .source = "Todorov, Erez and Tassa 2012, MuJoCo",
    .self_contained = 1,
    .settings = NB(nb_mujoco_settings),
    .setup = setup,
    .run = NB(nb_mujoco_run),
    .free = NB(nb_mujoco_release),
};
