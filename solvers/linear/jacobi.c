/* Under-relaxed Jacobi: x += omega D^-1 (b - A x) (Saad 2003, section 4.1; Macklin et al. 2019,
 * section 8.2). Redundant contacts push the largest eigenvalue of D^-1 A far above 2, where plain
 * Jacobi diverges; omega = 1 / lambda_max with lambda_max from a few power iterations keeps it
 * convergent, as the estimate is not below half of the true value in practice. */
#include "solvers/linear/krylov/krylov.h"
#include "solvers/linear/relaxation/relaxation.h"

static enum nb_status update(void *self, struct nb_operator *op, struct nb_error *error)
{
    struct nb_relaxation *jacobi = self;
    const enum nb_status status = nb_check_diagonal(op, error);
    if (!status && op->size > 0)
        jacobi->omega = 1 / nb_largest_eigenvalue(op, jacobi->work, jacobi->work + op->size);
    return status;
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    const struct nb_relaxation *jacobi = self;
    struct nb_operator *op = task->op;
    nb_real *r = jacobi->work;
    struct nb_krylov_monitor monitor;

    nb_krylov_start(&monitor, task, r, r + op->size);
    while (!monitor.done) {
        for (size_t i = 0; i < op->size; ++i)
            task->x[i] += jacobi->omega * r[i] / op->diagonal[i];
        nb_operator_apply(op, task->x, r);
        for (size_t i = 0; i < op->size; ++i)
            r[i] = task->b[i] - r[i];
        nb_krylov_advance(&monitor, r);
    }
    return monitor.report;
}

const struct nb_linear NB(nb_linear_jacobi) = {
    .name = "jacobi",
    .title = "Jacobi",
    .source = "Saad 2003, section 4.1; under-relaxed by a power estimate",
    .setup = nb_relaxation_setup,
    .update = update,
    .solve = solve,
    .free = nb_relaxation_free,
};
