/* Under-relaxed Jacobi: x += omega D^-1 (b - A x) (Saad 2003, section 4.1; Macklin et al. 2019,
 * section 8.2). Redundant contacts push the largest eigenvalue of D^-1 A far above 2, where plain
 * Jacobi diverges; omega = 1 / lambda_max with lambda_max from a few power iterations keeps it
 * convergent, as the estimate is not below half of the true value in practice. */
#include "solvers/linear/krylov/krylov.h"
#include "solvers/linear/relaxation/relaxation.h"

static enum nb_status update(void *self, struct NB(nb_operator) *op, struct nb_error *error)
{
    struct NB(nb_relaxation) *jacobi = self;
    const enum nb_status status = NB(nb_check_diagonal)(op, error);
    if (!status && op->size > 0)
        jacobi->omega = 1 / NB(nb_largest_eigenvalue)(op, jacobi->work, jacobi->work + op->size);
    return status;
}

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    const struct NB(nb_relaxation) *jacobi = self;
    struct NB(nb_operator) *op = task->op;
    nb_real *r = jacobi->work;
    struct NB(nb_krylov_monitor) monitor;

    NB(nb_krylov_start)(&monitor, task, r);
    while (!monitor.done) {
        for (size_t i = 0; i < op->size; ++i)
            task->x[i] += jacobi->omega * r[i] / op->diagonal[i];
        NB(nb_operator_apply)(op, task->x, r);
        for (size_t i = 0; i < op->size; ++i)
            r[i] = task->b[i] - r[i];
        NB(nb_krylov_advance)(&monitor, r);
    }
    return monitor.report;
}

const struct NB(nb_linear) NB(nb_linear_jacobi) = {
    .name = "jacobi",
    .title = "Jacobi",
    .source = "Saad 2003, section 4.1; under-relaxed by a power estimate",
    .setup = NB(nb_relaxation_setup),
    .update = update,
    .solve = solve,
    .free = NB(nb_relaxation_free),
};
