/* How far solids may move against each other within a step. Internal to problems/collide.
 *
 * A body's velocity over the step is u~ unless something hits it; then it is taken to lie within the box spanned by
 * its own and those of what it may meet, the world's being 0. Two solids are within reach where their boxes, swept by
 * these velocities, are at most margin apart. */
#ifndef NB_MOTION_H
#define NB_MOTION_H

#include "problems/collide/broad_phase.h"

struct nb_reach {
    double lower[3], upper[3]; /* of displacements over the step [m]     */
    double spin;               /* of the farthest point by turning [m]   */
};

struct nb_motion {
    const double *u;        /* u~, or NULL: nothing moves                */
    double margin;
    int bodies;
    int *owner;             /* [solids] into reach, -1: the world        */
    struct nb_reach *own, *reach; /* [bodies + faces]: by u~, and what may be */
};

/* u [nb_problem_dofs]; solids as nb_broad_phase has them, the first `rigid` of them rigid. Where nothing moves by
 * more than the margin, motion->u is NULL. The caller frees, also after a failure. */
enum nb_status nb_motion_create(struct nb_motion *motion, const struct nb_problem *problem,
                                const struct nb_solid *solids, int count, int rigid, const double *u,
                                double margin, struct nb_error *error);
void nb_motion_free(struct nb_motion *motion);

/* Pairs within reach, and widens `reach` by what they may pass on. */
enum nb_status nb_motion_pairs(struct nb_motion *motion, struct nb_pair_list *pairs, struct nb_solid *solids,
                               int count, struct nb_error *error);

/* The largest relative motion of two solids [m]: by u~ alone, and with what others may add; 0 where nothing moves. */
double nb_motion_own(const struct nb_motion *motion, int first, int second);
double nb_motion_of(const struct nb_motion *motion, int first, int second);

#endif
