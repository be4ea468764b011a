/* y = A x with half of the blocks: block (i, j), j > i, of the same slice adds A_ij x_j to row i and
 * A_ij^T x_i to row j, which is kept aside until row j comes. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/kernels/product_private.h"

/* Block rows of a slice: many, so that most pairs of rows lie in the same one, but several slices to share
 * out among threads, and few enough for 16-bit columns. */
enum { SHORTEST = 4096, LONGEST = 49152, SLICES = 8 };

typedef nb_real four __attribute__((vector_size(4 * sizeof(nb_real))));
typedef nb_real four_loose
    __attribute__((vector_size(4 * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));
typedef nb_matrix four_stored
    __attribute__((vector_size(4 * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));

/* --- pattern --- */

static int find(const struct NB(nb_bsr) *matrix, int i, int j)
{
    int low = matrix->start[i], high = matrix->start[i + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (matrix->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matrix->start[i + 1] && matrix->column[low] == j;
}

int NB(nb_slices_fit)(const struct NB(nb_bsr) *matrix)
{
    for (int i = 0; i < matrix->rows; ++i) {
        if (!find(matrix, i, i))
            return 0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            if (!find(matrix, matrix->column[k], i))
                return 0;
    }
    return matrix->rows == matrix->columns;
}

static int slice_length(int rows)
{
    const int share = (rows + SLICES - 1) / SLICES;
    return share < SHORTEST ? SHORTEST : share > LONGEST ? LONGEST : share;
}

enum place { DIAGONAL, INNER, OUTER, MIRRORED };

static enum place place_of(int length, int i, int j)
{
    if (i / length != j / length)
        return OUTER;
    return j == i ? DIAGONAL : j > i ? INNER : MIRRORED;
}

static void fill_pattern(struct NB(nb_slices) *slices, const struct NB(nb_bsr) *matrix)
{
    int inner = 0, outer = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            const enum place place = place_of(slices->length, i, j);
            if (place == INNER)
                slices->inner[inner++] = (unsigned short)(j % slices->length);
            else if (place == OUTER)
                slices->outer[outer++] = j;
        }
        slices->inner_start[i + 1] = inner;
        slices->outer_start[i + 1] = outer;
    }
}

static void count_places(const struct NB(nb_bsr) *matrix, int length, size_t *count)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            ++count[place_of(length, i, matrix->column[k])];
}

enum nb_status NB(nb_slices_create)(struct NB(nb_slices) *slices, const struct NB(nb_bsr) *matrix,
                                    int threads, struct nb_error *error)
{
    const size_t rows = (size_t)matrix->rows;
    size_t count[4] = {0};
    slices->rows = matrix->rows;
    slices->length = slice_length(matrix->rows);
    count_places(matrix, slices->length, count);
    slices->inner_start = calloc(rows + 1, sizeof *slices->inner_start);
    slices->outer_start = calloc(rows + 1, sizeof *slices->outer_start);
    slices->inner = malloc((count[INNER] + 1) * sizeof *slices->inner);
    slices->outer = malloc((count[OUTER] + 1) * sizeof *slices->outer);
    slices->value = NB(nb_product_values)(9 * (rows + count[INNER] + count[OUTER]));
    slices->mirror = aligned_alloc(64, (size_t)threads * 4 * (size_t)slices->length * sizeof(nb_real));
    if (!slices->inner_start || !slices->outer_start || !slices->inner || !slices->outer ||
        !slices->value || !slices->mirror)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a product of %zu rows", 3 * rows);
    memset(slices->mirror, 0, (size_t)threads * 4 * (size_t)slices->length * sizeof(nb_real));
    fill_pattern(slices, matrix);
    return NB_OK;
}

void NB(nb_slices_free)(struct NB(nb_slices) *slices)
{
    free(slices->inner_start);
    free(slices->outer_start);
    free(slices->inner);
    free(slices->outer);
    free(slices->value);
    free(slices->mirror);
}

/* --- values --- */

static nb_matrix *row_values(const struct NB(nb_slices) *slices, int i)
{
    return slices->value + 9 * ((size_t)i + (size_t)slices->inner_start[i] +
                                (size_t)slices->outer_start[i]);
}

static void refill_row(struct NB(nb_slices) *slices, const struct NB(nb_bsr) *matrix, int i)
{
    const size_t size = 9 * sizeof(nb_matrix);
    nb_matrix *diagonal = row_values(slices, i), *inner = diagonal + 9;
    nb_matrix *outer = inner + 9 * (size_t)(slices->inner_start[i + 1] - slices->inner_start[i]);
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
        const nb_matrix *block = matrix->value + 9 * (size_t)k;
        switch (place_of(slices->length, i, matrix->column[k])) {
        case DIAGONAL: memcpy(diagonal, block, size); break;
        case INNER: memcpy(inner, block, size), inner += 9; break;
        case OUTER: memcpy(outer, block, size), outer += 9; break;
        case MIRRORED: break;
        }
    }
}

void NB(nb_slices_refill)(struct NB(nb_slices) *slices, const struct NB(nb_bsr) *matrix, int threads)
{
#pragma omp parallel for schedule(static, SHORTEST) num_threads(threads) if (threads > 1)
    for (int i = 0; i < matrix->rows; ++i)
        refill_row(slices, matrix, i);
}

/* --- products --- */

static inline four load(const nb_matrix *row)
{
    return __builtin_convertvector(*(const four_stored *)(const void *)row, four);
}

/* x_j, and in the fourth lane whatever comes after it, which no sum uses. `last` holds the last block. */
static inline four load_x(const nb_real *x, int j, int end, four last)
{
    if (j == end)
        return last;
    return *(const four_loose *)(const void *)(x + 3 * (size_t)j);
}

struct row_sum {
    four part[3]; /* the row's sum is that of the first three lanes */
};

static inline void add(const nb_matrix *block, four x, struct row_sum *sum)
{
    for (int r = 0; r < 3; ++r)
        sum->part[r] += load(block + 3 * r) * x;
}

static void multiply_slice(const struct NB(nb_slices) *slices, const nb_real *restrict x,
                           nb_real *restrict y, int slice, four *restrict mirror)
{
    const int begin = slice * slices->length, end = slices->rows - 1;
    const int stop = begin + slices->length < slices->rows ? begin + slices->length : slices->rows;
    const nb_real *tail = x + 3 * (size_t)end;
    const four last = {tail[0], tail[1], tail[2], 0}, zero = {0};
    const nb_matrix *block = row_values(slices, begin);
    for (int i = begin; i < stop; ++i) {
        const nb_real *own = x + 3 * (size_t)i;
        struct row_sum sum = {{{0}}};
        add(block, load_x(x, i, end, last), &sum);
        block += 9;
        for (int k = slices->inner_start[i]; k < slices->inner_start[i + 1]; ++k, block += 9) {
            four *other = mirror + slices->inner[k];
            add(block, load_x(x, begin + slices->inner[k], end, last), &sum);
            *other += load(block) * own[0] + load(block + 3) * own[1] + load(block + 6) * own[2];
        }
        for (int k = slices->outer_start[i]; k < slices->outer_start[i + 1]; ++k, block += 9)
            add(block, load_x(x, slices->outer[k], end, last), &sum);
        for (int r = 0; r < 3; ++r)
            y[3 * (size_t)i + (size_t)r] = sum.part[r][0] + sum.part[r][1] + sum.part[r][2] +
                                           mirror[i - begin][r];
        mirror[i - begin] = zero;
    }
}

void NB(nb_slices_multiply)(const struct NB(nb_slices) *slices, const nb_real *x, nb_real *y,
                            int threads)
{
    const int count = (slices->rows + slices->length - 1) / slices->length;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const size_t thread = threads > 1 ? (size_t)omp_get_thread_num() : 0;
        four *mirror = (four *)(void *)(slices->mirror + thread * 4 * (size_t)slices->length);
#pragma omp for schedule(dynamic, 1)
        for (int slice = 0; slice < count; ++slice)
            multiply_slice(slices, x, y, slice, mirror);
    }
}
