/* Siconos: global nonsmooth Gauss-Seidel. */
#include "solvers/peers/peer_outer.h"

static enum nb_status setup(void **self, struct NB(nb_model) *model,
                            const struct nb_options *options, struct nb_error *error)
{
    static const struct nb_siconos_method method = {.global = SICONOS_GLOBAL_FRICTION_3D_NSGS};
    return NB(nb_siconos_setup)(self, model, options, &method, error);
}

const struct NB(nb_solver_strategy) NB(nb_solver_siconos_global_nsgs) = {
    .name = "siconos_global_nsgs",
    .title = "Siconos: global nonsmooth Gauss-Seidel",
    .source = "Acary et al. 2019, Siconos",
    .self_contained = 1,
    .iterations = NB_SICONOS_ITERATIONS,
    .settings = NB(nb_siconos_settings),
    .setup = setup,
    .run = NB(nb_siconos_run),
    .free = NB(nb_siconos_release),
};
