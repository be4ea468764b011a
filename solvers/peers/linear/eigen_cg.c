/* Eigen: ConjugateGradient, diagonal. */
#include "solvers/peers/peer_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_peer_setup)(self, op, &nb_peer_eigen, "diagonal", error);
}

const struct NB(nb_linear) NB(nb_linear_eigen_cg) = {
    .name = "eigen_cg",
    .title = "Eigen: ConjugateGradient, diagonal",
    .source = "Guennebaud et al., Eigen 3",
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_peer_update),
    .solve = NB(nb_peer_solve),
    .free = NB(nb_peer_free),
};
