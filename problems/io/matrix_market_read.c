/* Symmetric systems from outside, as Matrix Market text. CHOLMOD reads it, once it has been checked. */
#include <cholmod.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problems/io/matrix_market.h"
#include "problems/io/matrix_market_check.h"
#include "problems/io/regular_file.h"

/* Entries a_ij and a_ji of a general file that differ by more than this part of their size are not
 * a rounding of the same number. */
static const double symmetric_within = 1e-12;

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

/* Checked; NULL where it cannot be read. */
static enum nb_status open_text(const char *path, int vector, FILE **file, struct nb_error *error)
{
    enum nb_status status = nb_open_regular(path, file, error);
    if (!status)
        status = nb_matrix_market_check(path, *file, vector, error);
    if (status && *file) {
        fclose(*file);
        *file = NULL;
    }
    return status;
}

static void start(cholmod_common *common)
{
    cholmod_start(common);
    common->print = 0;
    common->error_handler = NULL;
}

static enum nb_status refuse(const char *path, const cholmod_common *common, const char *expected,
                             struct nb_error *error)
{
    if (common->status == CHOLMOD_OUT_OF_MEMORY)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for it", path);
    return nb_fail(error, NB_BAD_FILE, "%s: not %s in Matrix Market text", path, expected);
}

/* Coordinate or array; NULL where CHOLMOD refuses. */
static cholmod_sparse *read_either(FILE *file, cholmod_common *common)
{
    int type = 0;
    void *read = cholmod_read_matrix(file, 1, &type, common);
    if (!read || type == CHOLMOD_SPARSE)
        return read;
    cholmod_dense *dense = type == CHOLMOD_DENSE ? read : NULL;
    cholmod_sparse *sparse = dense ? cholmod_dense_to_sparse(dense, 1, common) : NULL;
    cholmod_free_dense(&dense, common);
    return sparse;
}

/* Both triangles, columns sorted. A is symmetric, so its columns are its rows. */
static enum nb_status read_sparse(const char *path, cholmod_sparse **matrix, cholmod_common *common,
                                  struct nb_error *error)
{
    FILE *file = NULL;
    enum nb_status status = open_text(path, 0, &file, error);
    if (status)
        return status;
    cholmod_sparse *read = read_either(file, common);
    fclose(file);
    if (!read || read->xtype != CHOLMOD_REAL) {
        status = refuse(path, common, "a real matrix", error);
    } else if (read->nrow != read->ncol) {
        status = nb_fail(error, NB_BAD_FILE, "%s: %zu x %zu; a symmetric matrix is square", path,
                         read->nrow, read->ncol);
    } else {
        *matrix = cholmod_copy(read, 0, 1, common);
        if (!*matrix || !cholmod_sort(*matrix, common))
            status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for it", path);
    }
    cholmod_free_sparse(&read, common);
    return status;
}

/* Rows padded to a multiple of three by ones on the diagonal, and a diagonal without gaps. */
static enum nb_status convert(const char *path, const cholmod_sparse *sparse, struct nb_csr *matrix,
                              struct nb_error *error)
{
    const int *start_of = sparse->p, *row = sparse->i, n = (int)sparse->nrow;
    const double *value = sparse->x;
    const int padded = (n + 2) / 3 * 3;
    enum nb_status status = nb_csr_allocate(matrix, padded, padded, start_of[n] + padded, error);
    if (status)
        return status;
    int at = 0;
    for (int i = 0; i < padded; ++i) {
        int has_diagonal = 0;
        for (int k = i < n ? start_of[i] : 0; i < n && k < start_of[i + 1]; ++k) {
            if (!isfinite(value[k]))
                return nb_fail(error, NB_BAD_FILE, "%s: entry (%d, %d) is %g", path, row[k] + 1,
                               i + 1, value[k]);
            if (!has_diagonal && row[k] > i) {
                matrix->column[at] = i;
                matrix->value[at++] = 0;
                has_diagonal = 1;
            }
            has_diagonal |= row[k] == i;
            matrix->column[at] = row[k];
            matrix->value[at++] = value[k];
        }
        if (!has_diagonal) {
            matrix->column[at] = i;
            matrix->value[at++] = i < n ? 0 : 1;
        }
        matrix->start[i + 1] = at;
    }
    return NB_OK;
}

static double entry_of(const struct nb_csr *matrix, int row, int column)
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

static enum nb_status check_symmetry(const char *path, const struct nb_csr *matrix,
                                     struct nb_error *error)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const double a = matrix->value[k], b = entry_of(matrix, matrix->column[k], i);
            if (fabs(a - b) > symmetric_within * fmax(fabs(a), fabs(b)))
                return nb_fail(error, NB_BAD_FILE, "%s: not symmetric: entries (%d, %d) and (%d, %d) "
                               "are %g and %g", path, matrix->column[k] + 1, i + 1, i + 1,
                               matrix->column[k] + 1, a, b);
        }
    return NB_OK;
}

/* The vector into b, whose padding stays zero. */
static enum nb_status read_vector(const char *path, int rows, double *b, cholmod_common *common,
                                  struct nb_error *error)
{
    FILE *file = NULL;
    enum nb_status status = open_text(path, 1, &file, error);
    if (status)
        return status;
    cholmod_dense *dense = cholmod_read_dense(file, common);
    fclose(file);
    if (!dense || dense->xtype != CHOLMOD_REAL)
        status = refuse(path, common, "a real vector (array real)", error);
    else if ((int)dense->nrow != rows || dense->ncol != 1)
        status = nb_fail(error, NB_BAD_FILE, "%s: %zu x %zu; the matrix needs a vector of %d", path,
                         dense->nrow, dense->ncol, rows);
    for (int i = 0; !status && i < rows; ++i) {
        b[i] = ((const double *)dense->x)[i];
        if (!isfinite(b[i]))
            status = nb_fail(error, NB_BAD_FILE, "%s: entry %d is %g", path, i + 1, b[i]);
    }
    cholmod_free_dense(&dense, common);
    return status;
}

/* b = A 1 where no right-hand side is given: the solution is known. */
static void multiply_ones(const struct nb_csr *matrix, int rows, double *b)
{
    for (int i = 0; i < rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            b[i] += matrix->value[k];
}

static enum nb_status fill(const char *matrix, const char *right_side, cholmod_common *common,
                           struct nb_newton_system *system, struct nb_error *error)
{
    cholmod_sparse *sparse = NULL;
    enum nb_status status = read_sparse(matrix, &sparse, common, error);
    if (!status)
        status = convert(matrix, sparse, &system->schur, error);
    if (!status)
        status = check_symmetry(matrix, &system->schur, error);
    if (!status && !(system->right_side = calloc((size_t)system->schur.rows + 1, sizeof(double))))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for b", matrix);
    if (!status && right_side)
        status = read_vector(right_side, (int)sparse->nrow, system->right_side, common, error);
    else if (!status)
        multiply_ones(&system->schur, (int)sparse->nrow, system->right_side);
    cholmod_free_sparse(&sparse, common);
    return status;
}

enum nb_status nb_matrix_market_read(const char *matrix, const char *right_side,
                                     struct nb_newton_system *system, struct nb_error *error)
{
    cholmod_common common;
    char companion[1100];
    memset(system, 0, sizeof *system);
    if (!right_side && nb_matrix_market_companion(matrix, companion, sizeof companion))
        right_side = companion;
    start(&common);
    const enum nb_status status = fill(matrix, right_side, &common, system, error);
    cholmod_finish(&common);
    if (status)
        nb_newton_system_free(system);
    return status;
}
