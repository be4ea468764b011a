/* What a Newton step of rows (dual_system.c) keeps. */
#ifndef NB_DUAL_SYSTEM_H
#define NB_DUAL_SYSTEM_H

#include "solvers/delassus/delassus.h"
#include "solvers/delassus/delassus_unsymmetric.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"
#include "solvers/outer/proximal_newton/reduced_matrix.h"
#include "solvers/sparse/sparse_lu.h"

/* In the precision at hand. */
#define nb_dual_system_correct NB(nb_dual_system_correct)
#define nb_dual_system_general_mass NB(nb_dual_system_general_mass)
#define nb_dual_system_is_symmetric NB(nb_dual_system_is_symmetric)
#define nb_dual_system_reduced_direction NB(nb_dual_system_reduced_direction)
#define nb_dual_system_row_block NB(nb_dual_system_row_block)
#define nb_dual_system NB(nb_dual_system)

struct nb_dual_system {
    const struct NB(nb_bsr) *matrix; /* W with its whole pattern; borrowed, or one of the next three */
    struct NB(nb_delassus) delassus; /* from blocks of inertia                                   */
    struct NB(nb_bsr) general;       /* from an unsymmetric mass matrix                          */
    struct NB(nb_unsymmetric) given; /* of a local problem, or a symmetric mass matrix           */
    struct nb_sparse_lu *mass;       /* of an unsymmetric mass matrix; NULL: the model's factor  */
    nb_real *response;               /* [rows x dofs] M^-1 J^T by columns, of that; NULL: not kept */
    double *wide;                    /* [dofs] for its solves                                    */
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

/* Whether a mass matrix is symmetric to round-off, as the model's factor of it takes it to be. */
int nb_dual_system_is_symmetric(const struct nb_csr *matrix);

/* W and, where that pays, M^-1 J^T by a factor of M as given, into mass, general and response. */
enum nb_status nb_dual_system_general_mass(struct nb_dual_system *self, const struct NB(nb_model) *model,
                                           struct nb_error *error);

/* One correction of u [dofs] towards M u = f + J^T p by that factor. */
void nb_dual_system_correct(const struct nb_nonsmooth *system, const nb_real *p, nb_real *u);

#endif
