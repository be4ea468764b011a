/* Row by row (IKJ, Saad 2003, algorithm 10.4): each block left of the diagonal becomes L_ik = A_ik U_kk^-1, and what
 * of L_ik U_k lies in the pattern of row i is subtracted there; the diagonal blocks of U are inverted. */
#include "solvers/block/block_ilu.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_block_ilu *self = data;
    NB_ARRAY(arena, self->value, 9 * (size_t)self->blocks);
    NB_ARRAY(arena, self->inverse, 9 * (size_t)self->rows);
    NB_ARRAY(arena, self->diagonal, self->rows);
    NB_ARRAY(arena, self->place, self->rows);
}

enum nb_status nb_block_ilu_create(struct nb_block_ilu *self, int rows, int blocks, struct nb_error *error)
{
    *self = (struct nb_block_ilu){.rows = rows, .blocks = blocks};
    self->memory = nb_arena_allocate(lay_out, self);
    return self->memory ? NB_OK
                        : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for incomplete factors of %d block rows", rows);
}

void nb_block_ilu_free(struct nb_block_ilu *self)
{
    free(self->memory);
    memset(self, 0, sizeof *self);
}

/* c -= a b */
static void subtract_product(const nb_matrix *a, const nb_matrix *b, nb_matrix *c)
{
    for (int r = 0; r < 3; ++r)
        for (int e = 0; e < 3; ++e)
            c[3 * r + e] -= a[3 * r] * b[e] + a[3 * r + 1] * b[3 + e] + a[3 * r + 2] * b[6 + e];
}

/* Row i loses what row k < i of U explains; the block at `at` becomes L_ik. */
static void eliminate(struct nb_block_ilu *self, int at, int k)
{
    const struct nb_bsr *a = self->matrix;
    nb_matrix *own = self->value + 9 * (size_t)at, factor[9];
    nb_block_multiply(own, self->inverse + 9 * (size_t)k, factor);
    memcpy(own, factor, sizeof factor);
    for (int m = self->diagonal[k] + 1; m < a->start[k + 1]; ++m) {
        const int to = self->place[a->column[m]];
        if (to >= 0)
            subtract_product(factor, self->value + 9 * (size_t)m, self->value + 9 * (size_t)to);
    }
}

static int is_finite(const nb_real *block)
{
    nb_real sum = 0;
    for (int e = 0; e < 9; ++e)
        sum += nb_abs(block[e]);
    return isfinite(sum);
}

enum nb_status nb_block_ilu_update(struct nb_block_ilu *self, const struct nb_bsr *matrix)
{
    self->matrix = matrix;
    memcpy(self->value, matrix->value, 9 * (size_t)matrix->start[matrix->rows] * sizeof *self->value);
    for (int j = 0; j < matrix->columns; ++j)
        self->place[j] = -1;
    for (int i = 0; i < matrix->rows; ++i) {
        const int begin = matrix->start[i], end = matrix->start[i + 1];
        int m = begin;
        for (int k = begin; k < end; ++k)
            self->place[matrix->column[k]] = k;
        for (; m < end && matrix->column[m] < i; ++m)
            eliminate(self, m, matrix->column[m]);
        self->diagonal[i] = m;
        for (int k = begin; k < end; ++k)
            self->place[matrix->column[k]] = -1;
        nb_real pivot[9], *inverse = self->inverse + 9 * (size_t)i;
        for (int e = 0; e < 9; ++e)
            pivot[e] = (nb_real)self->value[9 * (size_t)m + (size_t)e];
        nb_block_invert(pivot, inverse);
        if (!is_finite(inverse))
            return NB_BREAKDOWN;
    }
    return NB_OK;
}

void nb_block_ilu_apply(const struct nb_block_ilu *self, const nb_real *r, nb_real *z)
{
    const struct nb_bsr *a = self->matrix;
    for (int i = 0; i < a->rows; ++i) {
        nb_real sum[3] = {0, 0, 0};
        for (int k = a->start[i]; k < self->diagonal[i]; ++k)
            nb_block_apply_add(self->value + 9 * (size_t)k, z + 3 * (size_t)a->column[k], sum);
        for (int e = 0; e < 3; ++e)
            z[3 * i + e] = r[3 * i + e] - sum[e];
    }
    for (int i = a->rows - 1; i >= 0; --i) {
        nb_real sum[3] = {0, 0, 0}, rest[3];
        for (int k = self->diagonal[i] + 1; k < a->start[i + 1]; ++k)
            nb_block_apply_add(self->value + 9 * (size_t)k, z + 3 * (size_t)a->column[k], sum);
        for (int e = 0; e < 3; ++e)
            rest[e] = z[3 * i + e] - sum[e];
        nb_block_apply(self->inverse + 9 * (size_t)i, rest, z + 3 * i);
    }
}
