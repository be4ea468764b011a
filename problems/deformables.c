/* Attachments and distances of particles (problems/deformables.h). */
#include "problems/deformables.h"

#include "problems/vec3.h"

void nb_attachments_drift(struct nb_problem *problem)
{
    struct nb_attachments *attachments = &problem->attachments;
    for (int i = 0; i < attachments->count; ++i)
        if (attachments->body[i] < 0)
            nb_add_scaled3(attachments->point + 3 * i, problem->time_step,
                           attachments->drift + 3 * i, attachments->point + 3 * i);
}
