/* Effective mass with what holds the bodies: r as the scaling `mass` has it (Macklin et al. 2019, 66), of the diagonal
 * of J M^-1 J^T with the bilateral rows eliminated. Stiff joints leave a contact a hundredth, and less, of what its
 * free bodies would give way (docs/notes/beam.md). Without bilateral rows it is `mass`, bit for bit. */
#include <stdlib.h>

#include "solvers/sparse/eliminated.h"
#include "solvers/strategy.h"

static enum nb_status refine(const struct nb_problem *problem, nb_real *diagonal, struct nb_error *error)
{
    const size_t rows = 3 * (size_t)nb_problem_contacts(problem);
    if (rows == 0 || nb_problem_bilaterals(problem) == 0)
        return NB_OK;
    double *eliminated = malloc(rows * sizeof *eliminated);
    if (!eliminated)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the scaling of %zu rows", rows);
    struct nb_error why = {""};
    enum nb_status status = nb_eliminated_diagonal(problem, eliminated, &why);
    if (status)
        status = nb_fail(error, status, "scaling effective: %.300s", why.text);
    for (size_t i = 0; !status && i < rows; ++i)
        diagonal[i] = (nb_real)eliminated[i];
    free(eliminated);
    return status;
}

static void compute(const struct nb_scaling_input *input, nb_real *r_normal, nb_real *r_friction)
{
    nb_find_scaling("mass")->compute(input, r_normal, r_friction);
}

const struct nb_scaling NB(nb_scaling_effective) = {
    .name = "effective",
    .title = "r = effective mass with joints",
    .source = "Macklin et al. 2019, equation 66, with bilateral rows eliminated",
    .refine = refine,
    .compute = compute,
};
