/* Sparse Cholesky by CHOLMOD, its symbolic analysis reused over the Newton iterations (Chen, Davis,
 * Hager and Rajamanickam 2008); dense Cholesky by LAPACKE in single precision, which CHOLMOD of
 * Debian 12 does not have. */
#include "solvers/linear/engine/direct.h"

static const struct nb_setting settings[] = {
    NB_LINEAR_COMMON_SETTINGS,
    {.name = "method", .choices = "auto,simplicial,supernodal",
     .meaning = "column by column, or dense blocks by BLAS; auto: by the work per entry"},
    NB_ORDERING_SETTING,
    {.name = "update", .choices = "refactor,low_rank",
     .meaning = "factorise anew each time, or change the factor where few diagonal entries have changed"},
    {.name = "limit", .value = 0.1, .minimum = 0, .maximum = 1, .above_minimum = 1,
     .meaning = "of update=low_rank: the share of the diagonal that may have changed"},
    {.name = NULL}};

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    const struct nb_factor_plan plan = {
        .method = (enum nb_factor_method)op->linear_setting[0],
        .ordering = (enum nb_factor_ordering)op->linear_setting[1],
        .low_rank = op->linear_setting[2] > 0 ? op->linear_setting[3] : 0,
    };
    if (plan.low_rank > 0 && plan.method == NB_FACTOR_SUPERNODAL)
        return nb_fail(error, NB_UNSUPPORTED, "cholesky: update=low_rank needs a simplicial factor");
    return NB(nb_direct_setup)(self, op, &plan, "cholesky", error);
}

const struct NB(nb_linear) NB(nb_linear_cholesky) = {
    .name = "cholesky",
    .title = "Cholesky",
    .source = "Chen, Davis, Hager and Rajamanickam 2008 (CHOLMOD); LAPACK spotrf in f32",
    .settings = settings,
    .direct = 1,
    .setup = setup,
    .update = NB(nb_direct_update),
    .solve = NB(nb_direct_solve),
    .free = NB(nb_direct_free),
};
