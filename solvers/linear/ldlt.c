/* Sparse L D L^T by CHOLMOD, without pivoting (Chen, Davis, Hager and Rajamanickam 2008): matrices that
 * rounding has made slightly indefinite still have a factor, where Cholesky fails. */
#include "solvers/linear/direct/sparse_direct.h"

static const struct nb_setting settings[] = {
    NB_LINEAR_COMMON_SETTINGS, NB_ORDERING_SETTING, {.name = NULL}};

enum { ORDERING = NB_LINEAR_COMMON, SETTINGS };

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    double value[SETTINGS];
    const enum nb_status status = nb_settings_read(settings, op->options->linear, value, error);
    const struct nb_factor_plan plan = {
        .ordering = status ? 0 : (enum nb_factor_ordering)value[ORDERING], .ldl = 1};
    return status ? status : nb_sparse_direct_setup(self, op, &plan, "ldlt", error);
}

const struct nb_linear NB(nb_linear_ldlt) = {
    .name = "ldlt",
    .title = "L D L^T",
    .source = "Chen, Davis, Hager and Rajamanickam 2008 (CHOLMOD)",
    .settings = settings,
    .direct = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_sparse_direct_update,
    .solve = nb_sparse_direct_solve,
    .free = nb_sparse_direct_free,
};
