/* Incomplete Cholesky factorisation without fill, by contact blocks: L has the pattern of the lower
 * triangle of A (Meijerink and van der Vorst 1977; Saad 2003, section 10.3). Redundant contacts make
 * pivots vanish: then the factor of A + alpha diag A is taken, with alpha grown until one exists
 * (Manteuffel 1980). */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/strategy.h"

struct ic0 {
    int rows;
    size_t blocks;        /* strictly lower ones, at most                       */
    int *start, *column;  /* strictly lower blocks by rows [rows + 1], [blocks] */
    nb_real *value;       /* L_ij [9 blocks]                                    */
    nb_real *inverse;     /* L_ii^-1 [9 rows], lower triangular                 */
    void *memory;         /* of the arrays                                      */
};

static void release(void *data)
{
    struct ic0 *self = data;
    if (self)
        free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct ic0 *self = data;
    NB_ARRAY(arena, self->start, self->rows + 1);
    NB_ARRAY(arena, self->column, self->blocks);
    NB_ARRAY(arena, self->value, 9 * self->blocks);
    NB_ARRAY(arena, self->inverse, 9 * (size_t)self->rows);
}

static enum nb_status setup(void **out, const struct nb_operator *op, struct nb_error *error)
{
    const struct nb_bsr *matrix = op->matrix;
    struct ic0 *self = calloc(1, sizeof *self);
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for ic0");
    self->rows = matrix->rows;
    self->blocks = (size_t)matrix->start[matrix->rows] / 2; /* the pattern is symmetric */
    self->memory = nb_arena_allocate(lay_out, self);
    if (!self->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for ic0");
    for (int i = 0; i < matrix->rows; ++i) {
        int at = self->start[i];
        for (int k = matrix->start[i]; k < matrix->start[i + 1] && matrix->column[k] < i; ++k)
            self->column[at++] = matrix->column[k];
        self->start[i + 1] = at;
    }
    return NB_OK;
}

/* block -= sum over the columns j that rows a (from ka, up to enda) and b share of L_aj L_bj^T. */
static void subtract_products(const struct ic0 *self, int ka, int enda, int kb, int endb,
                              nb_real *block)
{
    nb_real sum[9] = {0};
    while (ka < enda && kb < endb) {
        if (self->column[ka] < self->column[kb]) {
            ++ka;
        } else if (self->column[ka] > self->column[kb]) {
            ++kb;
        } else {
            const nb_real *a = self->value + 9 * (size_t)ka++, *b = self->value + 9 * (size_t)kb++;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    sum[3 * r + c] += a[3 * r] * b[3 * c] + a[3 * r + 1] * b[3 * c + 1] +
                                      a[3 * r + 2] * b[3 * c + 2];
        }
    }
    for (int e = 0; e < 9; ++e)
        block[e] -= sum[e];
}

/* block = block L_jj^-T */
static void apply_inverse_transpose(const nb_real *inverse, nb_real *block)
{
    for (int r = 0; r < 3; ++r) {
        nb_real row[3];
        nb_block_lower_apply(inverse, block + 3 * r, row);
        memcpy(block + 3 * r, row, sizeof row);
    }
}

/* Pivots that are the rounding of their diagonal entry are no pivots: dividing by them would blow up. */
static int is_sound(const nb_real *inverse, const nb_real *diagonal)
{
    const nb_real least = 16 * NB_REAL(NB_UNIT_ROUNDOFF);
    for (int e = 0; e < 9; e += 4)
        if (!(least * diagonal[e] * inverse[e] * inverse[e] <= 1))
            return 0;
    return 1;
}

/* Row i of L; zero where its pivot is not positive definite. */
static int factor_row(struct ic0 *self, const struct nb_bsr *matrix, int i, nb_real alpha)
{
    const int begin = self->start[i], end = self->start[i + 1];
    int k = begin;
    for (int m = matrix->start[i]; m < matrix->start[i + 1] && matrix->column[m] <= i; ++m) {
        const int j = matrix->column[m];
        nb_real pivot[9], *block = j < i ? self->value + 9 * (size_t)k : pivot;
        for (int e = 0; e < 9; ++e)
            block[e] = (nb_real)matrix->value[9 * (size_t)m + (size_t)e];
        if (j < i) {
            subtract_products(self, begin, k, self->start[j], self->start[j + 1], block);
            apply_inverse_transpose(self->inverse + 9 * (size_t)j, block);
            ++k;
            continue;
        }
        for (int e = 0; e < 9; e += 4)
            block[e] += alpha * block[e];
        nb_real diagonal[9], *inverse = self->inverse + 9 * (size_t)i;
        memcpy(diagonal, block, sizeof diagonal);
        subtract_products(self, begin, end, begin, end, block);
        return nb_block_invert_factor(block, inverse) && is_sound(inverse, diagonal);
    }
    return 0; /* no diagonal block */
}

static enum nb_status update(void *data, const struct nb_operator *op, struct nb_error *error)
{
    struct ic0 *self = data;
    int failed = 0;
    for (nb_real alpha = 0; alpha < 10; alpha = alpha > 0 ? 4 * alpha : NB_REAL(1e-3)) {
        int i = 0;
        while (i < self->rows && factor_row(self, op->matrix, i, alpha))
            ++i;
        if (i == self->rows)
            return NB_OK;
        failed = i;
    }
    return nb_fail(error, NB_BREAKDOWN, "ic0: the pivot of block row %d stays indefinite", failed);
}

/* sum += l x */
static void add_product(const nb_real *l, const nb_real *x, nb_real *sum)
{
    for (int r = 0; r < 3; ++r)
        sum[r] += l[3 * r] * x[0] + l[3 * r + 1] * x[1] + l[3 * r + 2] * x[2];
}

/* L y = r downwards, L^T z = y upwards; row i of L scatters into the rows above it. */
static void apply(const void *data, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const struct ic0 *self = data;
    for (int i = 0; i < self->rows; ++i) {
        nb_real sum[3] = {0, 0, 0}, rest[3];
        for (int k = self->start[i]; k < self->start[i + 1]; ++k)
            add_product(self->value + 9 * (size_t)k, z + 3 * (size_t)self->column[k], sum);
        for (int e = 0; e < 3; ++e)
            rest[e] = r[3 * i + e] - sum[e];
        nb_block_lower_apply(self->inverse + 9 * (size_t)i, rest, z + 3 * (size_t)i);
    }
    for (int i = self->rows - 1; i >= 0; --i) {
        nb_real own[3];
        nb_block_lower_apply_transposed(self->inverse + 9 * (size_t)i, z + 3 * (size_t)i, own);
        memcpy(z + 3 * (size_t)i, own, sizeof own);
        for (int k = self->start[i]; k < self->start[i + 1]; ++k) {
            const nb_real *l = self->value + 9 * (size_t)k;
            nb_real *above = z + 3 * (size_t)self->column[k];
            for (int c = 0; c < 3; ++c)
                above[c] -= l[c] * own[0] + l[3 + c] * own[1] + l[6 + c] * own[2];
        }
    }
    (void)op;
}

const struct nb_precond NB(nb_precond_ic0) = {
    .name = "ic0",
    .title = "incomplete Cholesky without fill, by contact blocks",
    .source = "Meijerink and van der Vorst 1977; Manteuffel 1980",
    .needs_matrix = 1,
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = release,
};
