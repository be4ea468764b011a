/* Matrix Market text (Boisvert, Pozo and Remington 1996): indices count from 1, numbers have 17
 * significant digits, so that reading gives the same doubles. */
#include <math.h>

#include "problems/base/numbers.h"
#include "problems/io/matrix_market.h"
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

enum nb_status nb_matrix_market_begin(struct nb_new_file *file, const char *path, const struct nb_csr *matrix,
                                      struct nb_error *error)
{
    NB_DECIMAL_POINT;
    enum nb_status status = check_finite(path, matrix->value, entries_of(matrix), error);
    if (!status)
        status = nb_new_file_begin(file, path, error);
    if (status)
        return status;
    fprintf(file->stream, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", matrix->rows,
            matrix->columns, entries_of(matrix));
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            fprintf(file->stream, "%d %d %.17g\n", row + 1, matrix->column[k] + 1, matrix->value[k]);
    return nb_new_file_finish(file, NB_OK, error);
}

enum nb_status nb_matrix_market_write(const char *path, const struct nb_csr *matrix,
                                      struct nb_error *error)
{
    struct nb_new_file file = {0};
    return nb_new_files_place(&file, 1, nb_matrix_market_begin(&file, path, matrix, error), error);
}

enum nb_status nb_matrix_market_begin_vector(struct nb_new_file *file, const char *path, const double *values,
                                             int count, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    enum nb_status status = check_finite(path, values, count, error);
    if (!status)
        status = nb_new_file_begin(file, path, error);
    if (status)
        return status;
    fprintf(file->stream, "%%%%MatrixMarket matrix array real general\n%d 1\n", count);
    for (int k = 0; k < count; ++k)
        fprintf(file->stream, "%.17g\n", values[k]);
    return nb_new_file_finish(file, NB_OK, error);
}

enum nb_status nb_matrix_market_write_vector(const char *path, const double *values, int count,
                                             struct nb_error *error)
{
    struct nb_new_file file = {0};
    return nb_new_files_place(&file, 1, nb_matrix_market_begin_vector(&file, path, values, count, error), error);
}
