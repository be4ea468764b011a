/* MuJoCo's constraint solvers (Todorov, Erez and Tassa 2012; Todorov 2014), on matrices of ours.
 *
 * MuJoCo minimises 1/2 (x - a)^T M (x - a) + s(J x - a_ref), whose dual is
 *
 *     min 1/2 f^T (J M^-1 J^T + R) f + f^T (J a - a_ref)   over the cones K,   R diagonal, above 0:
 *
 * the convex relaxation of Coulomb's law, in which what slides opens by mu times its slip, softened by R.
 * With x = v, a = M^-1 (force of the step) and a_ref = -w it is that of a linear step. Its interface
 * takes models of bodies; here a model of slide joints has the right tree of velocities, and the mass
 * matrix qM, the rows efc_J, efc_aref, efc_R, efc_D and the contacts are written into mjData before
 * mj_fwdConstraint is called. Global linear steps without bilateral rows. */
#ifndef NB_PEER_MUJOCO_H
#define NB_PEER_MUJOCO_H

#include "problems/problem.h"

enum nb_mujoco_solver { NB_MUJOCO_PGS, NB_MUJOCO_CG, NB_MUJOCO_NEWTON }; /* as mjtSolver */

struct nb_mujoco;

/* regularisation: R over the normal diagonal of J M^-1 J^T, above 0. NB_UNSUPPORTED with the reason for
 * steps that it cannot take. */
enum nb_status nb_mujoco_create(struct nb_mujoco **mujoco, const struct nb_problem *problem,
                                enum nb_mujoco_solver solver, double regularisation,
                                struct nb_error *error);

/* At most `iterations` iterations from zero force; returns how many it made. */
int nb_mujoco_solve(struct nb_mujoco *mujoco, int iterations);

/* r [3 contacts] [N s] and v [dofs]. */
void nb_mujoco_solution(const struct nb_mujoco *mujoco, double *r, double *v);

void nb_mujoco_free(struct nb_mujoco *mujoco);

#endif
