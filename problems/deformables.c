/* Attachments, distances and ties of particles (problems/deformables.h). */
#include "problems/deformables.h"

#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"

void nb_attachment_evaluate(const struct nb_problem *problem, int index, double *value, double *arm)
{
    const struct nb_attachments *attachments = &problem->attachments;
    const int body = attachments->body[index];
    const double *point = attachments->point + 3 * index;
    nb_subtract3(problem->particles.position + 3 * attachments->particle[index], point, value);
    memset(arm, 0, 3 * sizeof *arm);
    if (body < 0)
        return;
    double rotation[9];
    nb_quaternion_matrix(problem->bodies.orientation + 4 * body, rotation);
    nb_rotate(rotation, point, arm);
    nb_subtract3(problem->particles.position + 3 * attachments->particle[index],
                 problem->bodies.position + 3 * body, value);
    nb_subtract3(value, arm, value);
}

double nb_distance_evaluate(const struct nb_problem *problem, int index, double *direction)
{
    const int *particle = problem->distances.particle + 2 * index;
    const double *position = problem->particles.position, axis[3] = {1, 0, 0};
    nb_subtract3(position + 3 * particle[0], position + 3 * particle[1], direction);
    const double distance = nb_norm3(direction);
    if (distance > 0)
        nb_normalise3(direction);
    else
        memcpy(direction, axis, sizeof axis);
    return distance - problem->distances.length[index];
}

void nb_tie_evaluate(const struct nb_problem *problem, int index, double *value)
{
    const int *particle = problem->ties.particle + NB_TIED * index;
    const double *weight = problem->ties.weight + NB_TIED * index;
    memset(value, 0, 3 * sizeof *value);
    for (int k = 0; k < NB_TIED && particle[k] >= 0; ++k)
        nb_add_scaled3(value, weight[k], problem->particles.position + 3 * particle[k], value);
}

double nb_damped_share(const double *damping, int index, double compliance, double time_step)
{
    const double slow = damping ? damping[index] * compliance : 0;
    return slow / (time_step + slow);
}

void nb_attachments_drift(struct nb_problem *problem)
{
    struct nb_attachments *attachments = &problem->attachments;
    for (int i = 0; i < attachments->count; ++i)
        if (attachments->body[i] < 0)
            nb_add_scaled3(attachments->point + 3 * i, problem->time_step,
                           attachments->drift + 3 * i, attachments->point + 3 * i);
}
