/* Compressed sparse rows in double: the form in which problems keep their matrices. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/large.h"
#include "problems/base/sorted.h"
#include "problems/problem.h"

enum nb_status nb_csr_allocate(struct nb_csr *matrix, int rows, int columns, int entries,
                               struct nb_error *error)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->start = calloc((size_t)rows + 1, sizeof *matrix->start);
    matrix->column = nb_large_zeroed((size_t)entries + 1, sizeof *matrix->column);
    matrix->value = nb_large_zeroed((size_t)entries + 1, sizeof *matrix->value);
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

double nb_csr_diagonal(const struct nb_csr *matrix, int row)
{
    const int k = nb_find_sorted(matrix->column, matrix->start[row], matrix->start[row + 1], row);
    return k < 0 ? 0 : matrix->value[k];
}

int nb_triplets_add(struct nb_triplets *triplets, int row, int column, double value)
{
    if (triplets->room < 0)
        return 0;
    if (triplets->count == triplets->room) {
        const int fits = triplets->room <= INT_MAX / 2 - 64;
        const size_t room = 2 * (size_t)triplets->room + 64;
        int *rows = fits ? realloc(triplets->row, room * sizeof *rows) : NULL;
        triplets->row = rows ? rows : triplets->row;
        int *columns = rows ? realloc(triplets->column, room * sizeof *columns) : NULL;
        triplets->column = columns ? columns : triplets->column;
        double *values = columns ? realloc(triplets->value, room * sizeof *values) : NULL;
        triplets->value = values ? values : triplets->value;
        triplets->room = values ? (int)room : -1;
        if (!values)
            return 0;
    }
    triplets->row[triplets->count] = row;
    triplets->column[triplets->count] = column;
    triplets->value[triplets->count++] = value;
    return 1;
}

void nb_triplets_free(struct nb_triplets *triplets)
{
    free(triplets->row);
    free(triplets->column);
    free(triplets->value);
    memset(triplets, 0, sizeof *triplets);
}

/* The entries by index, those of one index in the order in which they came, or as `order` has them. next
 * [indices + 1], all zero, becomes where each index ends. */
static void sort_by(const int *index, int entries, const int *order, int *next, int indices, int *sorted)
{
    for (int k = 0; k < entries; ++k)
        next[index[k] + 1]++;
    for (int i = 0; i < indices; ++i)
        next[i + 1] += next[i];
    for (int k = 0; k < entries; ++k) {
        const int entry = order ? order[k] : k;
        sorted[next[index[entry]]++] = entry;
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
    int *next = calloc((size_t)columns + 1, sizeof *next);
    int *by_column = malloc(2 * ((size_t)entries + 1) * sizeof *by_column);
    enum nb_status status = nb_csr_allocate(matrix, rows, columns, entries, error);
    if (!status && (!next || !by_column)) {
        nb_csr_free(matrix);
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to sort %d matrix entries", entries);
    }
    if (!status) {
        int *by_row = by_column + entries;
        sort_by(column, entries, NULL, next, columns, by_column);
        sort_by(row, entries, by_column, matrix->start, rows, by_row);
        for (int k = 0; k < entries; ++k) {
            matrix->column[k] = column[by_row[k]];
            matrix->value[k] = value[by_row[k]];
        }
        memmove(matrix->start + 1, matrix->start, (size_t)rows * sizeof *matrix->start);
        matrix->start[0] = 0;
        merge_repeats(matrix);
    }
    free(next);
    free(by_column);
    return status;
}

enum nb_status nb_csr_take_triplets(struct nb_csr *matrix, int rows, int columns, struct nb_triplets *entries,
                                    struct nb_error *error)
{
    enum nb_status status = NB_OUT_OF_MEMORY;
    if (entries->room < 0)
        nb_fail(error, status, "no memory for a matrix of %d rows", rows);
    else
        status = nb_csr_from_triplets(matrix, rows, columns, entries->count, entries->row, entries->column,
                                      entries->value, error);
    nb_triplets_free(entries);
    return status;
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

/* Magnitudes of doubles are in the order of their bits, and what is not finite is above all others. */
int nb_even_exponent(const double *values, size_t count)
{
    int64_t most = 0;
    double largest;
    for (size_t i = 0; i < count; ++i) {
        int64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= INT64_MAX;
        most = bits > most ? bits : most;
    }
    memcpy(&largest, &most, sizeof largest);
    const int exponent = isfinite(largest) && largest > 0 ? ilogb(largest) : 0;
    return exponent - (exponent & 1);
}

void nb_scale_down(double *values, size_t count, int exponent)
{
    for (size_t i = 0; i < count && exponent != 0; ++i)
        values[i] = ldexp(values[i], -exponent);
}

double nb_csr_entry(const struct nb_csr *matrix, int row, int column)
{
    int low = matrix->start[row], high = matrix->start[row + 1] - 1;
    while (low <= high) {
        const int middle = low + (high - low) / 2;
        if (matrix->column[middle] == column)
            return matrix->value[middle];
        if (matrix->column[middle] < column)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return 0;
}

static double largest_of_row(const struct nb_csr *matrix, int row)
{
    double largest = 0;
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
        largest = fmax(largest, fabs(matrix->value[k]));
    return largest;
}

/* The rows' largest entries are looked up again only where two entries differ, which is where it matters. */
double nb_csr_asymmetry(const struct nb_csr *matrix, int *row, int *column)
{
    double worst = *row = *column = 0;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            const double a = matrix->value[k], b = nb_csr_entry(matrix, j, i);
            const double scale = a == b ? 1 : sqrt(largest_of_row(matrix, i)) * sqrt(largest_of_row(matrix, j));
            const double part = !isfinite(a) ? NAN : fabs(a - b) / (scale > 0 ? scale : fabs(a));
            if (part <= worst)
                continue;
            *row = i;
            *column = j;
            worst = part;
            if (isnan(worst))
                return worst;
        }
    return worst;
}

/* Of the entries outside of diagonal blocks, those beyond rounding all lie on one side, and there are some. */
static int is_block_triangle(const struct nb_csr *matrix, int begin, int end, int block, int *row, int *column)
{
    int above = 0, below = 0;
    for (int i = begin; i < end && !(above && below); ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            const double size = fabs(matrix->value[k]);
            if (j < begin || j >= end || (j - begin) / block == (i - begin) / block || size == 0 ||
                size <= NB_SYMMETRIC_WITHIN * sqrt(largest_of_row(matrix, i)) * sqrt(largest_of_row(matrix, j)))
                continue;
            if (!above && !below) {
                *row = i;
                *column = j;
            }
            above |= j > i;
            below |= j < i;
        }
    return above != below;
}

int nb_csr_is_triangle(const struct nb_csr *matrix, int begin, int end, int *row, int *column)
{
    static const int blocks[] = {1, 3, 6}; /* of numbers, of contacts and particles, of bodies */
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b)
        if (is_block_triangle(matrix, begin, end, blocks[b], row, column))
            return 1;
    return 0;
}
