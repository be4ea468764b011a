/* Eigen: ConjugateGradient: solvers/peers/eigen.cpp. */
#include "solvers/peers/peer_linear.h"

static const struct nb_setting settings[] = {
    NB_LINEAR_COMMON_SETTINGS,
    {.name = "precond", .choices = "diagonal,ic", .meaning = "or incomplete Cholesky"},
    {.name = NULL},
};

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_peer_setup(self, op, &nb_peer_eigen, settings, error);
}

const struct nb_linear NB(nb_linear_eigen) = {
    .name = "eigen",
    .title = "Eigen: ConjugateGradient",
    .source = "Guennebaud et al., Eigen 3",
    .settings = settings,
    .foreign = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_peer_update,
    .solve = nb_peer_solve,
    .free = nb_peer_free,
};
