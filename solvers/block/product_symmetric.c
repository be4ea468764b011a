/* y = A x with half of the blocks: block (i, j), j > i, of the same slice adds A_ij x_j to row i and
 * A_ij^T x_i to row j, which is kept aside until row j comes. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/large.h"
#include "problems/base/sorted.h"
#include "solvers/block/product_private.h"

/* Block rows of a slice: many, so that most pairs of rows lie in the same one, but several slices to share
 * out among threads, and few enough for 16-bit columns. */
enum { SHORTEST = 4096, LONGEST = 49152, SLICES = 8 };

/* --- pattern --- */

static int find_entry(const struct nb_bsr *matrix, int i, int j)
{
    return nb_find_sorted(matrix->column, matrix->start[i], matrix->start[i + 1], j) >= 0;
}

int nb_slices_fit(const struct nb_bsr *matrix)
{
    for (int i = 0; i < matrix->rows; ++i) {
        if (!find_entry(matrix, i, i))
            return 0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            if (!find_entry(matrix, matrix->column[k], i))
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

static void fill_pattern(struct nb_slices *slices, const struct nb_bsr *matrix)
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

static void count_places(const struct nb_bsr *matrix, int length, size_t *count)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            ++count[place_of(length, i, matrix->column[k])];
}

enum nb_status nb_slices_create(struct nb_slices *slices, const struct nb_bsr *matrix,
                                int threads, struct nb_error *error)
{
    const size_t rows = (size_t)matrix->rows;
    size_t count[4] = {0};
    slices->rows = matrix->rows;
    slices->length = slice_length(matrix->rows);
    count_places(matrix, slices->length, count);
    slices->inner_start = calloc(rows + 1, sizeof *slices->inner_start);
    slices->outer_start = calloc(rows + 1, sizeof *slices->outer_start);
    slices->inner = nb_large_allocate(count[INNER] * sizeof *slices->inner);
    slices->outer = nb_large_allocate(count[OUTER] * sizeof *slices->outer);
    void *values =
        nb_product_values(slices->storage, 9 * (rows + count[INNER] + count[OUTER]));
    if (slices->storage == NB_FULL)
        slices->value = values;
    else
        slices->half = values;
    const size_t room = (size_t)threads * 4 * (size_t)slices->length * sizeof(nb_real);
    slices->diagonal = calloc(slices->half ? 3 * rows + 1 : 1, sizeof(nb_real));
    slices->mirror = nb_large_allocate(room);
    if (!slices->inner_start || !slices->outer_start || !slices->inner || !slices->outer || !values ||
        !slices->diagonal || !slices->mirror)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a product of %zu rows", 3 * rows);
    memset(slices->mirror, 0, room);
    fill_pattern(slices, matrix);
    return NB_OK;
}

void nb_slices_free(struct nb_slices *slices)
{
    free(slices->inner_start);
    free(slices->outer_start);
    free(slices->inner);
    free(slices->outer);
    free(slices->value);
    free(slices->half);
    free(slices->diagonal);
    free(slices->mirror);
}

/* --- values --- */

/* Block k of the matrix becomes the block that begins with entry `at`. */
static void refill_block(const struct nb_slices *slices, const struct nb_bsr *matrix, int k,
                         size_t at, nb_real *diagonal)
{
    const nb_matrix *block = matrix->value + 9 * (size_t)k;
    if (slices->storage == NB_FULL)
        memcpy(slices->value + at, block, 9 * sizeof *block);
    else
        nb_product_narrow(slices->kernels->narrow[slices->storage], block, slices->half + at, diagonal);
}

static void refill_row(const struct nb_slices *slices, const struct nb_bsr *matrix, int i)
{
    const size_t first = nb_slices_offset(slices, i);
    size_t inner = first + 9;
    size_t outer = inner + 9 * (size_t)(slices->inner_start[i + 1] - slices->inner_start[i]);
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
        switch (place_of(slices->length, i, matrix->column[k])) {
        case DIAGONAL:
            refill_block(slices, matrix, k, first, slices->half ? slices->diagonal + 3 * (size_t)i : NULL);
            break;
        case INNER: refill_block(slices, matrix, k, inner, NULL), inner += 9; break;
        case OUTER: refill_block(slices, matrix, k, outer, NULL), outer += 9; break;
        case MIRRORED: break;
        }
}

void nb_slices_refill(struct nb_slices *slices, const struct nb_bsr *matrix, int threads)
{
#pragma omp parallel for schedule(static, SHORTEST) num_threads(threads) if (threads > 1)
    for (int i = 0; i < matrix->rows; ++i)
        refill_row(slices, matrix, i);
}

/* --- products --- */

void nb_slices_multiply(const struct nb_slices *slices, const nb_real *x, nb_real *y, int threads)
{
    const int count = (slices->rows + slices->length - 1) / slices->length;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const size_t thread = threads > 1 ? (size_t)omp_get_thread_num() : 0;
        nb_real *mirror = slices->mirror + thread * 4 * (size_t)slices->length;
#pragma omp for schedule(dynamic, 1)
        for (int slice = 0; slice < count; ++slice)
            slices->kernels->slice[slices->storage](slices, x, y, slice, mirror);
    }
}
