#include "solvers/kernels/block_lu.h"

#include <stdlib.h>
#include <string.h>

/* Column 3 j + c holds the scalar rows of the blocks (i, j). The block pattern is symmetric, so
 * that row j lists them. */
static void lay_out(const struct NB(nb_bsr) *pattern, int *start, int *row, int *next,
                    int *position)
{
    start[0] = 0;
    for (int i = 0; i < pattern->rows; ++i)
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
            const int j = pattern->column[k];
            const int length = 3 * (pattern->start[j + 1] - pattern->start[j]), rank = next[j]++;
            for (int e = 0; e < 9; ++e) {
                const int r = e / 3, c = e % 3;
                const int at = 9 * pattern->start[j] + c * length + 3 * rank + r;
                row[at] = 3 * i + r;
                position[9 * k + e] = at;
                start[3 * j + c + 1] = 9 * pattern->start[j] + (c + 1) * length;
            }
        }
}

enum nb_status NB(nb_block_lu_create)(struct NB(nb_block_lu) *self,
                                      const struct NB(nb_bsr) *pattern, struct nb_error *error)
{
    const size_t entries = 9 * (size_t)pattern->start[pattern->rows];
    int *start = malloc((3 * (size_t)pattern->rows + 1) * sizeof *start);
    int *row = malloc((entries + 1) * sizeof *row);
    int *next = calloc((size_t)pattern->rows + 1, sizeof *next);
    enum nb_status status = NB_OK;
    memset(self, 0, sizeof *self);
    self->order = 3 * pattern->rows;
    self->position = malloc((entries + 1) * sizeof *self->position);
    if (!start || !row || !next || !self->position) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton matrix's pattern");
        goto done;
    }
    lay_out(pattern, start, row, next, self->position);
    status = nb_sparse_lu_create(&self->lu, self->order, start, row,
                                 sizeof(nb_real) == sizeof(float), error);
done:
    free(start);
    free(row);
    free(next);
    if (status)
        NB(nb_block_lu_free)(self);
    return status;
}

void NB(nb_block_lu_free)(struct NB(nb_block_lu) *self)
{
    nb_sparse_lu_free(self->lu);
    free(self->position);
    memset(self, 0, sizeof *self);
}

void NB(nb_block_lu_set)(struct NB(nb_block_lu) *self, int k, const nb_real *block)
{
    double *value = nb_sparse_lu_values(self->lu);
    for (size_t e = 0; e < 9; ++e)
        value[self->position[9 * (size_t)k + e]] = (double)block[e];
}

void NB(nb_block_lu_shift)(struct NB(nb_block_lu) *self, const struct NB(nb_bsr) *pattern,
                           double shift)
{
    double *value = nb_sparse_lu_values(self->lu);
    for (int i = 0; i < pattern->rows; ++i)
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; ++k)
            for (size_t r = 0; pattern->column[k] == i && r < 3; ++r)
                value[self->position[9 * (size_t)k + 4 * r]] += shift;
}
