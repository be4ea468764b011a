/* Strain-rate damping of all that is elastic but tetrahedra: each distance and tie of compliance E > 0 gets the damping
 * d = T/E, a force T times the rate of the elastic one (problems/problem.h), which damps what swings at the rate w by
 * w T/2. What is rigid has no strain. */
#ifndef NB_SCENE_DAMPING_H
#define NB_SCENE_DAMPING_H

#include "problems/problem.h"

/* Of the distances and ties as they are now, by the time T >= 0 [s]. */
enum nb_status nb_scene_damp(struct nb_problem *problem, double time, struct nb_error *error);

#endif
