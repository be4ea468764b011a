/* Compressed sparse rows in double: the form in which problems keep their matrices. */
#include <stdlib.h>
#include <string.h>

#include "problems/problem.h"

enum nb_status nb_csr_allocate(struct nb_csr *matrix, int rows, int columns, int entries,
                               struct nb_error *error)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->start = calloc((size_t)rows + 1, sizeof *matrix->start);
    matrix->column = calloc((size_t)entries + 1, sizeof *matrix->column);
    matrix->value = calloc((size_t)entries + 1, sizeof *matrix->value);
    if (matrix->start && matrix->column && matrix->value)
        return NB_OK;
    nb_csr_free(matrix);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a sparse matrix of %d x %d with %d entries",
                   rows, columns, entries);
}

void nb_csr_free(struct nb_csr *matrix)
{
    if (!matrix)
        return;
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
    memset(matrix, 0, sizeof *matrix);
}

/* Insertion by (column, then order of arrival): rows are short and mostly sorted. */
static void sort_row(int count, int *column, double *value)
{
    for (int i = 1; i < count; ++i) {
        const int c = column[i];
        const double v = value[i];
        int j = i;
        for (; j > 0 && column[j - 1] > c; --j) {
            column[j] = column[j - 1];
            value[j] = value[j - 1];
        }
        column[j] = c;
        value[j] = v;
    }
}

/* Adds repeats in place and closes the gaps that this leaves. */
static void merge_repeats(struct nb_csr *matrix)
{
    int out = 0;
    for (int row = 0; row < matrix->rows; ++row) {
        const int begin = matrix->start[row], end = matrix->start[row + 1];
        matrix->start[row] = out;
        for (int k = begin; k < end; ++k) {
            if (out > matrix->start[row] && matrix->column[out - 1] == matrix->column[k]) {
                matrix->value[out - 1] += matrix->value[k];
            } else {
                matrix->column[out] = matrix->column[k];
                matrix->value[out++] = matrix->value[k];
            }
        }
    }
    matrix->start[matrix->rows] = out;
}

enum nb_status nb_csr_from_triplets(struct nb_csr *matrix, int rows, int columns, int entries,
                                    const int *row, const int *column, const double *value,
                                    struct nb_error *error)
{
    enum nb_status status = nb_csr_allocate(matrix, rows, columns, entries, error);
    if (status)
        return status;
    /* Count into start[row + 1], then let start[row] run ahead as the row fills. */
    for (int k = 0; k < entries; ++k)
        matrix->start[row[k] + 1]++;
    for (int i = 0; i < rows; ++i)
        matrix->start[i + 1] += matrix->start[i];
    for (int k = 0; k < entries; ++k) {
        const int at = matrix->start[row[k]]++;
        matrix->column[at] = column[k];
        matrix->value[at] = value[k];
    }
    for (int i = rows; i > 0; --i)
        matrix->start[i] = matrix->start[i - 1];
    matrix->start[0] = 0;
    for (int i = 0; i < rows; ++i)
        sort_row(matrix->start[i + 1] - matrix->start[i], matrix->column + matrix->start[i],
                 matrix->value + matrix->start[i]);
    merge_repeats(matrix);
    return NB_OK;
}

void nb_csr_multiply(const struct nb_csr *matrix, const double *x, double *y, int add)
{
    for (int i = 0; i < matrix->rows; ++i) {
        double sum = add ? y[i] : 0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            sum += matrix->value[k] * x[matrix->column[k]];
        y[i] = sum;
    }
}

void nb_csr_multiply_transposed(const struct nb_csr *matrix, const double *x, double *y, int add)
{
    if (!add)
        memset(y, 0, (size_t)matrix->columns * sizeof *y);
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            y[matrix->column[k]] += matrix->value[k] * x[i];
}
