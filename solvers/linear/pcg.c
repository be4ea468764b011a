/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1), in
 * solvers/linear/krylov/conjugate_gradients.c. */
#include "solvers/linear/krylov/krylov.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    return nb_conjugate_gradients(self, task, 0);
}

const struct nb_linear NB(nb_linear_pcg) = {
    .name = "pcg",
    .title = "preconditioned conjugate gradients",
    .source = "Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = NB_CONJUGATE_GRADIENTS_VECTORS,
    .solve = solve,
};
