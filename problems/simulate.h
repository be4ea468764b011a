/* The time-step loop: detect contacts at q-, form the step, solve it, move on.
 *
 *     u~ = u- + h M^-1 f,   q+ = q- (+) h u+          (Macklin et al. 2019, 45 to 50)
 *
 * f holds gravity and the explicit gyroscopic torque -omega x I omega. Quaternions are updated to
 * first order, theta+ = theta- + h/2 Q(theta-) omega (89), then normalised. */
#ifndef NB_SIMULATE_H
#define NB_SIMULATE_H

#include "problems/problem.h"
#include "problems/scene.h"
#include "solvers/solve.h"

/* Builds a scene at rest at its start: parameters come as "key=value" strings [count]. The message
 * of a refused one names the scene's known keys or the allowed range. */
enum nb_status nb_scene_create(const char *scene, int count, const char *const *settings,
                               struct nb_problem *problem, struct nb_error *error);

/* Finds the contacts at the problem's configuration and computes its free velocity: after this the
 * problem is a complete step. */
enum nb_status nb_step_prepare(struct nb_problem *problem, struct nb_error *error);

/* q+ = q- (+) h u, u- = u, and the prescribed frames of joints and points of attachments move on to
 * the end of the next step; contacts and free_velocity become stale until nb_step_prepare. */
void nb_step_advance(struct nb_problem *problem, const double *u);

/* Called after each solved step, before advancing: problem is the step, u and lambda its solution.
 * Return nonzero to stop. May be NULL. */
typedef int nb_step_callback(void *context, const struct nb_problem *problem, const double *u,
                             const double *lambda);

/* Runs `steps` steps from the problem's present state and leaves it prepared at the step after
 * them (steps = 0 only prepares). Each step is solved with options, exactly
 * options->newton_iterations iterations. */
enum nb_status nb_simulate(struct nb_problem *problem, int steps, const struct nb_options *options,
                           nb_step_callback *callback, void *context, struct nb_error *error);

#endif
