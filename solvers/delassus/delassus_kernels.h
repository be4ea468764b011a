/* Block rows, panels and slices of X X^T, for the vector instructions and under the name NB_LEVEL of the file that
 * includes this: delassus_portable.c, delassus_avx2.c, delassus_avx512.c. Nothing else may be defined here that
 * other files call, and no thread started. */
#include "solvers/delassus/delassus_private.h"
#include "solvers/delassus/delassus_strip.h"
#include "solvers/delassus/delassus_weigh.h"

/* --- block rows --- */

/* A block, row-major, from the first three lanes of its columns. */
INLINE void store_transposed(nb_matrix *block, four a, four b, four c)
{
    const four start = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const four end = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    const four middle = __builtin_shufflevector(start, c, 3, 5, 3, 5);
    store_four(block, __builtin_shufflevector(start, c, 0, 1, 4, 2));
    store_four(block + 4, __builtin_shufflevector(middle, end, 0, 1, 4, 5));
    block[8] = (nb_matrix)c[2];
}

/* From columns into the block rows i, i + 1, ... of the matrix, from block k of each row on. */
static void unpack(struct NB(nb_bsr) *matrix, int i, int rows, int k, int columns,
                   const nb_matrix *from)
{
    for (int row = 0; row < rows; ++row) {
        nb_matrix *block = matrix->value + 9 * (size_t)(matrix->start[i + row] + k);
        const nb_matrix *at = from + 3 * row;
        for (int column = 0; column < columns; ++column, block += 9, at += 9 * rows)
            store_transposed(block, load_four(at), load_four(at + 3 * rows), load_four(at + 6 * rows));
    }
}

/* Up to TALLEST block rows of one run, into the block rows. */
static void fill_block_rows(const struct NB(nb_delassus) *delassus, int run, int i, int end,
                            struct NB(nb_bsr) *matrix)
{
    const int rows = end - i;
    nb_matrix out[9 * TALLEST * TALLEST + 4];
    struct strip strip = make_strip(delassus, run, i);
    int k = 0;
    strip.out = out;
    strip.length = 3 * (size_t)rows;
    for (int m = delassus->couple_start[run]; m < delassus->couple_start[run + 1]; ++m) {
        struct NB(nb_couple) couple = delassus->couple[m];
        for (int left = couple.rows; left > 0; left -= couple.rows, k += couple.rows) {
            couple.rows = left < TALLEST ? left : TALLEST;
            fill_strip(rows, &strip, &couple, 1);
            unpack(matrix, i, rows, k, couple.rows, out);
            couple.right += 3 * (size_t)couple.rows;
        }
    }
}

/* The list of the run's only row, NULL: it has none. */
INLINE const struct NB(nb_single) *singles_of(const struct NB(nb_delassus) *delassus, int run, int *count)
{
    *count = delassus->single_start[run + 1] - delassus->single_start[run];
    return *count > 0 ? delassus->single + delassus->single_start[run] : NULL;
}

/* Runs in strips of TALLEST rows, into a struct nb_bsr. */
static void fill_rows(const struct NB(nb_delassus) *delassus, int begin, int end, void *target)
{
    struct NB(nb_bsr) *matrix = target;
    for (int run = begin, count; run < end; ++run) {
        const int first = delassus->run_start[run], stop = delassus->run_start[run + 1];
        const struct NB(nb_single) *single = singles_of(delassus, run, &count);
        if (single) {
            const struct strip strip = make_strip(delassus, run, first);
            struct row_of_blocks row;
            spread_row(&strip, &row);
            fill_blocks(&strip, &row, single, count, 0, matrix->value + 9 * (size_t)matrix->start[first]);
            continue;
        }
        for (int i = first; i < stop; i += TALLEST)
            fill_block_rows(delassus, run, i, i + TALLEST < stop ? i + TALLEST : stop, matrix);
    }
}

/* --- panels --- */

/* A panel may hold rows of several runs, and a run lie in several panels. */
static void fill_panel(const struct NB(nb_delassus) *delassus, struct NB(nb_panels) *panels, int p)
{
    const int first = panels->row[p], stop = panels->row[p + 1];
    for (int i = first, end, count; i < stop; i = end) {
        const int run = delassus->run[i], begin = delassus->couple_start[run];
        const struct NB(nb_single) *single = singles_of(delassus, run, &count);
        struct strip strip = make_strip(delassus, run, i);
        strip.out = panels->value + panels->offset[p] + 3 * (size_t)(i - first);
        strip.length = 3 * (size_t)(stop - first);
        end = delassus->run_start[run + 1] < stop ? delassus->run_start[run + 1] : stop;
        if (single && stop == first + 1) {
            struct row_of_blocks row;
            spread_row(&strip, &row);
            fill_blocks(&strip, &row, single, count, 1, strip.out);
        } else {
            fill_strip(end - i, &strip, delassus->couple + begin,
                       delassus->couple_start[run + 1] - begin);
        }
    }
}

/* Of a struct nb_panels. */
static void fill_panels(const struct NB(nb_delassus) *delassus, int begin, int end, void *target)
{
    for (int p = begin; p < end; ++p)
        fill_panel(delassus, target, p);
}

/* --- slices --- */

/* The rows of a strip in symmetric slices: where each row's next inner and outer blocks go. */
struct targets {
    int begin, stop;             /* block rows of the slice of the strip's first row */
    nb_matrix *inner[TALLEST], *outer[TALLEST], *diagonal[TALLEST];
};

static struct targets find_targets(const struct NB(nb_slices) *slices, int i, int end)
{
    struct targets targets;
    targets.begin = i - i % slices->length;
    targets.stop = targets.begin + slices->length;
    for (int row = i; row < end; ++row) {
        const size_t inner = (size_t)slices->inner_start[row], outer = (size_t)slices->outer_start[row];
        nb_matrix *first = slices->value + 9 * ((size_t)row + inner + outer);
        targets.diagonal[row - i] = first;
        targets.inner[row - i] = first + 9;
        targets.outer[row - i] = first + 9 + 9 * ((size_t)slices->inner_start[row + 1] - inner);
    }
    return targets;
}

/* Where block (row, column) goes; NULL: nowhere, the one across the diagonal stands for it. */
INLINE nb_matrix *next_target(struct targets *targets, int i, int row, int column)
{
    const int near = column >= targets->begin && column < targets->stop;
    if (column == row)
        return targets->diagonal[row - i];
    if (near && column < row)
        return NULL;
    nb_matrix **next = near ? targets->inner + (row - i) : targets->outer + (row - i);
    nb_matrix *block = *next;
    *next += 9;
    return block;
}

/* Block columns j, j + 1, ... of the rows i to end, from columns. */
static void share_out(struct targets *targets, int i, int end, int j, int columns,
                      const nb_matrix *from)
{
    const size_t length = 3 * (size_t)(end - i);
    for (int row = i; row < end; ++row, from += 3) {
        const nb_matrix *at = from;
        for (int column = j; column < j + columns; ++column, at += 3 * length) {
            nb_matrix *block = next_target(targets, i, row, column);
            if (block)
                store_transposed(block, load_four(at), load_four(at + length), load_four(at + 2 * length));
        }
    }
}

/* Block rows i to end, of one run and one slice. */
static void fill_slice_rows(const struct NB(nb_delassus) *delassus, int run, int i, int end,
                            struct NB(nb_slices) *slices)
{
    const int rows = end - i;
    nb_matrix out[9 * TALLEST * TALLEST + 4];
    struct strip strip = make_strip(delassus, run, i);
    struct targets targets = find_targets(slices, i, end);
    strip.out = out;
    strip.length = 3 * (size_t)rows;
    for (int m = delassus->couple_start[run]; m < delassus->couple_start[run + 1]; ++m) {
        if (m < delassus->own[run] && delassus->couple[m].row >= targets.begin)
            m = delassus->own[run]; /* rows before these stand for what they share with them */
        struct NB(nb_couple) couple = delassus->couple[m];
        int j = couple.row, left = couple.rows;
        for (; left > 0; left -= couple.rows, j += couple.rows) {
            couple.rows = left < TALLEST ? left : TALLEST;
            fill_strip(rows, &strip, &couple, 1);
            share_out(&targets, i, end, j, couple.rows, out);
            couple.right += 3 * (size_t)couple.rows;
        }
    }
}

/* The run's only row. Its columns are ascending: outer ones, those that rows before it stand for, its own, inner
 * ones, and outer ones again. */
static void fill_single(const struct NB(nb_delassus) *delassus, int run, struct NB(nb_slices) *slices)
{
    const int i = delassus->run_start[run], own = delassus->single_own[run];
    const int inner = slices->inner_start[i + 1] - slices->inner_start[i];
    const int after = delassus->single_start[run + 1] - (own + 1 + inner);
    const int before = slices->outer_start[i + 1] - slices->outer_start[i] - after;
    nb_matrix *diagonal = slices->value + NB(nb_slices_offset)(slices, i);
    nb_matrix *outer = diagonal + 9 * ((size_t)inner + 1);
    const struct strip strip = make_strip(delassus, run, i);
    struct row_of_blocks row;
    spread_row(&strip, &row);
    fill_blocks(&strip, &row, delassus->single + delassus->single_start[run], before, 0, outer);
    fill_blocks(&strip, &row, delassus->single + own, 1 + inner, 0, diagonal);
    fill_blocks(&strip, &row, delassus->single + own + 1 + inner, after, 0, outer + 9 * (size_t)before);
}

/* A run in strips of TALLEST rows that end with a slice. */
static void fill_slice_run(const struct NB(nb_delassus) *delassus, int run, struct NB(nb_slices) *slices)
{
    const int stop = delassus->run_start[run + 1];
    if (delassus->single_start[run + 1] > delassus->single_start[run]) {
        fill_single(delassus, run, slices);
        return;
    }
    for (int i = delassus->run_start[run], end; i < stop; i = end) {
        const int next = i - i % slices->length + slices->length;
        end = i + TALLEST < stop ? i + TALLEST : stop;
        end = end < next ? end : next;
        fill_slice_rows(delassus, run, i, end, slices);
    }
}

/* Into a struct nb_slices. */
static void fill_slices(const struct NB(nb_delassus) *delassus, int begin, int end, void *target)
{
    for (int run = begin; run < end; ++run)
        fill_slice_run(delassus, run, target);
}

const struct NB(nb_delassus_kernels) NB_OF(NB_LEVEL) = {
    .weigh = weigh,
    .rows = fill_rows,
    .panels = fill_panels,
    .slices = fill_slices,
};
