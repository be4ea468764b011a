/* Counted applications: what the records call products and preconditionings. */
#include "solvers/strategy.h"

void NB(nb_operator_apply)(struct NB(nb_operator) *op, const nb_real *x, nb_real *y)
{
    op->applications++;
    op->strategy->apply(op, x, y);
}

void NB(nb_precond_apply)(const struct NB(nb_linear_task) *task, const nb_real *r, nb_real *z)
{
    ++*task->precond_applications;
    task->precond->apply(task->precond_self, task->op, r, z);
}
