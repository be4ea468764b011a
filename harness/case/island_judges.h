/* A judge for each island that a solver solves apart: the step_error of a step is the largest of its islands'
 * (docs/theory/measure.md), so that each may stop where its own reaches the tolerance. */
#ifndef NB_ISLAND_JUDGES_H
#define NB_ISLAND_JUDGES_H

#include "harness/judge/metrics.h"
#include "solvers/solve.h"

struct nb_island_judges {
    int count;               /* 0: the solver takes the step as one */
    struct nb_judge **judge; /* [count]                             */
};

/* The solver must outlive them. The caller frees, also after a failure. */
enum nb_status nb_island_judges_create(struct nb_island_judges *judges, const struct nb_solver *solver,
                                       struct nb_error *error);

/* Whether an island is to go on: not where its step_error is at most the tolerance, with room for the rounding in which
 * the judge of the whole step differs, nor where it is not finite. */
bool nb_island_goes_on(const struct nb_island_judges *judges, int island, const double *u, const double *lambda,
                       double tolerance);

void nb_island_judges_free(struct nb_island_judges *judges);

#endif
