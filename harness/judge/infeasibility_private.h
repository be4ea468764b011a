/* The rows that a step's velocity has to satisfy, in one shape for both linear forms: infeasibility.c makes it and
 * infeasibility_descent.c looks for the velocity that violates them least. */
#ifndef NB_INFEASIBILITY_PRIVATE_H
#define NB_INFEASIBILITY_PRIVATE_H

#include <cholmod.h>

#include "harness/judge/infeasibility.h"
#include "harness/judge/metrics_private.h"

/* U(v) = A v + c. Of the local form v are coordinates in which W = A A^T, so that A and v have as many columns as the
 * normal and bilateral part of W has rank. */
struct nb_constraints {
    const struct nb_problem *problem;  /* linear */
    int contacts, rows, dofs, islands; /* the contacts' rows stand first */
    struct nb_csr jacobian;            /* A [rows x dofs]                                             */
    void *memory;                      /* of every array below                                        */
    double *size;                      /* [rows] of a row per m/s of motion; local: the root of its w */
    double *speed;                     /* [dofs] of motion per unit of a velocity; 0: no row has it   */
    double *at_rest;                   /* c [rows]                                                    */
    double *free_motion;               /* v_0 [dofs]                                                  */
    double *free_velocity;             /* U(v_0) [rows]                                               */
    double *scale;                     /* [islands, at most rows + dofs] what is to be undone, and the motion */
    double *deficit;                   /* [likewise] sum of what v_0 violates over its size, squared  */
    int *island;                       /* [rows + dofs] of each row, then of each velocity            */
    __float128 *product, *work;        /* scratch [rows of W, and at least dofs], [as scale]          */
};

/* By how much a velocity violates row i; with its sign. */
static inline double nb_row_violation(const struct nb_constraints *rows, int i, double velocity)
{
    return i < rows->contacts && velocity > 0 ? 0 : velocity;
}

static inline bool nb_rows_are_local(const struct nb_constraints *rows)
{
    return rows->problem->form == NB_LINEAR_LOCAL;
}

/* The row of W of a row; and the row of the contact, or the bilateral row, that a row of W belongs to. */
static inline int nb_rows_to_full(const struct nb_constraints *rows, int i)
{
    return i < rows->contacts ? 3 * i : 2 * rows->contacts + i;
}

static inline int nb_rows_from_full(const struct nb_constraints *rows, int k)
{
    return k < 3 * rows->contacts ? k / 3 : k - 2 * rows->contacts;
}

/* ---- infeasibility.c ---- */

/* Makes the rows of a linear problem. NB_UNSUPPORTED: it is too large, or M is not positive definite. */
enum nb_status nb_rows_create(struct nb_constraints *rows, const struct nb_problem *problem, struct nb_error *error);

/* Labels each node of disjoint sets, parent [nodes], by its set, in place, and counts them. */
int nb_rows_label(int *parent, int nodes);

/* ---- infeasibility_descent.c ---- */

/* size and speed of the global form. */
enum nb_status nb_rows_find_sizes(struct nb_constraints *rows, struct nb_error *error);

/* A, size, speed and the islands of a local problem. */
enum nb_status nb_rows_prepare_local(struct nb_constraints *rows, struct nb_error *error);

/* nb_rows_effect of the local form; effect is all 0 before. */
void nb_rows_local_effect(struct nb_constraints *rows, const double *impulse, double *effect);

/* At a velocity v of least violation r = violation/size^2 is without effect. Contacts' violations are smoothed at
 * first. */
struct nb_descent {
    const struct nb_constraints *rows;
    cholmod_common common;
    cholmod_sparse *metric;                          /* S, the diagonal of speed^2         */
    cholmod_dense *direction;                        /* d [dofs]                           */
    void *memory;                                    /* of every array below               */
    double smoothing;                                /* s/2 over size and root of deficit; 0: none */
    double *motion, *force;                          /* v, A^T r [dofs]                    */
    double *velocity, *change, *impulse, *curvature; /* U, A d, r, size^2 K [rows] */
    double *violated, *before;                       /* [islands] sum violation^2 / size^2, now and when asked last */
};

/* At the free motion. NB_OUT_OF_MEMORY without a message; to be freed in any case. */
enum nb_status nb_descent_create(struct nb_descent *descent, const struct nb_constraints *rows);
void nb_descent_free(struct nb_descent *descent);

/* violated, r and K at U. */
void nb_descent_gradient(struct nb_descent *descent);

/* After that: whether no island violates its rows by more than a step counts as solved with; and whether the descent
 * gets anywhere: it smooths still, or an island's violation falls. */
bool nb_descent_is_feasible(const struct nb_descent *descent);
bool nb_descent_progresses(struct nb_descent *descent);

/* d, and r as it would be after a whole step; then the step, as far as F falls. false: there is none. */
bool nb_descent_direction(struct nb_descent *descent);
bool nb_descent_step(struct nb_descent *descent);

#endif
