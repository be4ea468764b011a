/* Joints between frames of two bodies in double: what the linearised step, the time-step loop and
 * the tests need. Solvers evaluate them per precision (solvers/model/rows/joint.c), the judge a third
 * way (harness/judge/metrics_joints.c). */
#ifndef NB_JOINTS_H
#define NB_JOINTS_H

#include "problems/problem.h"

enum { NB_JOINT_ROWS = 6 }; /* the most that a joint has */

/* What the rows of a kind measure, in row order: 0 to 2 are x_x, x_y, x_z, and 3 to 5 e_x, e_y, e_z. */
const int *nb_joint_axes(enum nb_joint_kind kind);

/* c_b [rows] of a joint in the problem's configuration, and its derivative [12 rows] by the
 * velocities (v, omega) of side a, then side b; zero for the world's. The sign of e is that of
 * problem.h at this configuration. */
void nb_joint_evaluate(const struct nb_problem *problem, int joint, double *value,
                       double *jacobian);

/* The coordinate that a hinge, a slider or a ball leaves free: the angle [rad] or displacement [m] of which
 * nb_limits has bounds. */
double nb_joint_coordinate(const struct nb_problem *problem, int joint);

/* C_n of a limit in the problem's configuration, and the three rows [36] of its block by the
 * velocities as above: the derivative of C_n, then the two tangents of the present frame b. */
void nb_limit_evaluate(const struct nb_problem *problem, int limit, double *gap, double *jacobian);

/* The tangents of a joint's limits in the problem's configuration, world frame [6]. */
void nb_limit_tangents(const struct nb_problem *problem, int joint, double *tangents);

/* Moves the prescribed world frames by their drift over one time step. */
void nb_joints_drift(struct nb_problem *problem);

/* Every pair of bodies that a joint connects, lower index first, sorted, without repeats; joints to
 * the world are left out. *pairs [2 *count] is for the caller to free. */
enum nb_status nb_joint_pairs(const struct nb_joints *joints, int **pairs, int *count,
                              struct nb_error *error);

/* Is (a, b), in any order, among the pairs? */
int nb_joint_has_pair(const int *pairs, int count, int a, int b);

#endif
