/* Matrix Market text (Boisvert, Pozo and Remington 1996): indices count from 1, numbers have 17
 * significant digits, so that reading gives the same doubles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "problems/io/problem_file.h"
#include "problems/base/numbers.h"
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

/* Ends the text and puts it in place. */
static enum nb_status finish(const char *path, FILE *stream, char **text, size_t *size,
                             struct nb_error *error)
{
    const int failed = ferror(stream);
    if (fclose(stream) || failed)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its text", path);
    return nb_replace_file(path, *text, *size, error);
}

enum nb_status nb_matrix_market_write(const char *path, const struct nb_csr *matrix,
                                      struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const int entries = matrix->rows > 0 ? matrix->start[matrix->rows] : 0;
    char *text = NULL;
    size_t size = 0;
    enum nb_status status = check_finite(path, matrix->value, entries, error);
    if (status)
        return status;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its text", path);
    fprintf(stream, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", matrix->rows,
            matrix->columns, entries);
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            fprintf(stream, "%d %d %.17g\n", row + 1, matrix->column[k] + 1, matrix->value[k]);
    status = finish(path, stream, &text, &size, error);
    free(text);
    return status;
}

enum nb_status nb_matrix_market_write_vector(const char *path, const double *values, int count,
                                             struct nb_error *error)
{
    NB_DECIMAL_POINT;
    char *text = NULL;
    size_t size = 0;
    enum nb_status status = check_finite(path, values, count, error);
    if (status)
        return status;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its text", path);
    fprintf(stream, "%%%%MatrixMarket matrix array real general\n%d 1\n", count);
    for (int k = 0; k < count; ++k)
        fprintf(stream, "%.17g\n", values[k]);
    status = finish(path, stream, &text, &size, error);
    free(text);
    return status;
}
