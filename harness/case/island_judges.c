#include "harness/case/island_judges.h"

#include <math.h>
#include <stdlib.h>

/* A share of the tolerance: far above what the order of a sum leaves, far below what anyone asks for. */
#define ROUNDING 0x1p-20

enum nb_status nb_island_judges_create(struct nb_island_judges *judges, const struct nb_solver *solver,
                                       struct nb_error *error)
{
    const int count = nb_solver_islands(solver);
    enum nb_status status = NB_OK;
    *judges = (struct nb_island_judges){0};
    if (count == 1)
        return NB_OK;
    judges->judge = calloc((size_t)count, sizeof *judges->judge);
    if (!judges->judge)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to judge %d islands", count);
    judges->count = count;
    for (int i = 0; i < count && !status; ++i)
        status = nb_judge_create(&judges->judge[i], nb_solver_island(solver, i), error);
    return status;
}

bool nb_island_goes_on(const struct nb_island_judges *judges, int island, const double *u, const double *lambda,
                       double tolerance)
{
    struct nb_metrics errors;
    nb_judge_evaluate(judges->judge[island], u, lambda, &errors);
    return isfinite(errors.step_error) && !(errors.step_error <= tolerance * (1 - ROUNDING));
}

void nb_island_judges_free(struct nb_island_judges *judges)
{
    for (int i = 0; i < judges->count; ++i)
        nb_judge_free(judges->judge[i]);
    free(judges->judge);
    *judges = (struct nb_island_judges){0};
}
