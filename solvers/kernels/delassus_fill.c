/* The values of L J H^-1 J^T L. Successive block rows of J with the same columns, such as the contacts
 * between two bodies, are a run, whose rows of L J and of L J H^-1 are kept by columns, side by side. What
 * one run has with another is then a dense product, whose inner dimension is that of the nodes that they
 * share: six for a body.
 *
 * Entry (i, j) takes H^-1 with the later one of both rows, in either half, and sums the same products in
 * the same order: so the matrix is symmetric to the bit, and each of its rows can be filled apart. */
#include <string.h>

#include "solvers/kernels/delassus.h"
#include "solvers/kernels/product_private.h"

/* Eight lanes in either precision: most runs have four block rows, which are twelve. */
enum { TALLEST = NB_PANEL_ROWS, PARALLEL_BLOCKS = 20000, WIDE = 8, VECTORS = 3 * TALLEST / WIDE };

typedef nb_real wide __attribute__((vector_size(WIDE * sizeof(nb_real))));
typedef nb_matrix wide_stored
    __attribute__((vector_size(WIDE * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));

/* Some rows of one run times columns of another, over one or two of the nodes that they share. */
struct tile {
    const nb_matrix *left[2], *right[2]; /* the operands' columns in each node                    */
    size_t left_length, right_length;    /* entries from one column of an operand to the next     */
    int add;                             /* to what is there, from nodes before                   */
    int columns;                         /* scalar                                                */
    nb_matrix *out;                      /* by columns                                            */
    size_t length;                       /* entries from one of them to the next                  */
};

static inline wide load(const nb_matrix *value)
{
    return __builtin_convertvector(*(const wide_stored *)(const void *)value, wide);
}

/* So many scalar rows and nodes, constants at each call. The last vector ends with the last row and
 * computes some of the rows before it again, with the same bits. */
static inline __attribute__((always_inline)) void fill_wide(const int height, const int nodes,
                                                            const struct tile *tile)
{
    const int vectors = (height + WIDE - 1) / WIDE, last = height - WIDE;
    const struct tile own = *tile; /* the compiler sees that no store reaches it */
    nb_matrix *out = tile->out;
    wide left[6][VECTORS];
#pragma GCC unroll 6
    for (int n = 0; n < 3 * nodes; ++n)
#pragma GCC unroll 3
        for (int s = 0; s < vectors; ++s)
            left[n][s] = load(own.left[n / 3] + (size_t)(n % 3) * own.left_length +
                              (s + 1 < vectors ? WIDE * s : last));
    for (int c = 0; c < own.columns; ++c, out += own.length) {
        wide sum[VECTORS] = {{0}};
        if (own.add)
#pragma GCC unroll 3
            for (int s = 0; s < vectors; ++s)
                sum[s] = load(out + (s + 1 < vectors ? WIDE * s : last));
#pragma GCC unroll 6
        for (int n = 3 * nodes - 1; n >= 0; --n) {
            const nb_real factor =
                (nb_real)own.right[n / 3][(size_t)(n % 3) * own.right_length + (size_t)c];
#pragma GCC unroll 3
            for (int s = 0; s < vectors; ++s)
                sum[s] += left[n][s] * factor;
        }
#pragma GCC unroll 3
        for (int s = 0; s < vectors; ++s)
            *(wide_stored *)(void *)(out + (s + 1 < vectors ? WIDE * s : last)) =
                __builtin_convertvector(sum[s], wide_stored);
    }
}

/* Fewer rows than a vector has. */
static inline __attribute__((always_inline)) void fill_low(const int height, const int nodes,
                                                           const struct tile *tile)
{
    nb_matrix *out = tile->out;
    for (int c = 0; c < tile->columns; ++c, out += tile->length) {
        nb_real sum[WIDE] = {0};
        if (tile->add)
            for (int r = 0; r < height; ++r)
                sum[r] = (nb_real)out[r];
#pragma GCC unroll 6
        for (int n = 3 * nodes - 1; n >= 0; --n) {
            const nb_matrix *left = tile->left[n / 3] + (size_t)(n % 3) * tile->left_length;
            const nb_real factor =
                (nb_real)tile->right[n / 3][(size_t)(n % 3) * tile->right_length + (size_t)c];
            for (int r = 0; r < height; ++r)
                sum[r] += (nb_real)left[r] * factor;
        }
        for (int r = 0; r < height; ++r)
            out[r] = (nb_matrix)sum[r];
    }
}

static inline __attribute__((always_inline)) void fill_rows(const int rows, int nodes,
                                                            const struct tile *tile)
{
    if (3 * rows >= WIDE && nodes == 2)
        fill_wide(3 * rows, 2, tile);
    else if (3 * rows >= WIDE)
        fill_wide(3 * rows, 1, tile);
    else if (nodes == 2)
        fill_low(3 * rows, 2, tile);
    else
        fill_low(3 * rows, 1, tile);
}

static void fill_tile(int rows, int nodes, const struct tile *tile)
{
    switch (rows) {
    case 1: fill_rows(1, nodes, tile); break;
    case 2: fill_rows(2, nodes, tile); break;
    case 3: fill_rows(3, nodes, tile); break;
    case 4: fill_rows(4, nodes, tile); break;
    case 5: fill_rows(5, nodes, tile); break;
    case 6: fill_rows(6, nodes, tile); break;
    case 7: fill_rows(7, nodes, tile); break;
    default: fill_rows(TALLEST, nodes, tile);
    }
}

/* The entries above the diagonal from those below. */
static void mirror(const struct tile *tile)
{
    for (int c = 1; c < tile->columns; ++c)
        for (int r = 0; r < c; ++r)
            tile->out[(size_t)c * tile->length + (size_t)r] =
                tile->out[(size_t)r * tile->length + (size_t)c];
}

static void clear(const struct tile *tile, int rows)
{
    for (int c = 0; c < tile->columns; ++c)
        memset(tile->out + (size_t)c * tile->length, 0, 3 * (size_t)rows * sizeof *tile->out);
}

/* Block rows i to i + rows of one run, block columns j to stop of its couple or, all before, all at or all
 * after these rows, of itself. Two nodes at a time: those of a rigid body. */
static void fill_piece(const struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                       int couple, int i, int rows, int j, int stop, nb_matrix *out, size_t length)
{
    const int below = j <= i;
    const int *start = delassus->run_start, *shared = delassus->shared;
    const int own = start[delassus->run[i]], other = start[delassus->couple[couple]];
    const int begin = delassus->shared_start[couple], end = delassus->shared_start[couple + 1];
    const nb_matrix *left = (below ? delassus->weighted : delassus->scaled) +
                            9 * (size_t)jacobian->start[own] + 3 * (size_t)(i - own);
    const nb_matrix *right = (below ? delassus->scaled : delassus->weighted) +
                             9 * (size_t)jacobian->start[other] + 3 * (size_t)(j - other);
    struct tile tile = {
        .left_length = 3 * (size_t)(start[delassus->run[i] + 1] - own),
        .right_length = 3 * (size_t)(start[delassus->couple[couple] + 1] - other),
        .columns = 3 * (stop - j),
        .out = out,
        .length = length,
    };
    if (begin == end)
        clear(&tile, rows);
    for (int q = begin, nodes; q < end; q += nodes) {
        nodes = q + 1 < end ? 2 : 1;
        for (int n = 0; n < nodes; ++n) {
            tile.left[n] = left + 3 * tile.left_length * (size_t)shared[2 * (q + n)];
            tile.right[n] = right + 3 * tile.right_length * (size_t)shared[2 * (q + n) + 1];
        }
        tile.add = q > begin;
        fill_tile(rows, nodes, &tile);
    }
    if (i == j)
        mirror(&tile);
}

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

/* Where the piece of a strip, block rows i to end, ends that begins with block column j: with the run, at
 * the strip's own rows, or with the room for it. */
static int piece_end(int i, int end, int j, int stop, int most)
{
    if (j < i && stop > i)
        stop = i;
    else if (j < end && stop > end)
        stop = end;
    return stop > j + most ? j + most : stop;
}

/* Up to TALLEST block rows of one run, into a panel or, where there is none, into the block rows. */
static void fill_strip(struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian, int i,
                       int end, nb_matrix *panel, size_t length)
{
    const int run = delassus->run[i], rows = end - i;
    const int most = panel ? delassus->matrix.rows : TALLEST;
    nb_matrix room[9 * TALLEST * TALLEST];
    int k = 0;
    for (int m = delassus->couple_start[run]; m < delassus->couple_start[run + 1]; ++m) {
        const int *other = delassus->run_start + delassus->couple[m];
        for (int j = other[0], stop; j < other[1]; k += stop - j, j = stop) {
            stop = piece_end(i, end, j, other[1], most);
            if (panel) {
                fill_piece(delassus, jacobian, m, i, rows, j, stop, panel + 3 * (size_t)k * length,
                           length);
            } else {
                fill_piece(delassus, jacobian, m, i, rows, j, stop, room, 3 * (size_t)rows);
                unpack(&delassus->matrix, i, rows, k, stop - j, room);
            }
        }
    }
}

/* Block row i of L J, by columns so many entries apart. */
static void turn_row(const struct NB(nb_bsr) *jacobian, const nb_real *scale, int i, nb_matrix *out,
                     size_t length)
{
    const nb_real first = scale[3 * i], second = scale[3 * i + 1], third = scale[3 * i + 2];
    const nb_matrix *block = jacobian->value + 9 * (size_t)jacobian->start[i];
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k, block += 9)
        for (int c = 0; c < 3; ++c, out += length) {
            out[0] = (nb_matrix)(first * (nb_real)block[c]);
            out[1] = (nb_matrix)(second * (nb_real)block[3 + c]);
            out[2] = (nb_matrix)(third * (nb_real)block[6 + c]);
        }
}

/* L J and L J H^-1 of a run. */
static void weigh_run(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                      const nb_real *scale, int run)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    const int first = delassus->run_start[run], rows = delassus->run_start[run + 1] - first;
    const int nodes = jacobian->start[first + 1] - jacobian->start[first];
    const size_t base = 9 * (size_t)jacobian->start[first], length = 3 * (size_t)rows;
    for (int i = 0; i < rows; ++i)
        turn_row(jacobian, scale, first + i, delassus->scaled + base + 3 * (size_t)i, length);
    for (int k = 0; k < nodes; ++k) {
        const int node = jacobian->column[jacobian->start[first] + k];
        nb_matrix inverse[9];
        for (int e = 0; e < 9; ++e)
            inverse[e] = (nb_matrix)model->inverse_mass[9 * (size_t)node + (size_t)e];
        for (int i = 0; i < rows; i += TALLEST) {
            const size_t at = base + 3 * ((size_t)k * length + (size_t)i);
            const struct tile tile = {
                .left = {delassus->scaled + at},
                .right = {inverse},
                .left_length = length,
                .right_length = 3,
                .columns = 3,
                .out = delassus->weighted + at,
                .length = length,
            };
            fill_tile(i + TALLEST < rows ? TALLEST : rows - i, 1, &tile);
        }
    }
}

static int parallel(const struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model)
{
    return model->threads > 1 && delassus->matrix.start[delassus->matrix.rows] > PARALLEL_BLOCKS;
}

static void weigh(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                  const nb_real *scale)
{
    if (!parallel(delassus, model)) {
        for (int run = 0; run < delassus->runs; ++run)
            weigh_run(delassus, model, scale, run);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(model->threads)
    for (int run = 0; run < delassus->runs; ++run)
        weigh_run(delassus, model, scale, run);
}

/* A run in strips of TALLEST rows, into the block rows. */
static void fill_run(struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian, int run)
{
    const int stop = delassus->run_start[run + 1];
    for (int i = delassus->run_start[run], end; i < stop; i = end) {
        end = i + TALLEST < stop ? i + TALLEST : stop;
        fill_strip(delassus, jacobian, i, end, NULL, 0);
    }
}

void NB(nb_delassus_fill)(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                          const nb_real *scale)
{
    weigh(delassus, model, scale);
    if (!parallel(delassus, model)) {
        for (int run = 0; run < delassus->runs; ++run)
            fill_run(delassus, &model->jacobian, run);
        return;
    }
#pragma omp parallel for schedule(dynamic, 16) num_threads(model->threads)
    for (int run = 0; run < delassus->runs; ++run)
        fill_run(delassus, &model->jacobian, run);
}

/* A panel may hold rows of several runs, and a run lie in several panels. */
static void fill_panel(struct NB(nb_delassus) *delassus, const struct NB(nb_bsr) *jacobian,
                       struct NB(nb_panels) *panels, int p)
{
    const int first = panels->row[p], stop = panels->row[p + 1];
    nb_matrix *value = panels->value + panels->offset[p];
    for (int i = first, end; i < stop; i = end) {
        end = delassus->run_start[delassus->run[i] + 1];
        end = end < stop ? end : stop;
        fill_strip(delassus, jacobian, i, end, value + 3 * (size_t)(i - first),
                   3 * (size_t)(stop - first));
    }
}

void NB(nb_delassus_fill_panels)(struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                                 const nb_real *scale, struct NB(nb_panels) *panels)
{
    weigh(delassus, model, scale);
    if (!parallel(delassus, model)) {
        for (int p = 0; p < panels->count; ++p)
            fill_panel(delassus, &model->jacobian, panels, p);
        return;
    }
#pragma omp parallel for schedule(dynamic, 16) num_threads(model->threads)
    for (int p = 0; p < panels->count; ++p)
        fill_panel(delassus, &model->jacobian, panels, p);
}
