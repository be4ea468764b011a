#include "solvers/linear/relaxation/relaxation.h"

#include <stdlib.h>

#include "solvers/linear/krylov/krylov.h"
#include "solvers/linear/krylov/lanczos.h"
#include "solvers/linear/relaxation/relaxation_factor.h"

enum nb_status NB(nb_check_diagonal)(const struct NB(nb_operator) *op, struct nb_error *error)
{
    int bad = 0; /* a loop without an exit becomes vectors */
    for (size_t i = 0; i < op->size; ++i)
        bad |= !(op->diagonal[i] > 0);
    for (size_t i = 0; bad && i < op->size; ++i)
        if (!(op->diagonal[i] > 0))
            return nb_fail(error, NB_BREAKDOWN, "diagonal entry %zu of the operator is %g", i,
                           (double)op->diagonal[i]);
    return NB_OK;
}

nb_real NB(nb_largest_eigenvalue)(struct NB(nb_operator) *op, nb_real *v, nb_real *av)
{
    const size_t n = op->size;
    nb_real estimate = 1;
    for (size_t i = 0; i < n; ++i)
        v[i] = NB(nb_start_vector_entry)(i) / nb_sqrt(op->diagonal[i]);
    for (int k = 0; k < NB_POWER_ITERATIONS; ++k) {
        nb_sum up = 0, down = 0;
        NB(nb_operator_apply)(op, v, av);
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

enum nb_status NB(nb_sweeps_setup)(void **self, const struct NB(nb_operator) *op, const char *name,
                                   struct nb_error *error)
{
    const char *reason = op->strategy->cannot_relax ? op->strategy->cannot_relax(op) : NULL;
    void *work = NULL;
    *self = NULL;
    if (reason)
        return nb_fail(error, NB_UNSUPPORTED, "%s: %s", name, reason);
    struct NB(nb_sweeps) *sweeps = calloc(1, sizeof *sweeps);
    *self = sweeps;
    if (!sweeps)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
    const enum nb_status status = NB(nb_krylov_allocate)(&work, op, 4, error);
    sweeps->work = work;
    return status;
}

void NB(nb_sweeps_free)(void *self)
{
    struct NB(nb_sweeps) *sweeps = self;
    if (sweeps)
        free(sweeps->work);
    free(sweeps);
}

enum nb_status NB(nb_sweeps_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error)
{
    struct NB(nb_sweeps) *sweeps = self;
    sweeps->omega = 1;
    return NB(nb_check_diagonal)(op, error);
}

enum nb_status NB(nb_sweeps_update_factor)(void *self, struct NB(nb_operator) *op,
                                           struct nb_error *error)
{
    struct NB(nb_sweeps) *sweeps = self;
    const enum nb_status status = NB(nb_sweeps_update)(self, op, error);
    if (status || op->size == 0)
        return status;
    if (op->linear_setting[0] > 0) {
        sweeps->omega = (nb_real)op->linear_setting[0];
        return NB_OK;
    }
    const struct NB(nb_spectrum) spectrum = NB(nb_lanczos_diagonal)(op, NB_SOR_LANCZOS_STEPS, sweeps->work);
    op->applications += spectrum.products;
    sweeps->omega = NB(nb_sor_factor)(spectrum.low);
    return NB_OK;
}

static nb_real residual_norm(const struct NB(nb_linear_task) *task, nb_real *work)
{
    struct NB(nb_operator) *op = task->op;
    NB(nb_operator_apply)(op, task->x, work);
    for (size_t i = 0; i < op->size; ++i)
        work[i] = task->b[i] - work[i];
    return NB(nb_norm)(op->size, work, op->threads);
}

struct nb_linear_report NB(nb_sweeps_solve)(void *self, const struct NB(nb_linear_task) *task,
                                            int count)
{
    const struct NB(nb_sweeps) *sweeps = self;
    struct NB(nb_operator) *op = task->op;
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    const nb_real goal = task->tolerance * NB(nb_norm)(op->size, task->b, op->threads);
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    while (report.iterations < task->iterations) {
        if (task->tolerance > 0 && residual_norm(task, sweeps->work) <= goal) {
            report.ending = NB_LINEAR_CONVERGED;
            return report;
        }
        for (int s = 0; s < count; ++s)
            op->strategy->relax(op, task->b, task->x, sweeps->omega, s % 2);
        op->applications += count;
        report.iterations++;
        if (task->observe)
            task->observe(task->observe_context, report.iterations, task->x);
    }
    if (!isfinite((double)NB(nb_norm)(op->size, task->x, op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    return report;
}
