/* Symmetric systems from outside, as Matrix Market text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problems/io/foreign/foreign.h"
#include "problems/io/matrix_market.h"
#include "problems/io/matrix_market_parse.h"
#include "problems/io/problem_file.h"

int nb_is_matrix_market(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".mtx") == 0;
}

int nb_matrix_market_companion(const char *path, char *companion, size_t size)
{
    const size_t length = strlen(path);
    if (length < 7 || strcmp(path + length - 6, ".A.mtx") != 0 || length >= size)
        return 0;
    memcpy(companion, path, length + 1);
    companion[length - 5] = 'b';
    return access(companion, F_OK) == 0;
}

static enum nb_status no_memory(const char *path, struct nb_error *error)
{
    return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for it", path);
}

/* Rows padded to a multiple of three by ones on the diagonal, and a diagonal without gaps. */
static enum nb_status convert(const char *path, struct nb_market *market, struct nb_csr *matrix,
                              struct nb_error *error)
{
    const int padded = (market->rows + 2) / 3 * 3;
    struct nb_triplets *entries = &market->entries;
    for (int i = 0; i < padded; ++i)
        if (!nb_triplets_add(entries, i, i, i < market->rows ? 0 : 1))
            return no_memory(path, error);
    return nb_csr_from_triplets(matrix, padded, padded, entries->count, entries->row, entries->column,
                                entries->value, error);
}

static enum nb_status check_symmetry(const char *path, const struct nb_csr *matrix,
                                     struct nb_error *error)
{
    int i, j;
    const double asymmetry = nb_csr_asymmetry(matrix, &i, &j);
    if (isnan(asymmetry))
        return nb_fail(error, NB_BAD_FILE, "%s: the entries at (%d, %d) add up to %g", path, i + 1, j + 1,
                       nb_csr_entry(matrix, i, j));
    if (asymmetry > NB_SYMMETRIC_WITHIN)
        return nb_fail(error, NB_BAD_FILE, "%s: not symmetric: entries (%d, %d) and (%d, %d) are %g and %g", path,
                       j + 1, i + 1, i + 1, j + 1, nb_csr_entry(matrix, i, j), nb_csr_entry(matrix, j, i));
    return NB_OK;
}

/* The vector into b, whose padding stays zero. */
static enum nb_status read_vector(const char *path, const void *text, size_t size, int rows, double *b,
                                  struct nb_error *error)
{
    struct nb_market market;
    const enum nb_status status = nb_market_read(path, text, size, 1, &market, error);
    if (status)
        return status;
    const int fits = market.rows == rows && market.columns == 1;
    for (int k = 0; fits && k < market.entries.count; ++k)
        b[market.entries.row[k]] = market.entries.value[k];
    const int found[2] = {market.rows, market.columns};
    nb_triplets_free(&market.entries);
    return fits ? NB_OK : nb_fail(error, NB_BAD_FILE, "%s: %d x %d; the matrix needs a vector of %d", path,
                                  found[0], found[1], rows);
}

/* b = A 1 where no right-hand side is given: the solution is known. */
static void multiply_ones(const struct nb_csr *matrix, int rows, double *b)
{
    for (int i = 0; i < rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            b[i] += matrix->value[k];
}

static enum nb_status read_matrix(const char *path, const void *text, size_t size, struct nb_csr *matrix, int *rows,
                                  struct nb_error *error)
{
    struct nb_market market;
    enum nb_status status = nb_market_read(path, text, size, 0, &market, error);
    if (status)
        return status;
    *rows = market.rows;
    if (market.rows != market.columns)
        status = nb_fail(error, NB_BAD_FILE, "%s: %d x %d; a symmetric matrix is square", path, market.rows,
                         market.columns);
    else
        status = convert(path, &market, matrix, error);
    nb_triplets_free(&market.entries);
    return status ? status : check_symmetry(path, matrix, error);
}

enum nb_status nb_problem_bytes_read(const char *path, const char *right_side, struct nb_problem_bytes *bytes,
                                     struct nb_error *error)
{
    memset(bytes, 0, sizeof *bytes);
    if (access(path, F_OK) && nb_is_market_step(path))
        return nb_refuse_market_step(path, error);
    if (right_side)
        snprintf(bytes->right_side, sizeof bytes->right_side, "%s", right_side);
    else if (!nb_matrix_market_companion(path, bytes->right_side, sizeof bytes->right_side))
        bytes->right_side[0] = 0;
    enum nb_status status = nb_content_add(&bytes->content, path, error);
    bytes->first = bytes->content.size;
    if (!status && bytes->right_side[0])
        status = nb_content_add(&bytes->content, bytes->right_side, error);
    if (!status)
        status = nb_hash(bytes->content.bytes, bytes->content.size, bytes->hash, sizeof bytes->hash, error);
    if (status)
        nb_content_free(&bytes->content);
    return status;
}

enum nb_status nb_matrix_market_read(const char *matrix, const char *right_side,
                                     struct nb_newton_system *system, struct nb_error *error)
{
    struct nb_problem_bytes bytes;
    int rows = 0;
    memset(system, 0, sizeof *system);
    enum nb_status status = nb_problem_bytes_read(matrix, right_side, &bytes, error);
    const unsigned char *text = bytes.content.bytes;
    if (!status)
        status = read_matrix(matrix, text, bytes.first, &system->schur, &rows, error);
    system->padding = status ? 0 : system->schur.rows - rows;
    if (!status && !(system->right_side = calloc((size_t)system->schur.rows + 1, sizeof(double))))
        status = no_memory(matrix, error);
    if (!status && bytes.right_side[0])
        status = read_vector(bytes.right_side, text + bytes.first, bytes.content.size - bytes.first, rows,
                             system->right_side, error);
    else if (!status)
        multiply_ones(&system->schur, rows, system->right_side);
    memcpy(system->hash, bytes.hash, sizeof system->hash);
    nb_content_free(&bytes.content);
    if (status)
        nb_newton_system_free(system);
    return status;
}
