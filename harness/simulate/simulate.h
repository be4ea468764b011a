/* The time-step loop: prepare the step (problems/step.h), solve it, advance the positions. */
#ifndef NB_SIMULATE_H
#define NB_SIMULATE_H

#include "problems/problem.h"
#include "solvers/solve.h"

/* Called after each solved step, before advancing: problem is the step, u and lambda its solution.
 * Return nonzero to stop. May be NULL. */
typedef int nb_step_callback(void *context, const struct nb_problem *problem, const double *u,
                             const double *lambda);

/* Runs `steps` steps from the problem's present state and leaves it prepared at the step after
 * them (steps = 0 only prepares). Each step is solved with options, in at most
 * nb_options_iterations(options) iterations. */
enum nb_status nb_simulate(struct nb_problem *problem, int steps, const struct nb_options *options,
                           nb_step_callback *callback, void *context, struct nb_error *error);

/* What the steps of a simulation have cost. A step is solved more than once where its contacts are found anew. */
struct nb_simulation_cost {
    long solves, iterations; /* of the nonlinear method, of its slowest island */
};

/* The same, with *cost, NULL where nobody asks, that of the steps so far at each call of the callback. */
enum nb_status nb_simulate_counted(struct nb_problem *problem, int steps, const struct nb_options *options,
                                   nb_step_callback *callback, void *context, struct nb_simulation_cost *cost,
                                   struct nb_error *error);

/* What is refused of a later step is what the run has made of an input that was fine: it broke down. The status for
 * that of such a step, whose error then names it. */
enum nb_status nb_simulate_blame(enum nb_status status, const struct nb_problem *problem, struct nb_error *error);

#endif
