/* A step is prepared from a configuration, and its solution moves the configuration on:
 *
 *     u~ = u- + h M^-1 f,   q+ = q- (+) h u+          (Macklin et al. 2019, 45 to 50)
 *
 * f holds gravity and the gyroscopic torque with which a free body keeps its angular momentum and gains no energy
 * (problems/base/gyration.h), and what the scene has of its own. Quaternions are updated to first order,
 * theta+ = theta- + h/2 Q(theta-) omega (89), then normalised. */
#ifndef NB_STEP_H
#define NB_STEP_H

#include "problems/base/status.h"
#include "problems/problem.h"

/* Finds the contacts at the problem's configuration and computes its free velocity: after this the
 * problem is a complete step. */
enum nb_status nb_step_prepare(struct nb_problem *problem, struct nb_error *error);

/* u~ = u- + h M^-1 f of one body by gravity and its turning alone, out [6]: before what the scene adds. */
enum nb_status nb_step_free_velocity(const struct nb_problem *problem, int body, double *out, struct nb_error *error);

/* q+ = q- (+) h u, u- = u, and the prescribed frames of joints and points of attachments move on to
 * the end of the next step; contacts and free_velocity become stale until nb_step_prepare. */
void nb_step_advance(struct nb_problem *problem, const double *u);

/* Within what distance contacts are found [m]: the problem's parameter `margin`, 0.01 where it has none. */
double nb_step_margin(const struct nb_problem *problem);

#endif
