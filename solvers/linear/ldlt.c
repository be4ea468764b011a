/* Sparse L D L^T by CHOLMOD, without pivoting (Chen, Davis, Hager and Rajamanickam 2008): matrices that
 * rounding has made slightly indefinite still have a factor, where Cholesky fails. */
#include "solvers/linear/direct/sparse_direct.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_sparse_direct_setup(self, op, 1, "ldlt", error);
}

const struct nb_linear NB(nb_linear_ldlt) = {
    .name = "ldlt",
    .title = "L D L^T",
    .source = "Chen, Davis, Hager and Rajamanickam 2008 (CHOLMOD)",
    .direct = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_sparse_direct_update,
    .solve = nb_sparse_direct_solve,
    .free = nb_sparse_direct_free,
};
