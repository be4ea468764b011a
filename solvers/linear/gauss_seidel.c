/* Gauss-Seidel over scalar rows in order (Saad 2003, section 4.1; Macklin et al. 2019, section 8.2):
 * one iteration is one forward sweep. The operator brings the sweep in its own representation. */
#include <stddef.h>

#include "solvers/strategy.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    *self = NULL;
    const char *reason = op->strategy->cannot_relax ? op->strategy->cannot_relax(op) : NULL;
    return reason ? nb_fail(error, NB_UNSUPPORTED, "gauss_seidel: %s", reason) : NB_OK;
}

static enum nb_status update(void *self, struct NB(nb_operator) *op, struct nb_error *error)
{
    (void)self;
    for (size_t i = 0; i < op->size; ++i)
        if (!(op->diagonal[i] > 0))
            return nb_fail(error, NB_BREAKDOWN, "diagonal entry %zu of the operator is %g", i,
                           (double)op->diagonal[i]);
    return NB_OK;
}

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    struct NB(nb_operator) *op = task->op;
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    (void)self;
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    while (report.iterations < task->iterations) {
        op->strategy->relax(op, task->b, task->x, 1);
        op->applications++;
        report.iterations++;
        if (task->observe)
            task->observe(task->observe_context, report.iterations, task->x);
    }
    if (!isfinite((double)NB(nb_norm)(op->size, task->x, op->threads)))
        report.ending = NB_LINEAR_NON_FINITE, report.detail = "x";
    return report;
}

const struct NB(nb_linear) NB(nb_linear_gauss_seidel) = {
    .name = "gauss_seidel",
    .title = "Gauss-Seidel",
    .source = "Saad 2003, section 4.1",
    .setup = setup,
    .update = update,
    .solve = solve,
};
