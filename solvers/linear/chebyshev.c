/* Preconditioned Chebyshev semi-iteration (Golub and Varga 1961; Saad 2003, algorithm 12.1). The bounds
 * of the spectrum of P^-1 A come from a few Lanczos steps before each solve, which are counted as
 * products and preconditionings but not as iterations. */
#include "solvers/linear/krylov/chebyshev.h"
#include "solvers/linear/krylov/krylov.h"

enum { ESTIMATE_STEPS = 12 };

static void precondition(const void *context, const nb_real *r, nb_real *z)
{
    nb_precond_apply(context, r, z);
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    const struct nb_spectrum spectrum =
        nb_lanczos(task->op, precondition, task, ESTIMATE_STEPS, self);
    task->op->applications += spectrum.products;
    return nb_chebyshev_solve(task, precondition, task, spectrum, self);
}

const struct nb_linear NB(nb_linear_chebyshev) = {
    .name = "chebyshev",
    .title = "Chebyshev semi-iteration",
    .source = "Golub and Varga 1961; Saad 2003, algorithm 12.1",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = 4,
    .solve = solve,
};
