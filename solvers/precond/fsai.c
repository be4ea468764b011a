/* Factorised sparse approximate inverse, by contact blocks (Kolotilina and Yeremin 1993):
 *
 *     P^-1 = G^T G,  G lower triangular with the pattern of A's lower triangle, thinned to the blocks that
 *     couple most strongly, those of largest ||A_ij||^2 / max diag(A_jj) (of equal ones the first), and row i
 *     of G from  A(S, S) y = E_i  on the pattern S of the row
 *
 * so that the diagonal blocks of G A G^T are 1. Setting up and applying need no order of the rows. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/block/dense_small.h"
#include "solvers/strategy.h"

enum { MOST = 32 };
enum { NEIGHBOURS, SETTINGS };

static const struct nb_setting settings[] = {
    {.name = "neighbours", .value = 10, .minimum = 1, .maximum = MOST - 1, .whole = 1,
     .meaning = "blocks of a row beside its diagonal, at most"},
    {.name = NULL}};

struct fsai {
    int rows, limit;
    int *start;     /* [rows + 1] room of each row                     */
    int *count;     /* [rows] blocks of G in use, the diagonal one last */
    int *column;    /* [room]                                          */
    nb_real *value; /* [9 room]                                        */
    nb_real *size;  /* [rows] norm of each diagonal block              */
    nb_real *dense; /* [(3 MOST)^2] and three columns                  */
    void *memory;   /* of the arrays but start                         */
};

static void release(void *data)
{
    struct fsai *self = data;
    if (!self)
        return;
    free(self->start);
    free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct fsai *self = data;
    const size_t room = (size_t)self->start[self->rows];
    NB_ARRAY(arena, self->count, self->rows);
    NB_ARRAY(arena, self->column, room);
    NB_ARRAY(arena, self->value, 9 * room);
    NB_ARRAY(arena, self->size, self->rows);
    NB_ARRAY(arena, self->dense, 9 * MOST * MOST + 9 * MOST);
}

static enum nb_status setup(void **out, const struct nb_operator *op, struct nb_error *error)
{
    const struct nb_bsr *matrix = op->matrix;
    struct fsai *self = calloc(1, sizeof *self);
    double value[SETTINGS];
    *out = self;
    const enum nb_status status = nb_settings_read(settings, op->options->precond, value, error);
    if (status)
        return status;
    if (self)
        self->start = calloc((size_t)matrix->rows + 1, sizeof *self->start);
    if (!self || !self->start)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for fsai");
    self->rows = matrix->rows;
    self->limit = (int)value[NEIGHBOURS];
    for (int i = 0; i < matrix->rows; ++i) {
        int room = 0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1] && matrix->column[k] < i; ++k)
            ++room;
        self->start[i + 1] = self->start[i] + (room < self->limit ? room : self->limit) + 1;
    }
    self->memory = nb_arena_allocate(lay_out, self);
    return self->memory ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for fsai");
}

static nb_real square(const nb_matrix *block)
{
    nb_real sum = 0;
    for (int e = 0; e < 9; ++e)
        sum += (nb_real)block[e] * (nb_real)block[e];
    return sum;
}

/* The pattern of row i, ascending, its diagonal last. */
static int choose_pattern(const struct fsai *self, const struct nb_bsr *matrix, int i, int *pattern)
{
    nb_real strength[MOST];
    int count = 0;
    for (int k = matrix->start[i]; k < matrix->start[i + 1] && matrix->column[k] < i; ++k) {
        const int j = matrix->column[k];
        const nb_real s = square(matrix->value + 9 * (size_t)k) / self->size[j];
        int at = count;
        if (count == self->limit) { /* it takes the place of the weakest, if that is weaker */
            at = 0;
            for (int m = 1; m < count; ++m)
                at = strength[m] < strength[at] ? m : at;
            if (!(s > strength[at]))
                continue;
            for (; at + 1 < count; ++at) {
                pattern[at] = pattern[at + 1];
                strength[at] = strength[at + 1];
            }
        } else {
            ++count;
        }
        pattern[at] = j;
        strength[at] = s;
    }
    pattern[count++] = i;
    return count;
}

/* A(S, S), dense; both the pattern and the rows of A ascend. */
static void gather_submatrix(const struct nb_bsr *matrix, const int *pattern, int count, nb_real *dense)
{
    const size_t order = 3 * (size_t)count;
    memset(dense, 0, order * order * sizeof *dense);
    for (int a = 0; a < count; ++a) {
        int b = 0;
        for (int k = matrix->start[pattern[a]]; k < matrix->start[pattern[a] + 1]; ++k) {
            while (b < count && pattern[b] < matrix->column[k])
                ++b;
            if (b == count)
                break;
            for (size_t e = 0; e < 9 && pattern[b] == matrix->column[k]; ++e)
                dense[(3 * (size_t)a + e / 3) * order + 3 * (size_t)b + e % 3] =
                    (nb_real)matrix->value[9 * (size_t)k + e];
        }
    }
}

/* Row i of G: C^-1 Y^T, with A(S, S) Y = E_i and C C^T the diagonal block of Y. */
static int solve_row(const struct fsai *self, const struct nb_bsr *matrix, int i)
{
    int *pattern = self->column + self->start[i];
    const int count = choose_pattern(self, matrix, i, pattern), order = 3 * count;
    nb_real *dense = self->dense, *y = dense + 9 * MOST * MOST, block[9], inverse[9];
    nb_real *g = self->value + 9 * (size_t)self->start[i];
    self->count[i] = count;
    gather_submatrix(matrix, pattern, count, dense);
    if (nb_dense_factor(order, dense) < order)
        return 0;
    for (int c = 0; c < 3; ++c) {
        memset(y + c * order, 0, (size_t)order * sizeof *y);
        y[c * order + order - 3 + c] = 1;
        nb_dense_solve(order, dense, y + c * order);
    }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            block[3 * r + c] = y[c * order + order - 3 + r];
    if (!nb_block_invert_factor(block, inverse))
        return 0;
    for (int m = 0; m < count; ++m)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                g[9 * m + 3 * r + c] = inverse[3 * r] * y[3 * m + c] +
                                       inverse[3 * r + 1] * y[order + 3 * m + c] +
                                       inverse[3 * r + 2] * y[2 * order + 3 * m + c];
    return 1;
}

static enum nb_status update(void *data, const struct nb_operator *op, struct nb_error *error)
{
    const struct fsai *self = data;
    for (int i = 0; i < self->rows; ++i) {
        nb_real block[9];
        nb_bsr_diagonal_block(op->matrix, i, block);
        self->size[i] = nb_max(block[0], nb_max(block[4], block[8]));
        if (!(self->size[i] > 0 && isfinite((double)self->size[i])))
            return nb_fail(error, NB_BREAKDOWN, "fsai: diagonal block %d is not positive", i);
    }
    for (int i = 0; i < self->rows; ++i)
        if (!solve_row(self, op->matrix, i))
            return nb_fail(error, NB_BREAKDOWN, "fsai: the system of block row %d is not positive definite",
                           i);
    return NB_OK;
}

/* z = G^T (G r), row by row. */
static void apply(const void *data, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const struct fsai *self = data;
    memset(z, 0, op->size * sizeof *z);
    for (int i = 0; i < self->rows; ++i) {
        nb_real y[3] = {0, 0, 0};
        for (int k = self->start[i]; k < self->start[i] + self->count[i]; ++k) {
            const nb_real *g = self->value + 9 * (size_t)k, *x = r + 3 * (size_t)self->column[k];
            for (int e = 0; e < 3; ++e)
                y[e] += g[3 * e] * x[0] + g[3 * e + 1] * x[1] + g[3 * e + 2] * x[2];
        }
        for (int k = self->start[i]; k < self->start[i] + self->count[i]; ++k) {
            const nb_real *g = self->value + 9 * (size_t)k;
            nb_real *out = z + 3 * (size_t)self->column[k];
            for (int c = 0; c < 3; ++c)
                out[c] += g[c] * y[0] + g[3 + c] * y[1] + g[6 + c] * y[2];
        }
    }
}

const struct nb_precond NB(nb_precond_fsai) = {
    .name = "fsai",
    .title = "factorised sparse approximate inverse",
    .source = "Kolotilina and Yeremin 1993",
    .settings = settings,
    .needs_matrix = 1,
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = release,
};
