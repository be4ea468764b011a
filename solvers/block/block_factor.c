/* Scalar entries of a matrix of 3x3 blocks, row by row, as a sparse Cholesky factor takes them: CHOLMOD's in
 * double, LAPACK's dense one in single (solvers/sparse/factor.h). */
#include "solvers/block/block_factor.h"

#include <stdlib.h>

void nb_scalar_pattern(const struct nb_bsr *pattern, int *start, int *column)
{
    int at = 0;
    for (int i = 0; i < pattern->rows; ++i)
        for (int r = 0; r < 3; ++r) {
            start[3 * i + r] = at;
            for (int k = pattern->start[i]; k < pattern->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c)
                    column[at++] = 3 * pattern->column[k] + c;
        }
    start[3 * pattern->rows] = at;
}

enum nb_status nb_block_factor_create(struct nb_factor **factor, const struct nb_bsr *pattern,
                                      int ldl, struct nb_error *error)
{
    const size_t order = 3 * (size_t)pattern->rows, entries = 9 * (size_t)pattern->start[pattern->rows];
    int *start = malloc((order + 1) * sizeof *start);
    int *column = malloc((entries + 1) * sizeof *column);
    const enum nb_factor_kind kind = sizeof(nb_real) == sizeof(float) ? NB_FACTOR_SINGLE
                                     : ldl                            ? NB_FACTOR_LDLT
                                                                      : NB_FACTOR_CHOLESKY;
    enum nb_status status = NB_OUT_OF_MEMORY;
    if (start && column) {
        nb_scalar_pattern(pattern, start, column);
        status = nb_factor_create(factor, (int)order, start, column, kind, error);
    } else {
        nb_fail(error, status, "no memory for the pattern of %zu rows", order);
    }
    free(start);
    free(column);
    return status;
}

void nb_block_factor_set(struct nb_factor *factor, const struct nb_bsr *pattern, int i, int k,
                         const nb_real *block)
{
    const int begin = pattern->start[i], length = 3 * (pattern->start[i + 1] - begin);
    const int *index = nb_factor_index(factor) + 9 * (size_t)begin + 3 * (size_t)(k - begin);
    double *wide = nb_factor_values(factor);
    float *single = nb_factor_values_single(factor);
    for (int r = 0; r < 3; ++r, index += length)
        for (int c = 0; c < 3; ++c) {
            if (index[c] >= 0 && wide)
                wide[index[c]] = (double)block[3 * r + c];
            else if (index[c] >= 0)
                single[index[c]] = (float)block[3 * r + c];
        }
}

enum nb_status nb_block_factor_solve(struct nb_factor *factor, nb_real *x)
{
    void *same = x; /* double or float, as the factor is */
    return sizeof(nb_real) == sizeof(float) ? nb_factor_solve_single(factor, same, same, NULL)
                                            : nb_factor_solve(factor, same, same, NULL);
}
