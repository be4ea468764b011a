/* Contact forces shared evenly, after a solve (Macklin et al. 2019, 10.3; Zheng and James 2011).
 *
 * Where bodies touch at more points than their motion tells apart, forces are not unique. Of each pair of bodies, and
 * of a body and the world, the impulses R_i of its contacts are replaced by those of the least norm among all that obey
 * the same law and have the same effect on both bodies:
 *
 *     min 1/2 sum |R_i|^2,   sum J_i^T R_i = sum J_i^T R_i before,   R_i in the cone K of a contact that sticks,
 *                            R_i = r_i (1, mu t), r_i >= 0, of one that slides against t.
 *
 * Velocities stay, and so do impulses of contacts that are open, of soft ones, which have no choice, of limits of
 * joints and of deformable bodies. */
#ifndef NB_REDISTRIBUTE_H
#define NB_REDISTRIBUTE_H

#include "harness/judge/metrics.h"

/* The bodies that each contact is of: pair [contacts], numbered from 0, -1 of limits, of contacts with deformable sides
 * and of local forms, which do not tell. Contacts whose rows meet the same velocities are of one pair. */
enum nb_status nb_judge_find_pairs(const struct nb_judge *judge, int *pair, int *pairs, struct nb_error *error);

/* How evenly pairs of bodies share their forces: of each, with k closed contacts, k > 1, (sum R_N)^2/(k sum R_N^2),
 * which is 1 where all carry the same and 1/k where one carries all; the mean of these, weighted with sum R_N. Closed
 * is U_N <= 2^-20 V_N. NaN where there is no such pair. Of the last update. */
double nb_judge_force_evenness(const struct nb_judge *judge);

struct nb_redistribution {
    int pairs, changed;   /* with more than one contact that is closed, and of which a better share was found */
    double before, after; /* 2-norm of the impulses of all contacts [N s]                                    */
};

/* lambda [nb_problem_multipliers] in place, at the solution (u, lambda). What is within twice the solution's own
 * step_error of being closed, or of sticking, is so. NB_UNSUPPORTED of a local form. A pair whose least norm is not
 * found to 1e-10 of its effect keeps its forces. */
enum nb_status nb_redistribute(struct nb_judge *judge, const double *u, double *lambda, struct nb_redistribution *done,
                               struct nb_error *error);

#endif
