/* Sparse L D L^T by CHOLMOD, without pivoting (Chen, Davis, Hager and Rajamanickam 2008): matrices that
 * rounding has made slightly indefinite still have a factor, where Cholesky fails. */
#include "solvers/linear/direct/sparse_direct.h"

static const struct nb_setting settings[] = {
    NB_LINEAR_COMMON_SETTINGS, NB_ORDERING_SETTING, {.name = NULL}};

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    const struct nb_factor_plan plan = {
        .ordering = (enum nb_factor_ordering)op->linear_setting[0], .ldl = 1};
    return NB(nb_sparse_direct_setup)(self, op, &plan, "ldlt", error);
}

const struct NB(nb_linear) NB(nb_linear_ldlt) = {
    .name = "ldlt",
    .title = "L D L^T",
    .source = "Chen, Davis, Hager and Rajamanickam 2008 (CHOLMOD)",
    .settings = settings,
    .direct = 1,
    .setup = setup,
    .update = NB(nb_sparse_direct_update),
    .solve = NB(nb_sparse_direct_solve),
    .free = NB(nb_sparse_direct_free),
};
