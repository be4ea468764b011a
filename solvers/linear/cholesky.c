/* Sparse Cholesky by CHOLMOD, its symbolic analysis reused over the Newton iterations (Chen, Davis,
 * Hager and Rajamanickam 2008); dense Cholesky by LAPACKE in single precision, which CHOLMOD of
 * Debian 12 does not have. */
#include "solvers/linear/direct/sparse_direct.h"

static const struct nb_setting settings[] = {
    NB_LINEAR_COMMON_SETTINGS,
    {.name = "method", .choices = "auto,simplicial,supernodal",
     .meaning = "column by column, or dense blocks by BLAS; auto: by the work per entry"},
    NB_ORDERING_SETTING,
    {.name = NULL}};

enum { METHOD = NB_LINEAR_COMMON, ORDERING, SETTINGS };

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    double value[SETTINGS];
    const enum nb_status status = nb_settings_read(settings, op->options->linear, value, error);
    const struct nb_factor_plan plan = {
        .method = status ? 0 : (enum nb_factor_method)value[METHOD],
        .ordering = status ? 0 : (enum nb_factor_ordering)value[ORDERING],
    };
    return status ? status : nb_sparse_direct_setup(self, op, &plan, "cholesky", error);
}

const struct nb_linear NB(nb_linear_cholesky) = {
    .name = "cholesky",
    .title = "Cholesky",
    .source = "Chen, Davis, Hager and Rajamanickam 2008 (CHOLMOD); LAPACK spotrf in f32",
    .settings = settings,
    .direct = 1,
    .needs_matrix = 1,
    .setup = setup,
    .update = nb_sparse_direct_update,
    .solve = nb_sparse_direct_solve,
    .free = nb_sparse_direct_free,
};
