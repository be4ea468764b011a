/* The shapes are moved to q+ and met again there without a margin: of every contact that this gives, -C_n is how deep
 * it is. */
#include "harness/judge/overlap.h"

#include <math.h>

#include "problems/collide/collide.h"
#include "problems/step.h"

enum nb_status nb_overlap_add(const struct nb_problem *problem, const double *u, double *penetration,
                              struct nb_error *error)
{
    struct nb_problem end;
    if (problem->form != NB_NONLINEAR || problem->shape_count == 0)
        return NB_OK;
    for (int i = 0; i < nb_problem_dofs(problem); ++i)
        if (!isfinite(u[i]))
            return NB_OK;
    enum nb_status status = nb_problem_copy(problem, &end, error);
    if (status)
        return status;
    nb_step_advance(&end, u);
    status = nb_collide(&end, 0, error);
    for (int i = 0; !status && i < end.contacts.count; ++i)
        *penetration = fmax(*penetration, -nb_contact_gap(&end, i));
    nb_problem_free(&end);
    return status;
}
