/* Dense Cholesky by LAPACK, in the precision of the run: a check on the sparse one, and faster than it where
 * every contact couples with every other. */
#include "solvers/linear/direct/dense_direct.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_dense_direct_setup(self, op, 0, "dense_cholesky", error);
}

const struct nb_linear NB(nb_linear_dense_cholesky) = {
    .name = "dense_cholesky",
    .title = "dense Cholesky",
    .source = "LAPACK potrf",
    .direct = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_dense_direct_update,
    .solve = nb_dense_direct_solve,
    .free = nb_dense_direct_free,
};
