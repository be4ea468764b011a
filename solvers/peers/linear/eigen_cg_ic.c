/* Eigen: ConjugateGradient, IncompleteCholesky. */
#include "solvers/peers/peer_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_peer_setup)(self, op, &nb_peer_eigen, "incomplete_cholesky", error);
}

const struct NB(nb_linear) NB(nb_linear_eigen_cg_ic) = {
    .name = "eigen_cg_ic",
    .title = "Eigen: ConjugateGradient, IncompleteCholesky",
    .source = "Guennebaud et al., Eigen 3",
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_peer_update),
    .solve = NB(nb_peer_solve),
    .free = NB(nb_peer_free),
};
