/* The fewest rows b of a symmetric positive semidefinite matrix W that span it, with which
 *
 *     W = J M^-1 J^T,   J = W_:b,   M = W_bb
 *
 * exactly: what is left of W, its Schur complement W - J M^-1 J^T, has a diagonal of zeros, and so is zero
 * (Nystroem's formula). A Delassus operator of contacts on rigid bodies has at most six such rows a body,
 * and where contacts are redundant, as on the faces of bricks, several times fewer than it has itself: J and
 * M stand for the bodies that the operator does not tell, and are as sparse as it is. */
#ifndef NB_ROW_BASIS_H
#define NB_ROW_BASIS_H

#include <stddef.h>

#include "problems/base/status.h"

struct nb_row_basis {
    int blocks;
    int rank;      /* 0: W has none, see below                                               */
    int *row;      /* [rank] scalar rows of W                                                */
    int *start;    /* [blocks + 1]                                                           */
    int *column;   /* [start[blocks]] of block row i of J: ascending indices into row        */
    double *value; /* [3 start[blocks]] and a column of three entries for each               */
};

/* W [blocks x blocks] of 3x3 blocks, row-major, in rows of ascending columns; its pattern is symmetric, with
 * all on the diagonal. There are no basis rows, and *rows is empty, where W is not symmetric or not
 * semidefinite to round-off, or more than half of its rows are needed. NB_OUT_OF_MEMORY. The caller frees
 * *rows in any case. */
enum nb_status nb_row_basis_find(struct nb_row_basis *rows, int blocks, const int *start,
                                 const int *column, const double *value, struct nb_error *error);
void nb_row_basis_free(struct nb_row_basis *rows);

/* z [rank] += J^T x of block row i, x [3]. */
static inline void nb_row_basis_add_transposed(const struct nb_row_basis *rows, int i, const double *x, double *z)
{
    for (int k = rows->start[i]; k < rows->start[i + 1]; ++k)
        for (int r = 0; r < 3; ++r)
            z[rows->column[k]] += rows->value[3 * (size_t)k + (size_t)r] * x[r];
}

/* y [3] = J z of block row i. */
static inline void nb_row_basis_apply(const struct nb_row_basis *rows, int i, const double *z, double *y)
{
    y[0] = y[1] = y[2] = 0;
    for (int k = rows->start[i]; k < rows->start[i + 1]; ++k)
        for (int r = 0; r < 3; ++r)
            y[r] += rows->value[3 * (size_t)k + (size_t)r] * z[rows->column[k]];
}

#endif
