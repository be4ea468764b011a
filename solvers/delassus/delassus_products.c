/* W_ij = sum over the nodes that rows i and j share of J_ik H_k^-1 J_jk^T, as a list of pairs of Jacobian blocks for
 * each block of the lower triangle: a device sums each block by itself, and mirrors it. */
#include "solvers/delassus/delassus.h"

#include <stdlib.h>

/* Pairs of Jacobian blocks of rows i and j in the same node; both lists ascend by node. Counts only
 * where out is NULL. */
static int match_nodes(const struct nb_bsr *jacobian, int i, int j, int *out)
{
    int count = 0;
    int a = jacobian->start[i], b = jacobian->start[j];
    while (a < jacobian->start[i + 1] && b < jacobian->start[j + 1]) {
        if (jacobian->column[a] < jacobian->column[b]) {
            ++a;
        } else if (jacobian->column[a] > jacobian->column[b]) {
            ++b;
        } else {
            if (out) {
                out[2 * count] = a;
                out[2 * count + 1] = b;
            }
            ++count, ++a, ++b;
        }
    }
    return count;
}

enum nb_status nb_delassus_list_products(struct nb_delassus *delassus,
                                         const struct nb_model *model, struct nb_error *error)
{
    const struct nb_bsr *matrix = &delassus->matrix;
    const enum nb_status status = nb_bsr_mirror(matrix, &delassus->mirror, error);
    if (status)
        return status;
    const int blocks = matrix->start[matrix->rows];
    size_t total = 0;
    delassus->product_start = calloc((size_t)blocks + 1, sizeof *delassus->product_start);
    if (!delassus->product_start)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus products");
    for (int pass = 0; pass < 2; ++pass) {
        size_t at = 0;
        for (int i = 0; i < matrix->rows; ++i)
            for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
                if (matrix->column[k] <= i)
                    at += (size_t)match_nodes(&model->jacobian, i, matrix->column[k],
                                              pass ? delassus->product + 2 * at : NULL);
                delassus->product_start[k + 1] = (int)at;
            }
        total = at;
        if (pass == 0) {
            delassus->product = malloc((2 * total + 1) * sizeof *delassus->product);
            if (!delassus->product)
                return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus products");
        }
    }
    return NB_OK;
}
