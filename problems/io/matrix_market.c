/* Matrix Market text (Boisvert, Pozo and Remington 1996): indices count from 1, numbers have 17
 * significant digits, so that reading gives the same doubles. */
#include <math.h>

#include "problems/io/problem_file.h"
#include "problems/io/replace_file.h"

static enum nb_status check_finite(const char *path, const double *values, int count,
                                   struct nb_error *error)
{
    for (int k = 0; k < count; ++k)
        if (!isfinite(values[k]))
            return nb_fail(error, NB_BAD_INPUT, "%s: not written: entry %d is %g", path, k,
                           values[k]);
    return NB_OK;
}

static int entries_of(const struct nb_csr *matrix)
{
    return matrix->rows > 0 ? matrix->start[matrix->rows] : 0;
}

static int print_matrix(FILE *stream, const void *context)
{
    const struct nb_csr *matrix = context;
    fprintf(stream, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", matrix->rows,
            matrix->columns, entries_of(matrix));
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            fprintf(stream, "%d %d %.17g\n", row + 1, matrix->column[k] + 1, matrix->value[k]);
    return 0;
}

enum nb_status nb_matrix_market_write(const char *path, const struct nb_csr *matrix,
                                      struct nb_error *error)
{
    const enum nb_status status = check_finite(path, matrix->value, entries_of(matrix), error);
    return status ? status : nb_replace_text(path, print_matrix, matrix, error);
}

struct vector {
    const double *values;
    int count;
};

static int print_vector(FILE *stream, const void *context)
{
    const struct vector *vector = context;
    fprintf(stream, "%%%%MatrixMarket matrix array real general\n%d 1\n", vector->count);
    for (int k = 0; k < vector->count; ++k)
        fprintf(stream, "%.17g\n", vector->values[k]);
    return 0;
}

enum nb_status nb_matrix_market_write_vector(const char *path, const double *values, int count,
                                             struct nb_error *error)
{
    const enum nb_status status = check_finite(path, values, count, error);
    return status ? status : nb_replace_text(path, print_vector, &(struct vector){values, count}, error);
}
