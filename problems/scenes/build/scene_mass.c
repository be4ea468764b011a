/* Consistent masses as ties (problems/scenes/build/scene_mass.h). */
#include "problems/scenes/build/scene_mass.h"

#include "problems/base/vec3.h"

void nb_scene_spread_mass(struct nb_problem *problem, int index, int middle, const int *corner, int corners,
                          double mass)
{
    struct nb_particles *particles = &problem->particles;
    int *particle = problem->ties.particle + NB_TIED * index;
    double *weight = problem->ties.weight + NB_TIED * index, *at = particles->position + 3 * middle;
    for (int k = 0; k < NB_TIED; ++k) {
        particle[k] = k == 0 ? middle : k <= corners ? corner[k - 1]
                                                     : -1;
        weight[k] = k == 0 ? 1 : k <= corners ? -1. / corners
                                              : 0;
    }
    at[0] = at[1] = at[2] = 0;
    for (int k = 0; k < corners; ++k) {
        nb_add_scaled3(at, 1. / corners, particles->position + 3 * corner[k], at);
        particles->mass[corner[k]] += mass / (corners * (corners + 1));
    }
    particles->mass[middle] += mass * corners / (corners + 1);
}
