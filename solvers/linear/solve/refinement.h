/* What refinement in a lower precision does alike on the CPU (island_matrices.c, island_refinement.c) and on a CUDA
 * device (solvers/cuda/step/refine_stages.cuh): the formats, the scaling, and when it ends. */
#ifndef NB_REFINEMENT_H
#define NB_REFINEMENT_H

#include "solvers/precision.h"
#include "solvers/solve.h"

#define nb_refinement_ending NB(nb_refinement_ending)

/* The setting in=: the format of a linear solve's matrix; other than SAME within refinement in the run's precision. */
enum nb_solve_format { NB_SOLVE_SAME, NB_SOLVE_F32, NB_SOLVE_F16, NB_SOLVE_BF16 };

enum { NB_REFINEMENT_ROUNDS = 200 }; /* at most */

/* Unit roundoff of the format, other than SAME. */
NB_BOTH double nb_solve_unit(enum nb_solve_format format)
{
    return format == NB_SOLVE_BF16 ? 0x1p-8 : format == NB_SOLVE_F32 ? 0x1p-24 : 0x1p-11;
}

/* S of a row, a power of two: S^2 times the diagonal's entry, which is positive, lies between 1/2 and 4. */
NB_BOTH double nb_refinement_scale(double diagonal)
{
    return ldexp(1.0, -ilogb(diagonal) / 2);
}

/* After a round that ended so and left a residual of norm `next` from one of norm `last`: NB_LINEAR_ITERATION_LIMIT for
 * another round, or how the refinement has ended. One that falls by less than a tenth is as good as it gets. */
NB_BOTH enum nb_linear_ending nb_refinement_ending(nb_real next, nb_real last, nb_real goal,
                                                   enum nb_linear_ending round)
{
    if (next <= goal)
        return NB_LINEAR_CONVERGED;
    if (next <= NB_REAL(0.9) * last)
        return NB_LINEAR_ITERATION_LIMIT;
    return round == NB_LINEAR_BREAKDOWN ? NB_LINEAR_BREAKDOWN : NB_LINEAR_STAGNATED;
}

#endif
