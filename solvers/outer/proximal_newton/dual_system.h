/* What a Newton step of rows (dual_system.c) keeps. */
#ifndef NB_DUAL_SYSTEM_H
#define NB_DUAL_SYSTEM_H

#include "solvers/delassus/delassus.h"
#include "solvers/delassus/delassus_unsymmetric.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"
#include "solvers/outer/proximal_newton/reduced_matrix.h"

/* In the precision at hand. */
#define nb_dual_system_factorise NB(nb_dual_system_factorise)
#define nb_dual_system_fill_row NB(nb_dual_system_fill_row)
#define nb_dual_system_general_mass NB(nb_dual_system_general_mass)
#define nb_dual_system_linearise NB(nb_dual_system_linearise)
#define nb_dual_system_reduced_direction NB(nb_dual_system_reduced_direction)
#define nb_dual_system_row_block NB(nb_dual_system_row_block)
#define nb_dual_system_solve NB(nb_dual_system_solve)
#define nb_dual_system NB(nb_dual_system)

struct nb_dual_system {
    const struct NB(nb_bsr) *matrix; /* D with its whole pattern; borrowed or one of the next two */
    struct NB(nb_delassus) delassus; /* from blocks of inertia                                   */
    struct NB(nb_bsr) general;       /* from an unsymmetric mass matrix                          */
    struct NB(nb_unsymmetric) given;  /* of a local problem, or a symmetric mass matrix           */
    struct nb_sparse_lu *mass;       /* of an unsymmetric mass matrix; NULL: the model's factor  */
    struct nb_newton_matrix *newton;
    struct nb_reduced_matrix *reduced; /* of a D with many redundant rows; NULL            */
    nb_real *inverse, *change;  /* [9 blocks] A^-1, [rows], of reduced rows      */
    nb_real *response;          /* [rows x dofs] M^-1 J^T by columns, of an unsymmetric M; or NULL */
    int *position;              /* of each scalar entry of matrix in newton's values */
    nb_real *free;              /* [rows] q                                      */
    nb_real *transposed;        /* [9 blocks of matrix] its blocks, column-major, for sweeps */
    double *solution;           /* [rows]                                        */
    double *wide;               /* [dofs]                                        */
};

/* Row block i of a Newton step's matrix: left D + diagonal, both [9]. */
void nb_dual_system_row_block(const struct nb_nonsmooth *system, int i, nb_real *left, nb_real *diagonal);

/* A Newton step by reduced rows (dual_reduced.c). NB_BREAKDOWN where it is not exact enough. */
enum nb_status nb_dual_system_reduced_direction(struct nb_nonsmooth *system);

/* Row block i of newton's values: left D, and diagonal [9] added to its own block. */
void nb_dual_system_fill_row(struct nb_dual_system *self, int i, const nb_real *left,
                      const nb_real *diagonal);

/* Of struct nb_formulation (dual_homotopy.c). */
void nb_dual_system_linearise(struct nb_nonsmooth *system);
enum nb_status nb_dual_system_factorise(struct nb_nonsmooth *system);
void nb_dual_system_solve(struct nb_nonsmooth *system);

/* To round-off. */
int NB(nb_is_symmetric)(const struct nb_csr *matrix);

/* D and M^-1 J^T by a factor of M as given, into mass, general and response; wide is scratch. */
enum nb_status nb_dual_system_general_mass(struct nb_dual_system *self,
                                    const struct NB(nb_model) *model, struct nb_error *error);

#endif
