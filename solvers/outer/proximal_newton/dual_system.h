/* What a Newton step of rows (dual_system.c) keeps. */
#ifndef NB_DUAL_SYSTEM_H
#define NB_DUAL_SYSTEM_H

#include "solvers/delassus/delassus.h"
#include "solvers/delassus/delassus_unsymmetric.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"
#include "solvers/outer/proximal_newton/reduced_matrix.h"

/* In the precision at hand. */
#define nb_dual_system_reduced_direction NB(nb_dual_system_reduced_direction)
#define nb_dual_system_row_block NB(nb_dual_system_row_block)
#define nb_dual_system NB(nb_dual_system)

struct nb_dual_system {
    const struct NB(nb_bsr) *matrix; /* W with its whole pattern; borrowed, or one of the next two */
    struct NB(nb_delassus) delassus; /* from blocks of inertia                                   */
    struct NB(nb_unsymmetric) given;  /* of a local problem, or a general mass matrix             */
    struct nb_newton_matrix *newton;
    struct nb_reduced_matrix *reduced; /* of a W with many redundant rows; NULL            */
    size_t rows, blocks;        /* of W                                           */
    void *memory;               /* holds the arrays below but for position        */
    nb_real *inverse, *change;  /* [9 blocks] A^-1, [rows], of reduced rows      */
    int *position;              /* of each scalar entry of matrix in newton's values */
    nb_real *free;              /* [rows] q                                      */
    nb_real *transposed;        /* [9 blocks of matrix] its blocks, column-major, for sweeps */
    double *solution;           /* [rows]                                        */
};

/* Row block i of a Newton step's matrix: left W + diagonal, both [9]. */
void nb_dual_system_row_block(const struct nb_nonsmooth *system, int i, nb_real *left, nb_real *diagonal);

/* A Newton step by reduced rows (dual_reduced.c). NB_BREAKDOWN where it is not exact enough. */
enum nb_status nb_dual_system_reduced_direction(struct nb_nonsmooth *system);

#endif
