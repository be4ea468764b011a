/* A contact whose normal row is zero cannot be moved, and what its gap's velocity is below zero no impulse undoes: a
 * contradiction, unless it is what rounding left of 0.3 - 0.2 - 0.1. That is told by the largest velocity of the step,
 * without forces of constraints and with M's diagonal alone, as only its size is asked for. */
#include <math.h>

#include "harness/judge/unmoved.h"

#define ROUNDING 0x1p-40 /* of that velocity */

static const struct nb_csr *rows_of(const struct nb_problem *problem)
{
    return problem->form == NB_LINEAR_LOCAL ? &problem->linear.delassus : &problem->linear.contact_jacobian;
}

double nb_unmoved_scale(const struct nb_problem *problem)
{
    const struct nb_linear_step *step = &problem->linear;
    double largest = 0;
    for (int i = 0; i < 3 * step->contacts; ++i) {
        if (step->contact_velocity[i - i % 3] >= NB_SET_ASIDE)
            continue;
        double velocity = fabs(step->contact_velocity[i]);
        const struct nb_csr *matrix = rows_of(problem);
        for (int k = matrix->start[i]; problem->form == NB_LINEAR_GLOBAL && k < matrix->start[i + 1]; ++k) {
            const int column = matrix->column[k];
            velocity += fabs(matrix->value[k] * step->force[column] / nb_csr_diagonal(&step->mass, column));
        }
        largest = fmax(largest, velocity);
    }
    return largest;
}

double nb_unmoved_velocity(const struct nb_problem *problem, int contact, double scale)
{
    const struct nb_csr *matrix = rows_of(problem);
    const double velocity = problem->linear.contact_velocity[3 * contact];
    for (int k = matrix->start[3 * contact]; k < matrix->start[3 * contact + 1]; ++k)
        if (matrix->value[k] != 0)
            return velocity;
    return velocity < 0 && -velocity <= ROUNDING * scale ? 0 : velocity;
}
