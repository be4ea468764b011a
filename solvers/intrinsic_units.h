/* Units that a step has by itself, in which solvers see it, so that a constant of theirs means the same in grams and
 * millimetres as in SI:
 *
 *     time      the time step,
 *     length    of a step with bodies, the mean of their radii of gyration, so that rotations and displacements stay
 *               alike; else such that the velocity is 1 that the step has to take away, the largest of -U_n of a
 *               contact at the free motion and |U| of a bilateral row,
 *     mass      the geometric mean of the contacts' effective masses 1/W_nn, where a particle has the mass of all: it
 *               is no measure of the elastic body that it is a node of,
 *
 * each to a power of two, so that no digit of the step changes. W and U of a global step are estimated with the
 * diagonal of M, of a nonlinear one with the masses alone and at the free motion of its bodies and particles: what
 * matters is that they change as their units do. */
#ifndef NB_INTRINSIC_UNITS_H
#define NB_INTRINSIC_UNITS_H

#include "problems/units.h"

/* The factors of nb_problem_change_units. What a step does not tell, for want of rows or of motion, is left: 1. */
struct nb_units nb_intrinsic_units(const struct nb_problem *problem);

#endif
