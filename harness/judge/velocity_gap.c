/* The velocities of contacts are those that the judge finds for either answer: in a local problem there are no
 * others. */
#include "harness/judge/velocity_gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"

static double contact_gap(const struct nb_judge *judge, int i, const double *velocity)
{
    const double v = judge->scale.velocity[i], *now = judge->velocity + 3 * i, *before = velocity + 3 * i;
    return v > 0 ? hypot(now[0] - before[0], hypot(now[1] - before[1], now[2] - before[2])) / v : 0;
}

static double body_gap(const struct nb_judge *judge, int k, double difference)
{
    const int island = judge->scale.island[judge->contacts + judge->bilaterals + k];
    const double energy = judge->scale.energy[island], mass = nb_csr_diagonal(judge->mass, k);
    return energy > 0 && mass > 0 ? fabs(difference) * sqrt(mass / energy) : 0;
}

enum nb_status nb_velocity_gap(struct nb_judge *judge, const double *u, const double *lambda, const double *other,
                               const double *other_lambda, double *gap, struct nb_error *error)
{
    const size_t bytes = 3 * (size_t)judge->contacts * sizeof(double);
    double *velocity = malloc(bytes + 1);
    *gap = 0;
    if (!velocity)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare two answers");
    nb_judge_update(judge, other, other_lambda);
    memcpy(velocity, judge->velocity, bytes);
    nb_judge_update(judge, u, lambda);
    for (int i = 0; i < judge->contacts; ++i)
        *gap = nb_worst(*gap, contact_gap(judge, i, velocity));
    for (int k = 0; k < judge->dofs && judge->problem->form != NB_LINEAR_LOCAL; ++k)
        *gap = nb_worst(*gap, body_gap(judge, k, u[k] - other[k]));
    free(velocity);
    return NB_OK;
}

void nb_judge_press(const struct nb_judge *judge, double times, double *lambda)
{
    memset(lambda, 0, (size_t)nb_problem_multipliers(judge->problem) * sizeof *lambda);
    for (int i = 0; i < judge->contacts; ++i) {
        const double w = judge->scale.inverse_mass[i];
        if (w > 0)
            lambda[judge->bilaterals + 3 * i] = times * judge->scale.speed[i] / (w * judge->time_step);
    }
}
