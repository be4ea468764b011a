/* The values of L J H^-1 J^T L = X X^T with X = L J G, H^-1 = G G^T. Successive block rows of J with the
 * same columns, such as the contacts between two bodies, are a run, and what one run has with another is a
 * dense product, whose inner dimension is that of the nodes that they share: six for a body.
 *
 * Entries (i, j) and (j, i) sum the same products in the same order: so the matrix is symmetric to the bit,
 * and each of its rows can be filled apart. */
#include <omp.h>

#include "solvers/kernels/delassus_strip.h"
#include "solvers/kernels/product_private.h"

enum { TALLEST = NB_PANEL_ROWS, PARALLEL_BLOCKS = 20000 };

/* From columns into the block rows i, i + 1, ... of the matrix, from block k of each row on. */
static void unpack(struct NB(nb_bsr) *matrix, int i, int rows, int k, int columns,
                   const nb_matrix *from)
{
    for (int row = 0; row < rows; ++row) {
        nb_matrix *block = matrix->value + 9 * (size_t)(matrix->start[i + row] + k);
        const nb_matrix *at = from + 3 * row;
        for (int column = 0; column < columns; ++column, block += 9)
            for (int c = 0; c < 3; ++c, at += 3 * rows)
                for (int r = 0; r < 3; ++r)
                    block[3 * r + c] = at[r];
    }
}

/* Up to TALLEST block rows of one run, into the block rows. */
static void fill_block_rows(const struct NB(nb_delassus) *delassus,
                            const struct NB(nb_bsr) *jacobian, int thread, int i, int end,
                            struct NB(nb_bsr) *matrix)
{
    const int run = delassus->run[i], rows = end - i;
    nb_matrix out[9 * TALLEST * TALLEST];
    struct NB(nb_strip) strip = NB(nb_strip_make)(delassus, jacobian, thread, i, end);
    int k = 0;
    strip.out = out;
    strip.length = 3 * (size_t)rows;
    for (int m = delassus->couple_start[run]; m < delassus->couple_start[run + 1]; ++m) {
        struct NB(nb_couple) couple = delassus->couple[m];
        for (int left = couple.rows; left > 0; left -= couple.rows, k += couple.rows) {
            couple.rows = left < TALLEST ? left : TALLEST;
            NB(nb_strip_fill)(rows, &strip, &couple, 1);
            unpack(matrix, i, rows, k, couple.rows, out);
            couple.right += couple.rows * couple.length;
        }
    }
}

/* A run in strips of TALLEST rows, into struct nb_bsr. */
static void fill_run(const struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                     int thread, int run, void *target)
{
    const int stop = delassus->run_start[run + 1];
    for (int i = delassus->run_start[run], end; i < stop; i = end) {
        end = i + TALLEST < stop ? i + TALLEST : stop;
        fill_block_rows(delassus, jacobian, thread, i, end, target);
    }
}

/* A panel of struct nb_panels may hold rows of several runs, and a run lie in several panels. */
static void fill_panel(const struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                       int thread, int p, void *target)
{
    struct NB(nb_panels) *panels = target;
    const int first = panels->row[p], stop = panels->row[p + 1];
    for (int i = first, end; i < stop; i = end) {
        const int run = delassus->run[i], begin = delassus->couple_start[run];
        end = delassus->run_start[run + 1] < stop ? delassus->run_start[run + 1] : stop;
        struct NB(nb_strip) strip = NB(nb_strip_make)(delassus, jacobian, thread, i, end);
        strip.out = panels->value + panels->offset[p] + 3 * (size_t)(i - first);
        strip.length = 3 * (size_t)(stop - first);
        NB(nb_strip_fill)(end - i, &strip, delassus->couple + begin, delassus->couple_start[run + 1] - begin);
    }
}

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
static inline nb_matrix *next_target(struct targets *targets, int i, int row, int column)
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
            for (int r = 0; block && r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    block[3 * r + c] = at[(size_t)c * length + (size_t)r];
        }
    }
}

/* Block rows i to end, of one run and one slice. */
static void fill_slice_rows(const struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                            int thread, int i, int end, struct NB(nb_slices) *slices)
{
    const int run = delassus->run[i], rows = end - i;
    nb_matrix out[9 * TALLEST * TALLEST];
    struct NB(nb_strip) strip = NB(nb_strip_make)(delassus, jacobian, thread, i, end);
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
            NB(nb_strip_fill)(rows, &strip, &couple, 1);
            share_out(&targets, i, end, j, couple.rows, out);
            couple.right += couple.rows * couple.length;
        }
    }
}

/* The run's only row. Its columns are ascending: outer ones, those that rows before it stand for, its own, inner
 * ones, and outer ones again. */
static void fill_single(const struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                        int thread, int run, struct NB(nb_slices) *slices)
{
    const int i = delassus->run_start[run], own = delassus->single_own[run];
    const int inner = slices->inner_start[i + 1] - slices->inner_start[i];
    const int after = delassus->single_start[run + 1] - (own + 1 + inner);
    const int before = slices->outer_start[i + 1] - slices->outer_start[i] - after;
    nb_matrix *diagonal = slices->value + NB(nb_slices_offset)(slices, i);
    nb_matrix *outer = diagonal + 9 * ((size_t)inner + 1);
    const struct NB(nb_strip) strip = NB(nb_strip_make)(delassus, jacobian, thread, i, i + 1);
    NB(nb_strip_blocks)(&strip, delassus->single + delassus->single_start[run], before, outer);
    NB(nb_strip_blocks)(&strip, delassus->single + own, 1 + inner, diagonal);
    NB(nb_strip_blocks)(&strip, delassus->single + own + 1 + inner, after, outer + 9 * (size_t)before);
}

/* A run in strips of TALLEST rows that end with a slice, into struct nb_slices. */
static void fill_slice_run(const struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                           int thread, int run, void *target)
{
    struct NB(nb_slices) *slices = target;
    const int stop = delassus->run_start[run + 1];
    if (delassus->single_start[run + 1] > delassus->single_start[run]) {
        fill_single(delassus, jacobian, thread, run, slices);
        return;
    }
    for (int i = delassus->run_start[run], end; i < stop; i = end) {
        const int next = i - i % slices->length + slices->length;
        end = i + TALLEST < stop ? i + TALLEST : stop;
        end = end < next ? end : next;
        fill_slice_rows(delassus, jacobian, thread, i, end, slices);
    }
}

static int parallel(const struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model)
{
    return model->threads > 1 && delassus->matrix.start[delassus->matrix.rows] > PARALLEL_BLOCKS;
}

static void weigh(const struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                  const nb_real *scale)
{
    if (!parallel(delassus, model)) {
        for (int run = 0; run < delassus->runs; ++run)
            NB(nb_delassus_weigh_run)(delassus, model, scale, run);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(model->threads)
    for (int run = 0; run < delassus->runs; ++run)
        NB(nb_delassus_weigh_run)(delassus, model, scale, run);
}

/* One piece of a target: a run of its rows, or a panel. */
typedef void fill_piece(const struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                        int thread, int piece, void *target);

static void fill_all(const struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                     const nb_real *scale, fill_piece *fill, int pieces, void *target)
{
    weigh(delassus, model, scale);
    if (!parallel(delassus, model)) {
        for (int k = 0; k < pieces; ++k)
            fill(delassus, &model->jacobian, 0, k, target);
        return;
    }
#pragma omp parallel for schedule(dynamic, 16) num_threads(model->threads)
    for (int k = 0; k < pieces; ++k)
        fill(delassus, &model->jacobian, omp_get_thread_num(), k, target);
}

void NB(nb_delassus_fill)(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                          const nb_real *scale)
{
    fill_all(delassus, model, scale, fill_run, delassus->runs, &delassus->matrix);
}

void NB(nb_delassus_fill_panels)(const struct NB(nb_delassus) *delassus,
                                 const struct NB(nb_model) *model, const nb_real *scale,
                                 struct NB(nb_panels) *panels)
{
    fill_all(delassus, model, scale, fill_panel, panels->count, panels);
}

void NB(nb_delassus_fill_slices)(const struct NB(nb_delassus) *delassus,
                                 const struct NB(nb_model) *model, const nb_real *scale,
                                 struct NB(nb_slices) *slices)
{
    fill_all(delassus, model, scale, fill_slice_run, delassus->runs, slices);
}
