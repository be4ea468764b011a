/* Masses that elements spread consistently, as ties (problems/problem.h). A segment, triangle or tetrahedron of mass m
 * with k corners has the consistent mass matrix m/(k (k + 1)) (1 + delta_ij). That is m/(k (k + 1)) at each corner and
 * m k/(k + 1) at their middle: a particle there, tied to the corners' mean. So M stays diagonal for every solver; with
 * the ties eliminated it is the matrix. */
#ifndef NB_SCENE_MASS_H
#define NB_SCENE_MASS_H

#include "problems/problem.h"

/* Adds the mass of an element of 2 to 4 corners consistently: to the corners and to the particle `middle`, which is
 * put between them and held there by the rigid tie `index`. */
void nb_scene_spread_mass(struct nb_problem *problem, int index, int middle, const int *corner, int corners,
                          double mass);

#endif
