/* Incomplete LU factors without fill, by 3x3 blocks (Meijerink and van der Vorst 1977; Saad 2003, section
 * 10.3): P = (1 + L) U, with L and U in the pattern of A, P_ij = A_ij there. No pivoting. */
#ifndef NB_BLOCK_ILU_H
#define NB_BLOCK_ILU_H

#include "solvers/block/matrix.h"

#define nb_block_ilu NB(nb_block_ilu)
#define nb_block_ilu_apply NB(nb_block_ilu_apply)
#define nb_block_ilu_create NB(nb_block_ilu_create)
#define nb_block_ilu_free NB(nb_block_ilu_free)
#define nb_block_ilu_update NB(nb_block_ilu_update)

struct nb_block_ilu {
    const struct nb_bsr *matrix; /* the pattern; borrowed                               */
    int rows, blocks;                /* as created                                          */
    nb_matrix *value;                /* [9 blocks] L left of the diagonal, U right of it    */
    nb_real *inverse;                /* [9 rows] of U's diagonal blocks                     */
    int *diagonal;                   /* [rows] their place in the pattern                   */
    int *place;                      /* [columns] scratch: of a column in the present row   */
    void *memory;                    /* of these arrays                                     */
};

/* Room for a square matrix of so many rows and at most so many blocks. Also where this fails self is to be
 * freed. */
enum nb_status nb_block_ilu_create(struct nb_block_ilu *self, int rows, int blocks, struct nb_error *error);
void nb_block_ilu_free(struct nb_block_ilu *self);

/* Factorises; the matrix must outlive the factor's use, its columns ascend and its diagonal blocks are
 * there. NB_BREAKDOWN where a block of U's diagonal is singular or not finite. */
enum nb_status nb_block_ilu_update(struct nb_block_ilu *self, const struct nb_bsr *matrix);

/* z = P^-1 r; [3 rows], not overlapping. */
void nb_block_ilu_apply(const struct nb_block_ilu *self, const nb_real *r, nb_real *z);

#endif
