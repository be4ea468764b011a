/* y = A x with dense panels: Y += a_j x_j over the columns j of a panel, whose entries lie side by side,
 * column after column. */
#include <stdlib.h>
#include <string.h>

#include "solvers/block/product_private.h"

/* Fewer blocks than PARALLEL_BLOCKS are not worth waking a second thread for. */
enum { TALLEST = NB_PANEL_ROWS, PARALLEL_BLOCKS = 20000, PANEL_SLICE = 32 };

/* --- pattern --- */

static int same_columns(const struct nb_bsr *matrix, int i, int j)
{
    const int count = matrix->start[i + 1] - matrix->start[i];
    return count == matrix->start[j + 1] - matrix->start[j] &&
           !memcmp(matrix->column + matrix->start[i], matrix->column + matrix->start[j],
                   (size_t)count * sizeof *matrix->column);
}

/* Block rows from i on that belong in one panel: those alike, cut into pieces of nearly equal height. */
static int panel_height(const struct nb_bsr *matrix, int i)
{
    int alike = 1;
    while (i + alike < matrix->rows && same_columns(matrix, i, i + alike))
        ++alike;
    const int pieces = (alike + TALLEST - 1) / TALLEST;
    return (alike + pieces - 1) / pieces;
}

static int count_panels(const struct nb_bsr *matrix)
{
    int count = 0;
    for (int i = 0; i < matrix->rows; i += panel_height(matrix, i))
        ++count;
    return count;
}

static void fill_pattern(struct nb_panels *panels, const struct nb_bsr *matrix)
{
    int i = 0;
    for (int p = 0; p < panels->count; ++p) {
        const int rows = panel_height(matrix, i), columns = matrix->start[i + 1] - matrix->start[i];
        panels->row[p] = i;
        memcpy(panels->column + panels->start[p], matrix->column + matrix->start[i],
               (size_t)columns * sizeof *panels->column);
        panels->start[p + 1] = panels->start[p] + columns;
        panels->offset[p + 1] = panels->offset[p] + 9 * (size_t)rows * (size_t)columns;
        i += rows;
    }
    panels->row[panels->count] = i;
}

enum nb_status nb_panels_create(struct nb_panels *panels, const struct nb_bsr *matrix, struct nb_error *error)
{
    const size_t blocks = (size_t)matrix->start[matrix->rows];
    panels->count = count_panels(matrix);
    panels->row = calloc((size_t)panels->count + 1, sizeof *panels->row);
    panels->start = calloc((size_t)panels->count + 1, sizeof *panels->start);
    panels->offset = calloc((size_t)panels->count + 1, sizeof *panels->offset);
    panels->column = malloc((blocks + 1) * sizeof *panels->column);
    void *values = nb_product_values(panels->storage, 9 * blocks);
    if (panels->storage == NB_FULL)
        panels->value = values;
    else
        panels->half = values;
    panels->diagonal = calloc(panels->half ? 3 * (size_t)matrix->rows + 1 : 1, sizeof(nb_real));
    if (!panels->row || !panels->start || !panels->offset || !panels->column || !values ||
        !panels->diagonal)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for panels of %zu blocks", blocks);
    fill_pattern(panels, matrix);
    return NB_OK;
}

void nb_panels_free(struct nb_panels *panels)
{
    free(panels->row);
    free(panels->start);
    free(panels->offset);
    free(panels->column);
    free(panels->value);
    free(panels->half);
    free(panels->diagonal);
}

/* --- values --- */

static void refill_full(const struct nb_panels *panels, const struct nb_bsr *matrix, int p)
{
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

static void refill_half(const struct nb_panels *panels, const struct nb_bsr *matrix, int p)
{
    const int first = panels->row[p], rows = panels->row[p + 1] - first;
    const int columns = panels->start[p + 1] - panels->start[p];
    for (int i = first; i < first + rows; ++i) {
        const nb_matrix *block = matrix->value + 9 * (size_t)matrix->start[i];
        uint16_t *out = panels->half + panels->offset[p] + 3 * (size_t)(i - first), half[9];
        for (int k = 0; k < columns; ++k, block += 9) {
            nb_product_narrow(panels->kernels->narrow[panels->storage], block, half,
                              panels->column[panels->start[p] + k] == i
                                  ? panels->diagonal + 3 * (size_t)i
                                  : NULL);
            for (int c = 0; c < 3; ++c, out += 3 * rows)
                for (int r = 0; r < 3; ++r)
                    out[r] = half[3 * r + c];
        }
    }
}

void nb_panels_refill(struct nb_panels *panels, const struct nb_bsr *matrix)
{
    for (int p = 0; p < panels->count; ++p)
        if (panels->storage == NB_FULL)
            refill_full(panels, matrix, p);
        else
            refill_half(panels, matrix, p);
}

/* --- products --- */

void nb_panels_multiply(const struct nb_panels *panels, const nb_real *x, nb_real *y, int threads)
{
    const int count = panels->count;
    void (*multiply)(const struct nb_panels *, const nb_real *, nb_real *, int, int) =
        panels->kernels->panels[panels->storage];
    /* Even an inactive parallel region costs as much as a small product. */
    if (threads <= 1 || panels->offset[count] <= 9 * (size_t)PARALLEL_BLOCKS) {
        multiply(panels, x, y, 0, count);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int slice = 0; slice < count; slice += PANEL_SLICE)
        multiply(panels, x, y, slice,
                 slice + PANEL_SLICE < count ? slice + PANEL_SLICE : count);
}
