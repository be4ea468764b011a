/* Flexible preconditioned conjugate gradients (Notay 2000): beta by Polak and Ribiere, which allows P to
 * change a little from one application to the next (solvers/linear/krylov/conjugate_gradients.c). */
#include "solvers/linear/krylov/krylov.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    return nb_conjugate_gradients(self, task, 1);
}

const struct nb_linear NB(nb_linear_fpcg) = {
    .name = "fpcg",
    .title = "flexible conjugate gradients",
    .source = "Notay 2000",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = NB_CONJUGATE_GRADIENTS_VECTORS,
    .solve = solve,
};
