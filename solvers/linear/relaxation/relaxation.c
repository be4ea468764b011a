/* omega is 1, or given, or estimated for D^-1 A by power iterations (Jacobi) or Lanczos steps (SOR, SSOR); a sweep is
 * the operator's own, which keeps what a row needs up to date in its representation. */
#include "solvers/linear/relaxation/relaxation.h"

#include <stdlib.h>

#include "solvers/linear/krylov/krylov.h"
#include "solvers/linear/krylov/lanczos.h"
#include "solvers/linear/relaxation/relaxation_factor.h"

enum nb_status nb_check_diagonal(const struct nb_operator *op, struct nb_error *error)
{
    int bad = 0; /* a loop without an exit becomes vectors */
    for (size_t i = 0; i < op->size; ++i)
        bad |= !(op->diagonal[i] > 0);
    for (size_t i = 0; bad && i < op->size; ++i)
        if (!(op->diagonal[i] > 0))
            return nb_fail(error, NB_BREAKDOWN, "diagonal entry %zu of the operator is %g, must be above 0", i,
                           (double)op->diagonal[i]);
    return NB_OK;
}

nb_real nb_largest_eigenvalue(struct nb_operator *op, nb_real *v, nb_real *av)
{
    const size_t n = op->size;
    nb_real estimate = 1;
    for (size_t i = 0; i < n; ++i)
        v[i] = nb_start_vector_entry(i) / nb_sqrt(op->diagonal[i]);
    for (int k = 0; k < NB_POWER_ITERATIONS; ++k) {
        nb_sum up = 0, down = 0;
        nb_operator_apply(op, v, av);
        for (size_t i = 0; i < n; ++i) {
            up += (nb_sum)(v[i] * av[i]);
            down += (nb_sum)(v[i] * op->diagonal[i] * v[i]);
        }
        const nb_real scale = 1 / nb_sqrt((nb_real)down);
        estimate = nb_max(estimate, (nb_real)(up / down));
        for (size_t i = 0; i < n; ++i)
            v[i] = scale * av[i] / op->diagonal[i];
    }
    return estimate;
}

enum nb_status nb_relaxation_setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    struct nb_relaxation *relaxation = calloc(1, sizeof *relaxation);
    *self = relaxation;
    if (relaxation)
        relaxation->work = calloc(4 * op->size + 1, sizeof *relaxation->work);
    return relaxation && relaxation->work
               ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for four vectors of %zu", op->size);
}

void nb_relaxation_free(void *self)
{
    struct nb_relaxation *relaxation = self;
    if (relaxation)
        free(relaxation->work);
    free(relaxation);
}

enum nb_status nb_relaxation_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    struct nb_relaxation *relaxation = self;
    relaxation->omega = 1;
    return nb_check_diagonal(op, error);
}

enum { OMEGA = NB_LINEAR_COMMON, SETTINGS };
const struct nb_setting NB(nb_sor_settings)[] = {
    NB_LINEAR_COMMON_SETTINGS,
    {.name = "omega", .minimum = 0, .maximum = 1.999,
     .meaning = "relaxation factor; 0: estimated by a few Lanczos steps"},
    {.name = NULL}};

enum nb_status nb_sor_setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    double value[SETTINGS];
    enum nb_status status = nb_settings_read(NB(nb_sor_settings), op->options->linear, value, error);
    *self = NULL;
    if (!status)
        status = nb_relaxation_setup(self, op, error);
    if (!status)
        ((struct nb_relaxation *)*self)->given = (nb_real)value[OMEGA];
    return status;
}

enum nb_status nb_sor_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    struct nb_relaxation *relaxation = self;
    const enum nb_status status = nb_relaxation_update(self, op, error);
    if (status || op->size == 0)
        return status;
    if (relaxation->given > 0) {
        relaxation->omega = relaxation->given;
        return NB_OK;
    }
    const struct nb_spectrum spectrum = nb_lanczos_diagonal(op, NB_SOR_LANCZOS_STEPS, relaxation->work);
    op->applications += spectrum.products;
    relaxation->omega = nb_sor_factor(spectrum.low);
    return NB_OK;
}

static nb_real residual_norm(const struct nb_linear_task *task, nb_real *work)
{
    struct nb_operator *op = task->op;
    nb_operator_apply(op, task->x, work);
    for (size_t i = 0; i < op->size; ++i)
        work[i] = task->b[i] - work[i];
    return nb_residual_norm(op->size, work, op->diagonal, op->threads);
}

struct nb_linear_report nb_sweeps_solve(void *self, const struct nb_linear_task *task, int count)
{
    const struct nb_relaxation *relaxation = self;
    struct nb_operator *op = task->op;
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    const nb_real goal = task->tolerance * nb_residual_norm(op->size, task->b, op->diagonal, op->threads);
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    while (report.iterations < task->iterations) {
        if (task->tolerance > 0 && residual_norm(task, relaxation->work) <= goal) {
            report.ending = NB_LINEAR_CONVERGED;
            return report;
        }
        for (int s = 0; s < count; ++s)
            op->strategy->relax(op, task->b, task->x, relaxation->omega, s % 2);
        op->applications += count;
        report.iterations++;
        if (task->observe)
            task->observe(task->observe_context, report.iterations, task->x);
    }
    if (!isfinite((double)nb_norm(op->size, task->x, op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    return report;
}
