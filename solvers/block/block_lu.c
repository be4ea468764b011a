/* Blocks are spread over the scalar columns of a sparse LU: column 3 j + c of block column j has as many rows as the
 * block column has blocks, times three, and position[9 k + e] says where entry e of block k went. */
#include "solvers/block/block_lu.h"

#include <stdlib.h>
#include <string.h>

/* The block pattern is symmetric, so that row j lists the blocks (i, j). */
static void lay_out(const struct nb_bsr *pattern, struct nb_block_columns *columns, int *next)
{
    int *start = columns->start;
    start[0] = 0;
    for (int i = 0; i < pattern->rows; ++i)
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
            const int j = pattern->column[k];
            const int length = 3 * (pattern->start[j + 1] - pattern->start[j]), rank = next[j]++;
            for (int e = 0; e < 9; ++e) {
                const int r = e / 3, c = e % 3;
                const int at = 9 * pattern->start[j] + c * length + 3 * rank + r;
                columns->row[at] = 3 * i + r;
                columns->position[9 * k + e] = at;
                start[3 * j + c + 1] = 9 * pattern->start[j] + (c + 1) * length;
            }
        }
}

enum nb_status nb_block_columns_create(struct nb_block_columns *self, const struct nb_bsr *pattern,
                                       struct nb_error *error)
{
    const size_t entries = 9 * (size_t)pattern->start[pattern->rows];
    int *next = calloc((size_t)pattern->rows + 1, sizeof *next);
    self->order = 3 * pattern->rows;
    self->start = malloc(((size_t)self->order + 1) * sizeof *self->start);
    self->row = malloc((entries + 1) * sizeof *self->row);
    self->position = malloc((entries + 1) * sizeof *self->position);
    if (next && self->start && self->row && self->position) {
        lay_out(pattern, self, next);
        free(next);
        return NB_OK;
    }
    free(next);
    nb_block_columns_free(self);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton matrix's pattern");
}

void nb_block_columns_free(struct nb_block_columns *self)
{
    free(self->start);
    free(self->row);
    free(self->position);
    memset(self, 0, sizeof *self);
}

enum nb_status nb_block_lu_create(struct nb_block_lu *self,
                                  const struct nb_bsr *pattern, struct nb_error *error)
{
    struct nb_block_columns columns = {0};
    enum nb_status status = nb_block_columns_create(&columns, pattern, error);
    memset(self, 0, sizeof *self);
    if (!status)
        status = nb_sparse_lu_create(&self->lu, columns.order, columns.start, columns.row,
                                     sizeof(nb_real) == sizeof(float), error);
    if (!status) {
        self->order = columns.order;
        self->position = columns.position;
        columns.position = NULL;
    }
    nb_block_columns_free(&columns);
    return status;
}

void nb_block_lu_free(struct nb_block_lu *self)
{
    nb_sparse_lu_free(self->lu);
    free(self->position);
    memset(self, 0, sizeof *self);
}

void nb_block_lu_set(struct nb_block_lu *self, int k, const nb_real *block)
{
    double *value = nb_sparse_lu_values(self->lu);
    for (size_t e = 0; e < 9; ++e)
        value[self->position[9 * (size_t)k + e]] = (double)block[e];
}

void nb_block_lu_shift(struct nb_block_lu *self, const struct nb_bsr *pattern, double shift)
{
    double *value = nb_sparse_lu_values(self->lu);
    for (int i = 0; i < pattern->rows; ++i)
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; ++k)
            for (size_t r = 0; pattern->column[k] == i && r < 3; ++r)
                value[self->position[9 * (size_t)k + 4 * r]] += shift;
}
