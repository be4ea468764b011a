/* Whether the constraints of a step contradict each other, proven by a certificate (docs/theory/infeasibility.md). It
 * depends on the problem alone.
 *
 * With A the normal rows of contacts and the hard bilateral rows, U(v) = A v + c their velocities, a step needs
 *
 *     U_i(v) >= 0 of contacts,   U_j(v) = 0 of bilateral rows;
 *
 * friction does not matter: De Saxce's term leaves U_N >= 0. By Farkas' lemma there is no such v if and only if there
 * are impulses r, r_i >= 0 of contacts, without effect, A^T r = 0, that do negative work, c . r < 0: at any v that
 * satisfied all rows, r . U(v) >= 0 would have to hold, but it is c . r. In floating point the effect is not zero, so
 * that the claim is of velocities within reach: of an island, with D the largest that its rows have to undo at v_0 =
 * M^-1 f and T the largest sum of |entry| |v_0| in a row, in m/s, and a_k the speed of velocity k,
 *
 *     a_k |v_k - v_0,k|  <=  1e6 (D + T).
 *
 * No velocity there moves any contact or joint by more than that, and at all of them
 *
 *     sum |r_i| violation_i  >=  -r . U(v_0)  -  1e6 (D + T) sum_k |A^T r|_k / a_k.
 *
 * Constraints contradict each other where this is positive, so that some row is violated by at least this over
 * sum |r_i| size_i, and that is at least 1.5e-8 (D + T): less is what a step counts as solved with. Both sums are taken
 * in 113 bits, of r as it is in float64. Masses play no part but in v_0, and any other point would serve. Speeds and
 * sizes of rows, in which all is m/s of contacts, are those of infeasibility_descent.c.
 *
 * The local form does not tell velocities: U = W p + q. Its claim is of W to the rounding of its entries: no sum of W r
 * is over 8 x 2^-52 of its terms, so that some W that can hardly be told from this one has no solution whatever the
 * impulses. A mass ratio of up to 1e14 shows in W, so that what it asks for is never called contradictory. Rows that
 * give way, by E or by R, are no hard rows: E is part of M here and R of W, so that what they ask for has an effect. Of
 * a nonlinear step its linearisation at q- is what is proven to have no solution, and the step itself may have one. */
#ifndef NB_INFEASIBILITY_H
#define NB_INFEASIBILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "problems/problem.h"

/* No certificate is looked for in larger problems: rows of contacts and joints together, velocities, and of the local
 * form, whose matrix is factorised densely, rows of an island. */
#define NB_INFEASIBILITY_ROWS 100000
#define NB_INFEASIBILITY_DOFS 300000
#define NB_INFEASIBILITY_LOCAL_ROWS 2000

/* How far the claim reaches, of velocities over D + T; and the rounding of a local form over 2^-52. */
#define NB_INFEASIBILITY_REACH 1e6
#define NB_INFEASIBILITY_ROUNDING 8

/* The certificate. Rows take part whose |r_i| size_i is at least 1e-6 of the largest. */
struct nb_infeasibility {
    bool found;
    bool linearized;  /* of a nonlinear step: it holds for its linearisation at q-              */
    bool absolute;    /* r has no effect at all, so that no velocity whatever satisfies the rows */
    int contacts;     /* that take part                                                         */
    int contact;      /* that of the largest r_i size_i; -1: none takes part                    */
    int bilaterals;   /* hard bilateral rows that take part                                     */
    int bilateral;    /* likewise, counted among the hard ones                                  */
    double violation; /* that every velocity within reach leaves in some row, over D + T        */
};

/* Looks for the certificate; where it finds one, in several islands, it is that of the largest violation. Not found: no
 * statement. u [nb_problem_dofs], where a run ended, may spare the search and never changes its result; NULL is fine.
 * Deterministic; at most 60 sparse factorisations of A^T A. NB_OUT_OF_MEMORY is the only error. */
enum nb_status nb_infeasibility_find(const struct nb_problem *problem, const double *u,
                                     struct nb_infeasibility *found, struct nb_error *error);

/* "the constraints contradict each other: contact 3 (and 2 more) and bilateral row 1: ..." for people. */
void nb_infeasibility_describe(const struct nb_infeasibility *found, char *text, size_t size);

#endif
