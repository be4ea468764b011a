/* BiCGStab for A x = b with a general A, which is known by its products alone, preconditioned from the right,
 *
 *     A P^-1 y = b,   x = P^-1 y,
 *
 * so that the residual that is measured is b - A x itself: short recurrences, two products an iteration (van der
 * Vorst 1992).
 *
 * Breakdowns are endings: a vector that vanishes or a value that is not finite never reaches a division,
 * and x is then the best iterate so far. Convergence is claimed of b - A x computed anew, not of the
 * residual that a recurrence carries along. */
#ifndef NB_BICGSTAB_H
#define NB_BICGSTAB_H

#include "solvers/block/matrix.h"
#include "solvers/solve.h"

/* In the precision at hand. */
#define nb_bicgstab NB(nb_bicgstab)
#define nb_bicgstab_room NB(nb_bicgstab_room)
#define nb_bicgstab_task NB(nb_bicgstab_task)

struct nb_bicgstab_task {
    size_t n;
    const void *context;      /* of the two functions                              */
    /* y = A x and z = P^-1 r; [n] each, not overlapping. */
    void (*multiply)(const void *context, const nb_real *x, nb_real *y);
    void (*precondition)(const void *context, const nb_real *r, nb_real *z);
    int iterations;           /* products at most, but for those that verify       */
    int threads;              /* of inner products; the result does not depend on it */
    nb_real *work;            /* [nb_bicgstab_room]                                */
};

/* Numbers that work must hold. */
size_t nb_bicgstab_room(size_t n);

/* From x = 0 to ||b - A x|| <= tolerance; b, x [n]. *residual is ||b - A x|| of the x left; the report's
 * iterations are products. */
struct nb_linear_report nb_bicgstab(const struct nb_bicgstab_task *task, const nb_real *b,
                                    nb_real tolerance, nb_real *x, nb_real *residual);

#endif
