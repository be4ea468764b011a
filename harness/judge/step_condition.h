/* By how much velocities may be off where a step's error is small: a backward error bounds them by the step's condition
 * only (docs/theory/measure.md).
 *
 * At an answer (u, lambda) every contact is open, sticks or slides. On these states the step is a linear system; its
 * condition is the largest velocity, of contacts over V_N, of bodies over the root of E / M_kk, with which it answers
 * where every row's velocity and w times its impulse are off by V_N, of tangents by V_T, and every momentum by the root
 * of E M_kk, times a random number, of either sign and of 1/2 to 1. Velocities are then uncertain by about the
 * condition times step_error, as long as no contact changes its state. It is estimated from below, by the largest of 8
 * trials, and told up to about 1e9, of a local form 1e6.
 *
 * Rows that depend on each other cannot be off independently: they get what is nearest to it in least squares, w
 * 1e-20 being their compliance, of a local form w 1e-14. */
#ifndef NB_STEP_CONDITION_H
#define NB_STEP_CONDITION_H

#include "harness/judge/metrics.h"

/* It is not estimated for larger systems, velocities and rows of contacts and joints together. */
#define NB_STEP_CONDITION_SIZE 20000

/* momentum: the same where only momenta are off, to which velocities answer little even in a narrow wedge; of a local
 * form `all`. NaN where they are not known: the step is too large, or its system is singular. */
struct nb_step_condition {
    double all, momentum;
};

/* NB_OUT_OF_MEMORY is the only error. */
enum nb_status nb_step_condition(struct nb_judge *judge, const double *u, const double *lambda,
                                 struct nb_step_condition *condition, struct nb_error *error);

/* By how much velocities may be off, in the units of the condition: all times the largest part of step_error but
 * step_momentum, and momentum times that. */
double nb_velocity_uncertainty(const struct nb_step_condition *condition, const struct nb_metrics *errors);

#endif
