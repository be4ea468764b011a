/* Products. Every parallel loop writes disjoint results, and every sum has an order that does not depend on
 * the number of threads. */
#include "solvers/block/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/large.h"

/* Fewer blocks than this are not worth waking a second thread for. */
enum { PARALLEL_BLOCKS = 20000, ROW_SLICE = 64 };

enum nb_status nb_bsr_allocate(struct nb_bsr *matrix, int rows, int columns, int blocks,
                               struct nb_error *error)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->start = calloc((size_t)rows + 1, sizeof *matrix->start);
    matrix->column = nb_large_zeroed((size_t)blocks + 1, sizeof *matrix->column);
    matrix->value = nb_large_zeroed(9 * ((size_t)blocks + 1), sizeof *matrix->value);
    if (matrix->start && matrix->column && matrix->value)
        return NB_OK;
    nb_bsr_free(matrix);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d blocks of 3x3", blocks);
}

enum nb_status nb_bsr_copy_pattern(struct nb_bsr *to, const struct nb_bsr *from, struct nb_error *error)
{
    const int blocks = from->start[from->rows];
    const enum nb_status status = nb_bsr_allocate(to, from->rows, from->columns, blocks, error);
    if (status)
        return status;
    memcpy(to->start, from->start, ((size_t)from->rows + 1) * sizeof *to->start);
    memcpy(to->column, from->column, (size_t)blocks * sizeof *to->column);
    return NB_OK;
}

/* Rows are visited in order, so that row j's next unvisited column is i. */
enum nb_status nb_bsr_mirror(const struct nb_bsr *matrix, int **mirror, struct nb_error *error)
{
    const int n = matrix->rows;
    int *next = malloc(((size_t)n + 1) * sizeof *next);
    *mirror = malloc(((size_t)matrix->start[n] + 1) * sizeof **mirror);
    if (!next || !*mirror) {
        free(next);
        free(*mirror);
        *mirror = NULL;
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a pattern of %d blocks", matrix->start[n]);
    }
    memcpy(next, matrix->start, (size_t)n * sizeof *next);
    for (int i = 0; i < n; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            (*mirror)[k] = next[matrix->column[k]]++;
    free(next);
    return NB_OK;
}

void nb_bsr_free(struct nb_bsr *matrix)
{
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
    memset(matrix, 0, sizeof *matrix);
}

/* A block is nine entries, row by row. Eight of them meet x_0 x_1 x_2 x_0 x_1 x_2 x_0 x_1 in vector
 * multiply-adds, the ninth is a scalar's. Vectors wider than a register would stay in memory: without AVX-512
 * eight doubles are two. */
typedef nb_real four __attribute__((vector_size(4 * sizeof(nb_real))));
typedef nb_real four_loose
    __attribute__((vector_size(4 * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));
#if defined __AVX512F__ || NB_REAL_BYTES == 4
enum { PART = 8 };
#else
enum { PART = 4 };
#endif
enum { PARTS = 8 / PART };
typedef nb_real part __attribute__((vector_size(PART * sizeof(nb_real))));
typedef nb_matrix part_stored
    __attribute__((vector_size(PART * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));

struct row_sum {
    part most[PARTS];
    nb_real last;
};

static inline void repeat_vector(four x, part *out)
{
#if defined __AVX512F__ || NB_REAL_BYTES == 4
    out[0] = __builtin_shufflevector(x, x, 0, 1, 2, 0, 1, 2, 0, 1);
#else
    out[0] = __builtin_shufflevector(x, x, 0, 1, 2, 0);
    out[1] = __builtin_shufflevector(x, x, 1, 2, 0, 1);
#endif
}

static inline void add_block(const nb_matrix *block, four x, nb_real x2, struct row_sum *sum)
{
    part factor[PARTS];
    repeat_vector(x, factor);
#pragma GCC unroll 2
    for (int p = 0; p < PARTS; ++p) {
        const part_stored stored = *(const part_stored *)(const void *)(block + PART * p);
        sum->most[p] += __builtin_convertvector(stored, part) * factor[p];
    }
    sum->last += (nb_real)block[8] * x2;
}

/* y = even + odd */
static inline void finish_row(const struct row_sum *even, const struct row_sum *odd, nb_real *y)
{
    nb_real sum[8];
#pragma GCC unroll 2
    for (int p = 0; p < PARTS; ++p) {
        const part both = even->most[p] + odd->most[p];
        memcpy(sum + PART * p, &both, sizeof both);
    }
    y[0] = sum[0] + sum[1] + sum[2];
    y[1] = sum[3] + sum[4] + sum[5];
    y[2] = sum[6] + sum[7] + (even->last + odd->last);
}

/* Reads one entry past x's three: not for the last column. */
static inline void add_inner(const nb_matrix *block, const nb_real *x, struct row_sum *sum)
{
    add_block(block, *(const four_loose *)(const void *)x, x[2], sum);
}

/* Rows begin to end of A x. Two sets of accumulators keep the multiply-add units busy. Columns ascend, so
 * that only the last block of a row can be in the last column. */
static void multiply_rows(const struct nb_bsr *matrix, const nb_real *restrict x,
                          nb_real *restrict y, int begin, int end)
{
    const int *column = matrix->column;
    const nb_matrix *value = matrix->value;
    for (int i = begin; i < end; ++i) {
        struct row_sum even = {{{0}}, 0}, odd = {{{0}}, 0};
        int k = matrix->start[i];
        const int stop = matrix->start[i + 1];
        for (; k + 2 < stop; k += 2) {
            add_inner(value + 9 * (size_t)k, x + 3 * (size_t)column[k], &even);
            add_inner(value + 9 * (size_t)k + 9, x + 3 * (size_t)column[k + 1], &odd);
        }
        for (; k < stop; ++k) {
            const nb_real *v = x + 3 * (size_t)column[k];
            add_block(value + 9 * (size_t)k, (four){v[0], v[1], v[2], 0}, v[2], &even);
        }
        finish_row(&even, &odd, y + 3 * (size_t)i);
    }
}

void nb_bsr_multiply(const struct nb_bsr *matrix, const nb_real *restrict x, nb_real *restrict y, int threads)
{
    const int rows = matrix->rows;
    /* Even an inactive parallel region costs as much as a small product. */
    if (threads <= 1 || matrix->start[rows] <= PARALLEL_BLOCKS) {
        multiply_rows(matrix, x, y, 0, rows);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int slice = 0; slice < rows; slice += ROW_SLICE)
        multiply_rows(matrix, x, y, slice, slice + ROW_SLICE < rows ? slice + ROW_SLICE : rows);
}

/* Row by row inside the block: a change of row r is felt by the rows after it. */
static void relax_block(const nb_matrix *own, const nb_real *diagonal, nb_real *residual, nb_real *x,
                        nb_real omega, int backward)
{
    for (int step = 0; step < 3; ++step) {
        const int r = backward ? 2 - step : step;
        const nb_real change = omega * residual[r] / diagonal[r];
        x[r] += change;
        for (int other = 0; other < 3; ++other)
            residual[other] -= (nb_real)own[3 * other + r] * change;
    }
}

void nb_bsr_relax(const struct nb_bsr *matrix, const nb_real *diagonal, const nb_real *b,
                  nb_real *x, nb_real omega, int backward)
{
    for (int step = 0; step < matrix->rows; ++step) {
        const int i = backward ? matrix->rows - 1 - step : step;
        nb_real residual[3] = {b[3 * i], b[3 * i + 1], b[3 * i + 2]};
        const nb_matrix *own = NULL;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const nb_matrix *a = matrix->value + 9 * (size_t)k;
            const nb_real *v = x + 3 * (size_t)matrix->column[k];
            for (int r = 0; r < 3; ++r)
                residual[r] -= (nb_real)(a[3 * r] * v[0] + a[3 * r + 1] * v[1] + a[3 * r + 2] * v[2]);
            if (matrix->column[k] == i)
                own = a;
        }
        if (own)
            relax_block(own, diagonal + 3 * (size_t)i, residual, x + 3 * (size_t)i, omega, backward);
    }
}

void nb_bsr_diagonal_block(const struct nb_bsr *matrix, int i, nb_real *block)
{
    for (int e = 0; e < 9; ++e)
        block[e] = 0;
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
        for (int e = 0; e < 9 && matrix->column[k] == i; ++e)
            block[e] = (nb_real)matrix->value[9 * (size_t)k + (size_t)e];
}

void nb_bsr_to_dense(const struct nb_bsr *matrix, nb_real *dense)
{
    const size_t n = 3 * (size_t)matrix->rows;
    memset(dense, 0, n * n * sizeof *dense);
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (size_t e = 0; e < 9; ++e)
                dense[(3 * (size_t)i + e / 3) * n + 3 * (size_t)matrix->column[k] + e % 3] =
                    (nb_real)matrix->value[9 * (size_t)k + e];
}
