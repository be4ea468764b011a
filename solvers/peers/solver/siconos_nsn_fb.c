/* Siconos: nonsmooth Newton, Fischer-Burmeister. */
#include "solvers/peers/peer_outer.h"

static enum nb_status setup(void **self, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    static const struct nb_siconos_method method = {.local = SICONOS_FRICTION_3D_NSN_FB};
    return NB(nb_siconos_setup)(self, model, options, &method, error);
}

const struct NB(nb_solver_strategy) NB(nb_solver_siconos_nsn_fb) = {
    .name = "siconos_nsn_fb",
    .title = "Siconos: nonsmooth Newton, Fischer-Burmeister",
    .source = "Acary et al. 2019, Siconos",
    .self_contained = 1,
    .iterations = NB_SICONOS_ITERATIONS,
    .settings = NB(nb_siconos_settings),
    .setup = setup,
    .run = NB(nb_siconos_run),
    .free = NB(nb_siconos_release),
};
