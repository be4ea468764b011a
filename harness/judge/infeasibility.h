/* Whether the constraints of a step contradict each other, proven by a certificate (docs/theory/infeasibility.md).
 *
 * With a the normal rows of contacts and the hard bilateral rows, U(v) = A v + c their velocities, a step needs
 *
 *     U_i(v) >= 0 of contacts,   U_j(v) = 0 of bilateral rows;
 *
 * friction does not matter: De Saxce's term leaves U_N >= 0. By Farkas' lemma there is no such v if and only if there
 * are impulses r, r_i >= 0 of contacts, without effect, A^T r = 0, that do negative work, c . r < 0: at any v that
 * satisfied all rows, r . U(v) >= 0 would have to hold, but it is c . r. In floating point the effect is not zero, but
 * with v_0 = M^-1 f the free motion, any v that satisfies all rows has
 *
 *     ||v - v_0||_M  >=  -r . U(v_0) / ||A^T r||_{M^-1},
 *
 * and any v at all violates them by sqrt(sum violation_i^2 / w_i) >= -r . U(v_0) / sqrt(sum w_i r_i^2), where
 * A^T r = 0. Constraints of an island contradict each other where, with S^2 = sum of what v_0 violates^2 / w_i and
 * T = ||v_0||_M,
 *
 *     the first bound is at least 1e6 (S + T): the motion would need 1e12 times the energy of all that the step has to
 *     do; the second one is at least 1.5e-8 S: less is what a step counts as solved with; and the work is over 1e3
 *     units of roundoff of the terms that it is made of.
 *
 * The local form has the same statement with W in the place of A M^-1 A^T: effect W r = 0, T = 0, which it does not
 * tell, and 1e5, since W, a product, holds half of the digits. Bilateral rows that give way, by E or by R, are no hard
 * rows: E is part of M here and R of W, so that what they ask for has an effect. Of a nonlinear step its linearisation
 * at q- is what is proven to have no solution. */
#ifndef NB_INFEASIBILITY_H
#define NB_INFEASIBILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "problems/problem.h"

/* Of larger problems no certificate is looked for: rows of contacts and joints together, velocities, and of the local
 * form, whose matrix is factorised densely, rows of an island. */
#define NB_INFEASIBILITY_ROWS 100000
#define NB_INFEASIBILITY_DOFS 300000
#define NB_INFEASIBILITY_LOCAL_ROWS 2000

/* The certificate. Rows take part whose r_i sqrt(w_i) is at least 1e-6 of the largest. */
struct nb_infeasibility {
    bool found;
    bool linearized;  /* of a nonlinear step: it holds for its linearisation at q- */
    int contacts;     /* that take part                                            */
    int contact;      /* that of the largest r_i sqrt(w_i); -1: none takes part    */
    int bilaterals;   /* hard bilateral rows that take part                        */
    int bilateral;    /* likewise, counted among the hard ones                     */
    double violation; /* of the second bound, over S                              */
    double reach;     /* the first bound over S + T; infinite where r has no effect at all */
};

/* Looks for the certificate; where it finds one, in several islands, it is that of the largest violation. u
 * [nb_problem_dofs] and lambda [nb_problem_multipliers], the point where a run ended, spare the search where all rows
 * are satisfied there; both may be NULL. Not found: no statement. Deterministic; at most 60 sparse factorisations of
 * the size of M. NB_OUT_OF_MEMORY is the only error. */
enum nb_status nb_infeasibility_find(const struct nb_problem *problem, const double *u, const double *lambda,
                                     struct nb_infeasibility *found, struct nb_error *error);

/* "the constraints contradict each other: contact 3, 2 more contacts and 1 bilateral row; ..." for people. */
void nb_infeasibility_describe(const struct nb_infeasibility *found, char *text, size_t size);

#endif
