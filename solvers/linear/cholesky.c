/* Sparse Cholesky by CHOLMOD, its symbolic analysis reused over the Newton iterations (Chen, Davis,
 * Hager and Rajamanickam 2008); dense Cholesky by LAPACKE in single precision, which CHOLMOD of
 * Debian 12 does not have. */
#include "solvers/linear/direct/sparse_direct.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_sparse_direct_setup(self, op, 0, "cholesky", error);
}

const struct nb_linear NB(nb_linear_cholesky) = {
    .name = "cholesky",
    .title = "Cholesky",
    .source = "Chen, Davis, Hager and Rajamanickam 2008 (CHOLMOD); LAPACK spotrf in f32",
    .direct = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_sparse_direct_update,
    .solve = nb_sparse_direct_solve,
    .free = nb_sparse_direct_free,
};
