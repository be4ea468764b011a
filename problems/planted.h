/* Linear steps with a planted solution: rank and condition of W = H^T M^-1 H are given, and a solution is known.
 *
 * With N contacts, M = 1 kg and H^T = X S Y^T [3 N x n], X and Y random orthogonal, S the singular values: `deficiency`
 * of the 3 N are 0, the others fall evenly in their logarithm from 1 to condition^-1/2. So the rank of W is 3 N -
 * deficiency, and the ratio of its largest eigenvalue to its smallest one that is not 0 is the condition. Velocities U
 * and impulses r of the contacts are drawn that fulfil Signorini's and Coulomb's laws:
 *
 *     open     r = 0,                        U_n > 0
 *     sliding  U_n = 0, U_T = s d, |d| = 1,  r_n > 0, r_T = -mu r_n d
 *     sticking U = 0,                        r_n > 0, |r_T| <= 0.9 mu r_n
 *
 * and, with v at random, f = M v - H r and w = U - H^T v; in local form q = U - W r.
 *
 * With `opposed` contacts the step has no solution: so many contacts more, each the opposite of one of the first,
 * h' = -h in all three rows, with w_n' = -w_n - 1. The two sum to U_n + U_n' = -1 for any v:
 * impulses of 1 along both normals are a certificate (docs/theory/infeasibility.md). */
#ifndef NB_PLANTED_H
#define NB_PLANTED_H

#include "problems/problem.h"

enum { NB_PLANTED_CONTACTS = 500 }; /* at most: matrices are dense */
#define NB_PLANTED_CONDITION 1e12   /* at most: beyond, rounding hides what is not 0 */

struct nb_planted {
    enum nb_form form;     /* NB_LINEAR_GLOBAL or NB_LINEAR_LOCAL                    */
    int contacts;          /* N, 1 to NB_PLANTED_CONTACTS                            */
    int dofs;              /* n of a global step, at least the rank; 0: 3 N          */
    int deficiency;        /* of W, 0 to 3 N - 1                                     */
    double condition;      /* of W on its range, 1 to NB_PLANTED_CONDITION           */
    double friction;       /* mu of all contacts                                     */
    double open, sliding;  /* shares of the contacts; the rest sticks                */
    int seed;
    int opposed;           /* contacts more that contradict, 0 to `contacts`         */
};

/* The problem, with its settings as parameters and a time step of 1 s, and its solution: u [nb_problem_dofs] and lambda
 * [nb_problem_multipliers], both NULL where `opposed` contacts leave none. The caller frees all three. NB_BAD_INPUT
 * where settings contradict each other. */
enum nb_status nb_planted_make(const struct nb_planted *planted, struct nb_problem *problem, double **u,
                               double **lambda, struct nb_error *error);

#endif
