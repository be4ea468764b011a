/* Changes of a nonlinear step that leave its contacts as they are: to compare steps, and to estimate what a step is
 * made of from its velocities. */
#ifndef NB_VARIATION_H
#define NB_VARIATION_H

#include "problems/problem.h"

/* u- += change [nb_problem_dofs]; u~ changes as that of a free body does, turning included. */
enum nb_status nb_problem_add_velocity(struct nb_problem *problem, const double *change, struct nb_error *error);

/* Centres of bodies, then particles of a nonlinear step [3 each], [m]. */
void nb_problem_positions(const struct nb_problem *problem, double *position);

/* Of bodies, then particles of a nonlinear step. */
void nb_problem_masses(const struct nb_problem *problem, double *mass);

/* Masses and inertia times factor > 0 [bodies, then particles]. Gravity grows with them, and all other forces in u~
 * stay. */
enum nb_status nb_problem_scale_masses(struct nb_problem *problem, const double *factor, struct nb_error *error);

/* u~ += h M^-1 force [nb_problem_dofs], [N] and [N m]; of a linear step f += h force. */
enum nb_status nb_problem_push(struct nb_problem *problem, const double *force, struct nb_error *error);

#endif
