/* Private to row_basis.c and row_basis_search.c: the rows that span a matrix, and the factor of them. */
#ifndef NB_ROW_BASIS_SEARCH_H
#define NB_ROW_BASIS_SEARCH_H

#include <stddef.h>

#include "problems/base/sorted.h"

typedef double nb_lanes __attribute__((vector_size(4 * sizeof(double)))); /* one of each row of a block */

/* As nb_row_basis_find has it. */
struct nb_row_basis_matrix {
    int blocks;
    const int *start, *column;
    const double *value;
};

struct nb_row_basis_column {
    int count, room;
    int *row;
    double *value;
};

struct nb_row_basis_search {
    struct nb_row_basis_matrix matrix;
    int most;              /* rows that may be found                            */
    int rank;
    int *index;            /* [3 blocks] of a scalar row among those found, -1  */
    int *row;              /* [most]                                            */
    struct nb_row_basis_column *lower; /* [most] columns of L                    */
    double *pivot;         /* [most]                                            */
    int *parent;           /* [most] in the elimination tree; -1: none yet      */
    int *seen, *path, *stack; /* [most]                                         */
    int visit;             /* of a block, so far: what seen counts              */
    char *done;            /* [blocks] nothing is left of its rows              */
    nb_lanes *x, *left;    /* [most] what is left of the block's rows; their rows of L */
};

enum nb_row_basis_outcome { NB_ROW_BASIS_FOUND, NB_ROW_BASIS_NONE, NB_ROW_BASIS_NO_MEMORY };

/* Finds the rows, and L diag(pivot) L^T = M, from matrix and most; NB_ROW_BASIS_NONE: more are needed, or the
 * matrix is not semidefinite. To be freed in any case. */
enum nb_row_basis_outcome nb_row_basis_search(struct nb_row_basis_search *search);
void nb_row_basis_search_free(struct nb_row_basis_search *search);

/* x [rank] = M^-1 x */
void nb_row_basis_solve(const struct nb_row_basis_search *search, double *x);

/* Block (i, j), or NULL where the pattern has none. */
static inline const double *nb_row_basis_block(const struct nb_row_basis_matrix *a, int i, int j)
{
    const int k = nb_find_sorted(a->column, a->start[i], a->start[i + 1], j);
    return k < 0 ? NULL : a->value + 9 * (size_t)k;
}

#endif
