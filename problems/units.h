/* A step written in other units of mass, length and time. A number of the unit kg^a m^b s^c becomes itself times
 * mass^a length^b time^c:
 *
 *     velocity  m/s: length/time        force  N: mass length/time^2       W  1/kg: 1/mass
 *     rotation rate  1/s: 1/time        torque  N m: mass length^2/time^2  Lame, pressure  Pa: mass/(length time^2)
 *
 * With grams, millimetres and milliseconds instead of SI, mass = length = time = 1000. Angles, mu, frames and weights
 * have no unit. In FCLIB's forms every velocity counts as a length per time, also of a rotation: the file does not
 * tell which is which. With powers of two, nothing is rounded. */
#ifndef NB_UNITS_H
#define NB_UNITS_H

#include "problems/problem.h"

struct nb_units {
    double mass, length, time; /* finite, > 0 */
};

/* The whole step but for what its scene was made with, name, parameters, provenance. Returns 0 where a number would
 * overflow, or fall below the least normal one: the problem can then only be freed. */
int nb_problem_change_units(struct nb_problem *problem, double mass, double length, double time);

/* A solution or a start of a problem in these or other units: u [nb_problem_dofs] and lambda [nb_problem_multipliers],
 * either may be NULL. */
void nb_solution_change_units(const struct nb_problem *problem, const struct nb_units *factor, double *u,
                              double *lambda);

/* The factors of the way back. */
struct nb_units nb_units_inverse(const struct nb_units *factor);

#endif
