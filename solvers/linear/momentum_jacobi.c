/* Jacobi with mass splitting and momentum (Tonge, Benevolenski and Voroshilov 2012; Polyak 1964, the heavy
 * ball):
 *
 *     x_{k+1} = x_k + alpha P^-1 (b - A x_k) + beta (x_k - x_{k-1})
 *
 * with, for a spectrum of P^-1 A in [m, 1], the optimal alpha = (2 / (1 + sqrt m))^2 and
 * beta = ((1 - sqrt m) / (1 + sqrt m))^2. m is raised as in the Chebyshev semi-iteration
 * (solvers/linear/krylov/chebyshev.h). */
#include <string.h>

#include "solvers/linear/krylov/chebyshev.h"
#include "solvers/linear/krylov/krylov.h"
#include "solvers/linear/relaxation/mass_splitting.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    const struct nb_mass_splitting *split = self;
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *r = split->work, *z = r + n, *step = z + n, *change = step + n;
    const struct nb_spectrum spectrum = {.low = split->low, .high = 1};
    const nb_real root = nb_sqrt(nb_chebyshev_interval(spectrum, task->iterations).low);
    const nb_real alpha = 4 / ((1 + root) * (1 + root));
    const nb_real beta = (1 - root) * (1 - root) / ((1 + root) * (1 + root));
    struct nb_krylov_monitor monitor;

    nb_krylov_start(&monitor, task, r, change);
    memset(step, 0, n * sizeof *step);
    while (!monitor.done) {
        nb_mass_splitting_apply(split, r, z);
        for (size_t i = 0; i < n; ++i) {
            step[i] = alpha * z[i] + beta * step[i];
            task->x[i] += step[i];
        }
        nb_operator_apply(op, step, change);
        for (size_t i = 0; i < n; ++i)
            r[i] -= change[i];
        nb_krylov_advance(&monitor, r);
    }
    return monitor.report;
}

const struct nb_linear NB(nb_linear_momentum_jacobi) = {
    .name = "momentum_jacobi",
    .title = "Jacobi with mass splitting, momentum",
    .source = "Tonge, Benevolenski and Voroshilov 2012; Polyak 1964",
    .needs_matrix = 1,
    .setup = nb_mass_splitting_setup,
    .update = nb_mass_splitting_update,
    .solve = solve,
    .free = nb_mass_splitting_free,
};
