/* Siconos: global nonsmooth Newton, Alart-Curnier. */
#include "solvers/peers/peer_outer.h"

static enum nb_status setup(void **self, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    static const struct nb_siconos_method method = {.global = SICONOS_GLOBAL_FRICTION_3D_NSN_AC};
    return NB(nb_siconos_setup)(self, model, options, &method, error);
}

const struct NB(nb_solver_strategy) NB(nb_solver_siconos_global_nsn_ac) = {
    .name = "siconos_global_nsn_ac",
    .title = "Siconos: global nonsmooth Newton, Alart-Curnier",
    .source = "Acary et al. 2019, Siconos",
    .self_contained = 1,
    .iterations = NB_SICONOS_ITERATIONS,
    .settings = NB(nb_siconos_settings),
    .setup = setup,
    .run = NB(nb_siconos_run),
    .free = NB(nb_siconos_release),
};
