/* What a Newton step of rows (cone_delassus.c) keeps. */
#ifndef NB_CONE_DELASSUS_H
#define NB_CONE_DELASSUS_H

#include "solvers/delassus/delassus.h"
#include "solvers/delassus/given_rows.h"
#include "solvers/outer/proximal_newton/cone.h"
#include "solvers/outer/proximal_newton/reduced_rows.h"

struct NB(nb_row_space) {
    const struct NB(nb_bsr) *matrix; /* D with its whole pattern; borrowed or one of the next two */
    struct NB(nb_delassus) delassus; /* from blocks of inertia                                   */
    struct NB(nb_bsr) general;       /* from an unsymmetric mass matrix                          */
    struct NB(nb_given_rows) given;  /* of a local problem, or a symmetric mass matrix           */
    struct nb_sparse_lu *mass;       /* of an unsymmetric mass matrix; NULL: the model's factor  */
    struct NB(nb_cone_matrix) *newton;
    struct NB(nb_reduced_rows) *reduced; /* of a D with many redundant rows; NULL            */
    nb_real *inverse, *change;  /* [9 blocks] A^-1, [rows], of reduced rows      */
    nb_real *response;          /* [rows x dofs] M^-1 J^T by columns, of an unsymmetric M; or NULL */
    int *position;              /* of each scalar entry of matrix in newton's values */
    nb_real *free;              /* [rows] q                                      */
    nb_real *transposed;        /* [9 blocks of matrix] its blocks, column-major, for sweeps */
    double *solution;           /* [rows]                                        */
    double *wide;               /* [dofs]                                        */
};

/* Row block i of a Newton step's matrix: left D + diagonal, both [9]. */
void NB(nb_row_space_linear)(const struct NB(nb_cone) *cone, int i, nb_real *left, nb_real *diagonal);

/* A Newton step by reduced rows (cone_delassus_reduced.c). NB_BREAKDOWN where it is not exact enough. */
enum nb_status NB(nb_row_space_reduced_direction)(struct NB(nb_cone) *cone);

/* Row block i of newton's values: left D, and diagonal [9] added to its own block. */
void NB(nb_row_space_fill)(struct NB(nb_row_space) *self, int i, const nb_real *left,
                           const nb_real *diagonal);

/* Of struct nb_cone_form (cone_delassus_parts.c). */
void NB(nb_row_space_linearise)(struct NB(nb_cone) *cone);
enum nb_status NB(nb_row_space_factorise)(struct NB(nb_cone) *cone);
void NB(nb_row_space_solve)(struct NB(nb_cone) *cone);

/* To round-off. */
int NB(nb_is_symmetric)(const struct nb_csr *matrix);

/* D and M^-1 J^T by a factor of M as given, into mass, general and response; wide is scratch. */
enum nb_status NB(nb_row_space_respond)(struct NB(nb_row_space) *self,
                                        const struct NB(nb_model) *model, struct nb_error *error);

#endif
