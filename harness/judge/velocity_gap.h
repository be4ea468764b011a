/* How far two answers of a step are apart in velocities: the largest of |U - U'| of contacts over V, and of |v - v'| of
 * bodies over the root of E / M_kk, as in step_condition.h. */
#ifndef NB_VELOCITY_GAP_H
#define NB_VELOCITY_GAP_H

#include "harness/judge/metrics.h"

/* u, other [nb_problem_dofs], lambda, other_lambda [nb_problem_multipliers]. */
enum nb_status nb_velocity_gap(struct nb_judge *judge, const double *u, const double *lambda, const double *other,
                               const double *other_lambda, double *gap, struct nb_error *error);

/* Impulses that press every contact by so many times its speed / w, and nothing else; [nb_problem_multipliers]. */
void nb_judge_press(const struct nb_judge *judge, double times, double *lambda);

#endif
