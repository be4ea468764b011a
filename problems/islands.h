/* Islands: bodies and particles that act on each other through contacts, joints, attachments,
 * distances and tetrahedra, however indirectly. They are the connected components of the graph whose
 * nodes are the bodies and particles and whose edges are those links; the world connects nothing, since
 * it does not move. Islands can be solved apart: the Schur matrix has no entry between two of them. */
#ifndef NB_ISLANDS_H
#define NB_ISLANDS_H

#include "problems/problem.h"

/* Islands are numbered in the order of their first bodies, those without a body after them in the order
 * of their first particles; a body or particle that nothing touches is an island of its own. */
struct nb_islands {
    int count;
    int *body;          /* [bodies.count]   island of each body                       */
    int *particle;      /* [particles.count] of each particle                         */
    int *contact;       /* [contacts.count] of each contact                           */
    int *joint;         /* [joints.count]   of each joint; -1 where it has no body    */
    int *bodies;        /* [count] bodies in each island                              */
    int *particles;     /* [count] particles in each                                  */
    int *contacts;      /* [count] contacts in each, those with the world included    */
    int *joints;        /* [count] joints likewise                                    */
    void *memory;       /* of these arrays                                            */
};

/* Of a valid nonlinear step; any other has none. The caller frees, also after a failure. */
enum nb_status nb_islands_find(struct nb_islands *islands, const struct nb_problem *problem,
                               struct nb_error *error);
void nb_islands_free(struct nb_islands *islands);

/* The islands of a valid linear step, by the lowest node of each: label [nodes]. Nodes are its velocities, of which a
 * local step has none, then its contacts, then its bilateral rows. An entry that is stored and is zero joins
 * nothing. */
void nb_linear_label(const struct nb_problem *problem, int *label);
int nb_linear_velocities(const struct nb_problem *problem);

/* Of a valid linear step: how many sets of contacts and bilateral rows have no velocity in common, however indirectly
 * (of a local step: no entry of W between them), and the contacts of the largest. Velocities without either are no
 * island here, for a linear step does not tell which of them are one body's. */
enum nb_status nb_linear_islands(const struct nb_problem *problem, int *count, int *largest, struct nb_error *error);

/* The island with the most contacts, the first of equals; -1 where there is none. */
int nb_islands_largest(const struct nb_islands *islands);

#endif
