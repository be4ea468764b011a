/* Scalar rows in double to 3x3 blocks in the present precision. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "problems/problem.h"
#include "solvers/block/matrix.h"

/* Collects the block columns of block row i into list and returns their number. mark [columns]
 * holds i + 1 where a column has been seen. */
static int collect(const struct nb_csr *source, int i, int with_diagonal, int *mark, int *list)
{
    int count = 0;
    if (with_diagonal) {
        mark[i] = i + 1;
        list[count++] = i;
    }
    for (int k = source->start[3 * i]; k < source->start[3 * i + 3]; ++k) {
        const int column = source->column[k] / 3;
        if (mark[column] != i + 1) {
            mark[column] = i + 1;
            list[count++] = column;
        }
    }
    return count;
}

static void fill_row(struct nb_bsr *matrix, const struct nb_csr *source, int i)
{
    const int begin = matrix->start[i], count = matrix->start[i + 1] - begin;
    int at = begin;
    for (int r = 0; r < 3; ++r)
        for (int k = source->start[3 * i + r]; k < source->start[3 * i + r + 1]; ++k) {
            const int column = source->column[k];
            if (matrix->column[at] != column / 3) /* its neighbour's, most often */
                at = nb_find_sorted(matrix->column, begin, begin + count, column / 3);
            matrix->value[9 * (size_t)at + 3 * (size_t)r + (size_t)(column % 3)] +=
                (nb_matrix)source->value[k];
        }
}

enum nb_status nb_bsr_from_csr(struct nb_bsr *matrix, const struct nb_csr *source,
                               int with_diagonal, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const int rows = source->rows / 3, columns = source->columns / 3;
    int *mark = calloc((size_t)columns + 1, sizeof *mark);
    int *list = malloc(((size_t)columns + 1) * sizeof *list);
    int total = 0;
    if (!mark || !list) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to block a matrix of %d rows", rows);
        goto done;
    }
    for (int i = 0; i < rows; ++i)
        total += collect(source, i, with_diagonal, mark, list);
    for (int j = 0; j < columns; ++j)
        mark[j] = 0;
    status = nb_bsr_allocate(matrix, rows, columns, total, error);
    if (status)
        goto done;
    for (int i = 0; i < rows; ++i) {
        int *out = matrix->column + matrix->start[i];
        const int count = collect(source, i, with_diagonal, mark, out);
        nb_sort_ints(out, count);
        matrix->start[i + 1] = matrix->start[i] + count;
        fill_row(matrix, source, i);
    }
done:
    free(mark);
    free(list);
    return status;
}

void nb_bsr_refill(struct nb_bsr *matrix, const struct nb_csr *source)
{
    memset(matrix->value, 0, 9 * (size_t)matrix->start[matrix->rows] * sizeof *matrix->value);
    for (int i = 0; i < matrix->rows; ++i)
        fill_row(matrix, source, i);
}
