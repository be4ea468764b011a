/* Forces carried from one step of a simulation to the next, where its solver begins with them.
 *
 * A contact is that of the last step between the same two bodies (or the same particles) whose point in either
 * body has moved least, and by no more than the margin of contact detection: a vertex keeps its place in its
 * body, whatever it slides along. Its force turns with nothing and is projected on the new normal's cone: first
 * the normal part to what pushes, then the tangential part to the limit. New contacts begin without force. */
#ifndef NB_WARM_START_H
#define NB_WARM_START_H

#include "problems/base/status.h"
#include "problems/problem.h"

struct nb_kept_contact {
    int body[2], particle[6];
    double point[6], force[3]; /* the force in the world frame [N] */
    int used;
};

/* Zero-initialised: nothing is known. */
struct nb_warm_start {
    int contacts, bilaterals, dofs;
    struct nb_kept_contact *contact; /* [contacts], sorted by bodies and particles */
    double *bilateral;               /* [bilaterals] */
    double *u;                       /* [dofs]       */
};

/* Keeps the solution of a step, before the problem moves on. */
enum nb_status nb_warm_start_keep(struct nb_warm_start *warm, const struct nb_problem *problem,
                                  const double *u, const double *lambda, struct nb_error *error);

/* Where the next, prepared step begins: u [nb_problem_dofs], lambda [nb_problem_multipliers]. distance: how
 * far a contact may have moved [m]. Returns how many contacts were found again. */
int nb_warm_start_guess(struct nb_warm_start *warm, const struct nb_problem *problem, double distance,
                        double *u, double *lambda);

void nb_warm_start_free(struct nb_warm_start *warm);

#endif
