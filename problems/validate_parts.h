/* The parts of nb_problem_validate that have a file of their own. */
#ifndef NB_VALIDATE_PARTS_H
#define NB_VALIDATE_PARTS_H

#include "problems/problem.h"

/* Joints between `bodies` bodies: kinds, indices, unit quaternions, compliances, prescribed motion. */
enum nb_status nb_validate_joints(const struct nb_joints *joints, int bodies,
                                  struct nb_error *error);

#endif
