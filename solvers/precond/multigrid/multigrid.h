/* Smoothed aggregation on 3x3 blocks (Vanek, Mandel and Brezina 1996), made for contacts: the rows between
 * the same two bodies are one aggregate on the finest level, greedy neighbourhoods are on the coarser ones;
 * each aggregate keeps three degrees of freedom. Their shapes are not known beforehand, as the
 * frames of contacts turn and bodies differ in mass: three vectors, the unit impulses of each row, are
 * relaxed on A x = 0 first (Brezina et al. 2005, adaptive smoothed aggregation). */
#ifndef NB_MULTIGRID_H
#define NB_MULTIGRID_H

#include "solvers/strategy.h"

#define nb_multigrid NB(nb_multigrid)
#define nb_multigrid_free NB(nb_multigrid_free)
#define nb_multigrid_level NB(nb_multigrid_level)
#define nb_multigrid_refill NB(nb_multigrid_refill)
#define nb_multigrid_setup NB(nb_multigrid_setup)

enum { NB_MULTIGRID_LEVELS = 12 };

struct nb_multigrid_level {
    const struct nb_bsr *matrix; /* of this level: the operator's, or owned                    */
    struct nb_bsr owned;
    struct nb_bsr prolong;       /* from the next coarser level                                */
    struct nb_bsr product;       /* A P                                                        */
    int *aggregate;                  /* [rows] of each block row; NULL on the coarsest level       */
    int aggregates;
    nb_real *inverse;                /* [9 rows] of the diagonal blocks                            */
    nb_real *shape;                  /* [9 rows] near kernel, three columns                        */
    nb_real *tentative;              /* [9 rows] orthonormal in each aggregate                     */
    nb_real *x, *b, *r;              /* [3 rows]                                                   */
    int *slot;                       /* [columns] scratch of products: position, or -1             */
    void *memory;                    /* of these arrays but aggregate                              */
    nb_real omega;                   /* of the smoother                                            */
};

struct nb_multigrid {
    int levels;
    struct nb_multigrid_level level[NB_MULTIGRID_LEVELS];
    nb_real *coarse; /* dense factor of the coarsest matrix */
};

/* Patterns of all levels. */
enum nb_status nb_multigrid_setup(struct nb_multigrid *grid,
                                  const struct nb_bsr *matrix, struct nb_error *error);
void nb_multigrid_free(struct nb_multigrid *grid);

/* The numbers of level l and of the matrix below it. 0 where a diagonal block is not positive definite. */
int nb_multigrid_refill(struct nb_multigrid *grid, int l);

#endif
