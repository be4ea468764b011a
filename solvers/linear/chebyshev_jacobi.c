/* Jacobi with mass splitting, accelerated by the Chebyshev semi-iteration (Tonge, Benevolenski and
 * Voroshilov 2012; Wang 2015). Mass splitting bounds the spectrum by 1 from above, so that only the
 * lower end is estimated. */
#include "solvers/linear/krylov/chebyshev.h"
#include "solvers/linear/relaxation/mass_splitting.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    const struct nb_mass_splitting *split = self;
    const struct nb_spectrum spectrum = {.low = split->low, .high = 1};
    return nb_chebyshev_solve(task, nb_mass_splitting_apply, split, spectrum, split->work);
}

const struct nb_linear NB(nb_linear_chebyshev_jacobi) = {
    .name = "chebyshev_jacobi",
    .title = "Jacobi with mass splitting, Chebyshev",
    .source = "Tonge, Benevolenski and Voroshilov 2012; Wang 2015",
    .needs_matrix = 1,
    .setup = nb_mass_splitting_setup,
    .update = nb_mass_splitting_update,
    .solve = solve,
    .free = nb_mass_splitting_free,
};
