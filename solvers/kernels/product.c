#include "solvers/kernels/product.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/kernels/product_private.h"

enum { LINE = 64, ROOM = 512, LARGE_BYTES = 4 << 20 };

struct NB(nb_product) {
    int threads, symmetric;
    size_t bytes;
    struct NB(nb_panels) panels;
    struct NB(nb_slices) slices;
};

nb_matrix *NB(nb_product_values)(size_t entries)
{
    const size_t bytes = (entries + ROOM) * sizeof(nb_matrix);
    nb_matrix *values = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (values)
        memset(values + entries, 0, ROOM * sizeof *values);
    return values;
}

static size_t panel_bytes(const struct NB(nb_panels) *panels)
{
    return panels->offset[panels->count] * sizeof(nb_matrix) +
           (size_t)panels->start[panels->count] * sizeof(int) +
           (size_t)panels->count * (2 * sizeof(int) + sizeof(size_t));
}

static size_t slice_bytes(const struct NB(nb_slices) *slices)
{
    const size_t rows = (size_t)slices->rows, inner = (size_t)slices->inner_start[slices->rows],
                 outer = (size_t)slices->outer_start[slices->rows];
    return 9 * (rows + inner + outer) * sizeof(nb_matrix) + inner * sizeof *slices->inner +
           outer * sizeof *slices->outer + 2 * rows * sizeof(int);
}

enum nb_status NB(nb_product_create)(struct NB(nb_product) **out, const struct NB(nb_bsr) *matrix,
                                     int threads, struct nb_error *error)
{
    struct NB(nb_product) *product = calloc(1, sizeof *product);
    const size_t blocks = (size_t)matrix->start[matrix->rows];
    *out = NULL;
    if (!product)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a product");
    product->threads = threads > 1 ? threads : 1;
    product->symmetric = 9 * blocks * sizeof(nb_matrix) > LARGE_BYTES && NB(nb_slices_fit)(matrix);
    const enum nb_status status =
        product->symmetric ? NB(nb_slices_create)(&product->slices, matrix, product->threads, error)
                           : NB(nb_panels_create)(&product->panels, matrix, error);
    if (status) {
        NB(nb_product_free)(product);
        return status;
    }
    product->bytes =
        product->symmetric ? slice_bytes(&product->slices) : panel_bytes(&product->panels);
    *out = product;
    return NB_OK;
}

void NB(nb_product_refill)(struct NB(nb_product) *product, const struct NB(nb_bsr) *matrix)
{
    if (product->symmetric)
        NB(nb_slices_refill)(&product->slices, matrix, product->threads);
    else
        NB(nb_panels_refill)(&product->panels, matrix);
}

void NB(nb_product_multiply)(const struct NB(nb_product) *product, const nb_real *x, nb_real *y)
{
    if (product->symmetric)
        NB(nb_slices_multiply)(&product->slices, x, y, product->threads);
    else
        NB(nb_panels_multiply)(&product->panels, x, y, product->threads);
}

struct NB(nb_panels) *NB(nb_product_panels)(struct NB(nb_product) *product)
{
    return product->symmetric ? NULL : &product->panels;
}

struct NB(nb_slices) *NB(nb_product_slices)(struct NB(nb_product) *product)
{
    return product->slices.value ? &product->slices : NULL;
}

size_t NB(nb_product_bytes)(const struct NB(nb_product) *product)
{
    return product->bytes;
}

void NB(nb_product_free)(struct NB(nb_product) *product)
{
    if (!product)
        return;
    NB(nb_panels_free)(&product->panels);
    NB(nb_slices_free)(&product->slices);
    free(product);
}
