/* y = A x with dense panels: Y += a_j x_j over the columns j of a panel, whose entries lie side by side,
 * column after column. A column of 3 m entries is one or more vectors as wide as a cache line, and what is
 * left over. */
#include <stdlib.h>
#include <string.h>

#include "solvers/kernels/product_private.h"

/* Entries that are fetched into the nearest cache ahead of their use. Fewer
 * blocks than PARALLEL_BLOCKS are not worth waking a second thread for. */
enum { TALLEST = NB_PANEL_ROWS, AHEAD = 256, PARALLEL_BLOCKS = 20000, PANEL_SLICE = 32 };
enum { WIDE = 64 / sizeof(nb_real), HALF = WIDE / 2, STRIPS = 3 * TALLEST / WIDE };

typedef nb_real wide __attribute__((vector_size(WIDE * sizeof(nb_real))));
typedef nb_real half __attribute__((vector_size(HALF * sizeof(nb_real))));
typedef nb_matrix wide_stored
    __attribute__((vector_size(WIDE * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));
typedef nb_matrix half_stored
    __attribute__((vector_size(HALF * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));

/* --- pattern --- */

static int same_columns(const struct NB(nb_bsr) *matrix, int i, int j)
{
    const int count = matrix->start[i + 1] - matrix->start[i];
    return count == matrix->start[j + 1] - matrix->start[j] &&
           !memcmp(matrix->column + matrix->start[i], matrix->column + matrix->start[j],
                   (size_t)count * sizeof *matrix->column);
}

/* Block rows from i on that belong in one panel: those alike, cut into pieces of nearly equal height. */
static int height(const struct NB(nb_bsr) *matrix, int i)
{
    int alike = 1;
    while (i + alike < matrix->rows && same_columns(matrix, i, i + alike))
        ++alike;
    const int pieces = (alike + TALLEST - 1) / TALLEST;
    return (alike + pieces - 1) / pieces;
}

static int count_panels(const struct NB(nb_bsr) *matrix)
{
    int count = 0;
    for (int i = 0; i < matrix->rows; i += height(matrix, i))
        ++count;
    return count;
}

static void fill_pattern(struct NB(nb_panels) *panels, const struct NB(nb_bsr) *matrix)
{
    int i = 0;
    for (int p = 0; p < panels->count; ++p) {
        const int rows = height(matrix, i), columns = matrix->start[i + 1] - matrix->start[i];
        panels->row[p] = i;
        memcpy(panels->column + panels->start[p], matrix->column + matrix->start[i],
               (size_t)columns * sizeof *panels->column);
        panels->start[p + 1] = panels->start[p] + columns;
        panels->offset[p + 1] = panels->offset[p] + 9 * (size_t)rows * (size_t)columns;
        i += rows;
    }
    panels->row[panels->count] = i;
}

enum nb_status NB(nb_panels_create)(struct NB(nb_panels) *panels, const struct NB(nb_bsr) *matrix,
                                    struct nb_error *error)
{
    const size_t blocks = (size_t)matrix->start[matrix->rows];
    panels->count = count_panels(matrix);
    panels->row = calloc((size_t)panels->count + 1, sizeof *panels->row);
    panels->start = calloc((size_t)panels->count + 1, sizeof *panels->start);
    panels->offset = calloc((size_t)panels->count + 1, sizeof *panels->offset);
    panels->column = malloc((blocks + 1) * sizeof *panels->column);
    panels->value = NB(nb_product_values)(9 * blocks);
    if (!panels->row || !panels->start || !panels->offset || !panels->column || !panels->value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for panels of %zu blocks", blocks);
    fill_pattern(panels, matrix);
    return NB_OK;
}

void NB(nb_panels_free)(struct NB(nb_panels) *panels)
{
    free(panels->row);
    free(panels->start);
    free(panels->offset);
    free(panels->column);
    free(panels->value);
}

/* --- values --- */

void NB(nb_panels_refill)(struct NB(nb_panels) *panels, const struct NB(nb_bsr) *matrix)
{
    for (int p = 0; p < panels->count; ++p) {
        const int first = panels->row[p], rows = panels->row[p + 1] - first;
        const int columns = panels->start[p + 1] - panels->start[p];
        for (int i = 0; i < rows; ++i) {
            const nb_matrix *block = matrix->value + 9 * (size_t)matrix->start[first + i];
            nb_matrix *out = panels->value + panels->offset[p] + 3 * (size_t)i;
            for (int k = 0; k < columns; ++k, block += 9)
                for (int c = 0; c < 3; ++c, out += 3 * rows)
                    for (int r = 0; r < 3; ++r)
                        out[r] = block[3 * r + c];
        }
    }
}

/* --- products --- */

static inline wide load(const nb_matrix *value)
{
    return __builtin_convertvector(*(const wide_stored *)(const void *)value, wide);
}

static inline half load_half(const nb_matrix *value)
{
    return __builtin_convertvector(*(const half_stored *)(const void *)value, half);
}

/* One panel of so many block rows, a constant at each call. Three sets of sums, one for each column of a
 * block, keep the multiply-add units busy. The vector of the rows left over reaches into the next column;
 * what it finds there ends in lanes that are dropped. */
static inline __attribute__((always_inline)) void
multiply_panel(const int blocks, const nb_matrix *restrict value, const int *restrict column, int count,
               const nb_real *restrict x, nb_real *restrict y)
{
    const int strips = 3 * blocks / WIDE, left = 3 * blocks % WIDE;
    const int lines = (9 * blocks + WIDE - 1) / WIDE;
    wide sum[3][STRIPS + 1] = {{{0}}};
    half small[3] = {{0}};
    for (int k = 0; k < count; ++k) {
        const nb_real *v = x + 3 * (size_t)column[k];
#pragma GCC unroll 9
        for (int l = 0; l < lines; ++l)
            __builtin_prefetch(value + AHEAD + WIDE * l);
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c, value += 3 * blocks) {
#pragma GCC unroll 3
            for (int s = 0; s < strips; ++s)
                sum[c][s] += load(value + WIDE * s) * v[c];
            if (left > HALF)
                sum[c][strips] += load(value + WIDE * strips) * v[c];
            else if (left > 0)
                small[c] += load_half(value + WIDE * strips) * v[c];
        }
    }
#pragma GCC unroll 3
    for (int s = 0; s < strips + (left > HALF); ++s) {
        const wide total = sum[0][s] + sum[1][s] + sum[2][s];
        memcpy(y + WIDE * s, &total, (size_t)(s < strips ? WIDE : left) * sizeof *y);
    }
    if (left > 0 && left <= HALF) {
        const half total = small[0] + small[1] + small[2];
        memcpy(y + WIDE * strips, &total, (size_t)left * sizeof *y);
    }
}

static void multiply_panels(const struct NB(nb_panels) *panels, const nb_real *x, nb_real *y, int begin,
                            int end)
{
    for (int p = begin; p < end; ++p) {
        const nb_matrix *value = panels->value + panels->offset[p];
        const int *column = panels->column + panels->start[p];
        const int count = panels->start[p + 1] - panels->start[p];
        nb_real *out = y + 3 * (size_t)panels->row[p];
        switch (panels->row[p + 1] - panels->row[p]) {
        case 1: multiply_panel(1, value, column, count, x, out); break;
        case 2: multiply_panel(2, value, column, count, x, out); break;
        case 3: multiply_panel(3, value, column, count, x, out); break;
        case 4: multiply_panel(4, value, column, count, x, out); break;
        case 5: multiply_panel(5, value, column, count, x, out); break;
        case 6: multiply_panel(6, value, column, count, x, out); break;
        case 7: multiply_panel(7, value, column, count, x, out); break;
        default: multiply_panel(TALLEST, value, column, count, x, out);
        }
    }
}

void NB(nb_panels_multiply)(const struct NB(nb_panels) *panels, const nb_real *x, nb_real *y,
                            int threads)
{
    const int count = panels->count;
    /* Even an inactive parallel region costs as much as a small product. */
    if (threads <= 1 || panels->offset[count] <= 9 * (size_t)PARALLEL_BLOCKS) {
        multiply_panels(panels, x, y, 0, count);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int slice = 0; slice < count; slice += PANEL_SLICE)
        multiply_panels(panels, x, y, slice,
                        slice + PANEL_SLICE < count ? slice + PANEL_SLICE : count);
}
