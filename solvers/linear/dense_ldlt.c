/* Dense L D L^T with symmetric pivoting (Bunch and Kaufman 1977) by LAPACK: stable for indefinite matrices, in
 * the precision of the run. */
#include "solvers/linear/direct/dense_direct.h"

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_dense_direct_setup(self, op, 1, "dense_ldlt", error);
}

const struct nb_linear NB(nb_linear_dense_ldlt) = {
    .name = "dense_ldlt",
    .title = "dense pivoted L D L^T",
    .source = "Bunch and Kaufman 1977; LAPACK sytrf",
    .direct = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_dense_direct_update,
    .solve = nb_dense_direct_solve,
    .free = nb_dense_direct_free,
};
