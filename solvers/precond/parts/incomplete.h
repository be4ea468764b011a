/* Incomplete factors with a threshold, by contact blocks: P = M M^T with M lower triangular in 3x3 blocks,
 * row by row (Saad 2003, section 10.4, ILUT; Jones and Plassmann 1995 for the symmetric case). A block of
 * row i is dropped where ||M_ik|| <= threshold ||A_ii||^(1/2), and of the rest the `fill` largest are kept
 * beyond as many as A has in the row. */
#ifndef NB_INCOMPLETE_H
#define NB_INCOMPLETE_H

#include "solvers/strategy.h"

struct NB(nb_incomplete) {
    int rows, fill;
    int *start;       /* [rows + 1] room of each row's strictly lower blocks */
    int *count;       /* [rows] of them in use                              */
    int *column;      /* [room], in the order they were found: ascending    */
    nb_real *value;   /* [9 room] M_ik                                      */
    nb_real *inverse; /* [9 rows] M_ii^-1                                   */
    nb_real *sign;    /* [3 rows] of the pivots: 1, or -1 where indefinite  */
    int *head, *tail; /* [rows] first and last block of each column, or -1  */
    int *next;        /* [room] next block of the column                    */
    int *row_of;      /* [room] its row                                     */
    nb_real *row;     /* [9 rows] the row being eliminated                  */
    int *mark, *heap; /* [rows] columns present; those still to eliminate   */
    int *kept;        /* [rows] columns kept so far                         */
    nb_real *kept_value; /* [9 rows]                                        */
};

enum nb_status NB(nb_incomplete_setup)(void **self, const struct NB(nb_operator) *op, int fill,
                                       const char *name, struct nb_error *error);
void NB(nb_incomplete_free)(void *self);

/* Factorises A + alpha diag A. With indefinite set, pivots may be of either sign: A ~ L D L^T, and M M^T is
 * L |D| L^T (Gill, Murray, Ponceleon and Saunders 1992); otherwise -1 - i is returned where the pivot of
 * row i is not positive definite. 0: done. */
int NB(nb_incomplete_factor)(struct NB(nb_incomplete) *self, const struct NB(nb_bsr) *matrix,
                             nb_real threshold, nb_real alpha, int indefinite);

/* z = (M M^T)^-1 r */
void NB(nb_incomplete_apply)(const void *self, const struct NB(nb_operator) *op, const nb_real *r,
                             nb_real *z);

/* The rows of the table of settings, the first ones. */
#define NB_INCOMPLETE_SETTINGS                                                            \
    {.name = "threshold", .value = 0.001, .minimum = 0, .maximum = 1,                      \
     .meaning = "blocks smaller than this, relative to the diagonal, are dropped"},       \
    {.name = "fill", .value = 10, .minimum = 0, .maximum = 1000, .whole = 1,              \
     .meaning = "blocks that a row may have beyond those of the matrix"}

#endif
