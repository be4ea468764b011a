/* A step taken apart: each island becomes a step of its own, which can be solved as if the others were not there. An
 * island is what M, contacts, joints and elements couple (problems/islands.h); of a linear step, what entries other
 * than zero of M, H and G, or of W, do. The world couples nothing, since it does not move.
 *
 *     u = (u_1, ..., u_n), lambda = (lambda_1, ..., lambda_n), up to the order of rows
 *
 * What no row touches, such as a body in free flight or a velocity of one that nothing turns, is no island worth a
 * step: it goes with what stands before it, or the first island. The same holds for rows that touch nothing. */
#ifndef NB_SPLIT_H
#define NB_SPLIT_H

#include "problems/problem.h"

struct nb_split_part {
    struct nb_problem problem; /* without shapes and drawing, which no solver reads                 */
    int dofs, multipliers;
    int *dof;        /* [dofs] place of each velocity among those of the whole step       */
    int *multiplier; /* [multipliers] and of each multiplier                              */
};

struct nb_split {
    int count;                  /* 0: the step is one island, or has no row: there are no parts      */
    struct nb_split_part *part; /* [count], in the order of their first velocities                  */
};

/* Of a valid step. The order of bodies, contacts and rows is kept in each part. The caller frees, also after a
 * failure. */
enum nb_status nb_problem_split(const struct nb_problem *problem, struct nb_split *split, struct nb_error *error);
void nb_split_free(struct nb_split *split);

#endif
