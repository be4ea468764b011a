/* Strain-rate damping (problems/scenes/build/scene_damping.h). */
#include "problems/scenes/build/scene_damping.h"

#include <stdlib.h>

static enum nb_status damp(int count, const double *compliance, double time, double **damping, struct nb_error *error)
{
    *damping = calloc((size_t)count + 1, sizeof **damping);
    if (!*damping)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the damping of %d distances or ties", count);
    for (int i = 0; i < count; ++i)
        (*damping)[i] = compliance[i] > 0 ? time / compliance[i] : 0;
    return NB_OK;
}

enum nb_status nb_scene_damp(struct nb_problem *problem, double time, struct nb_error *error)
{
    struct nb_distances *distances = &problem->distances;
    struct nb_ties *ties = &problem->ties;
    const enum nb_status status = damp(distances->count, distances->compliance, time, &distances->damping, error);
    return status ? status : damp(ties->count, ties->compliance, time, &ties->damping, error);
}
