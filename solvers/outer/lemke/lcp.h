/* A dense linear complementarity problem of n unknowns, the first of which may be free, and Lemke's pivoting on
 * it:
 *
 *     w = M z + q,   w >= 0,   z >= 0,   w^T z = 0,   and w_i = 0 of a free z_i.
 *
 * The caller sets M, with entries of about 1, and q; nb_lcp_solve leaves z. Free unknowns enter the basis first,
 * largest pivot first, and stay; redundant ones are left at 0. An artificial variable z0 >= 0 covers the negative
 * entries of q, w = M z + q + z0 d with d > 0; from then on the complement of what left the basis last enters it, until
 * z0 leaves. Ties of the ratio test are broken lexicographically, so that no basis comes back and the number of pivots
 * is finite. Where nothing can leave, the path ends in a ray: of the copositive M of friction pyramids, where there is
 * no solution, or where rounding has led astray; so another d is tried, three times. Rounding grows with the pivots,
 * so that z is solved for once more by an LU factor of M in the final basis, and the better of both is kept.
 *
 * Lemke 1965; Cottle, Pang and Stone 1992, sections 4.4 and 4.9. */
#ifndef NB_LCP_H
#define NB_LCP_H

#include "solvers/precision.h"

#define nb_lcp NB(nb_lcp)
#define nb_lcp_create NB(nb_lcp_create)
#define nb_lcp_free NB(nb_lcp_free)
#define nb_lcp_solve NB(nb_lcp_solve)
#define nb_lcp_error NB(nb_lcp_error)

/* Variables are counted: w_i is i, z_i is n + i, z0 is 2 n. */
struct nb_lcp {
    int size, free;                /* n, the first so many of which are free                           */
    nb_real *matrix, *offset, *z;  /* [n n] M row by row, [n] q, [n] the solution                      */
    nb_real *table;                /* [n (n + 2)] x_B = b + A x_N: of each row b, then A                */
    nb_real *retry;                /* [n] z by another factor                                          */
    int *basic, *nonbasic;         /* [n], [n + 1] the variable of each row, of each column of A        */
    int *place;                    /* [2 n + 1] row of a basic variable, -1 - column of another         */
    int *tied;                     /* [n] rows among which one is to be chosen                         */
    void *memory;                  /* of all of these                                                  */
};

/* Nonzero where there is memory. */
int nb_lcp_create(struct nb_lcp *lcp, int size, int free_unknowns);
void nb_lcp_free(struct nb_lcp *lcp);

/* The largest |min(z_i, (M z + q)_i)|, of a free unknown |(M z + q)_i| */
nb_real nb_lcp_error(const struct nb_lcp *lcp, const nb_real *z);

/* At most, an unknown: paths in steps of scenes take 1 to 5. */
#define NB_LCP_PIVOTS 50

/* z, and how many pivots it took; NULL, or why there is none, and z = 0 then. */
const char *nb_lcp_solve(struct nb_lcp *lcp, int *pivots);

#endif
