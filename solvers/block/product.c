/* A product is laid out in panels, or, where its entries take more than 4 MiB and the pattern is symmetric, in slices
 * that keep one of two mirrored blocks; the loops over either are chosen for the processor at set-up. */
#include "solvers/block/product.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/large.h"
#include "solvers/block/product_private.h"

enum { ROOM = 512, LARGE_BYTES = 4 << 20 };

struct nb_product {
    int threads, symmetric;
    size_t bytes;
    struct nb_panels panels;
    struct nb_slices slices;
};

static size_t entry_bytes(enum nb_storage storage)
{
    return storage == NB_FULL ? sizeof(nb_matrix) : sizeof(uint16_t);
}

void *nb_product_values(enum nb_storage storage, size_t entries)
{
    const size_t size = entry_bytes(storage);
    char *values = nb_large_allocate((entries + ROOM) * size);
    if (values)
        memset(values + entries * size, 0, ROOM * size);
    return values;
}

void nb_product_narrow(void (*narrow)(size_t n, const nb_matrix *from, uint16_t *to),
                       const nb_matrix *block, uint16_t *half, nb_real *diagonal)
{
    narrow(9, block, half);
    for (int r = 0; r < 3 && diagonal; ++r) {
        diagonal[r] = (nb_real)block[4 * r];
        half[4 * r] = 0;
    }
}

static size_t panel_bytes(const struct nb_panels *panels)
{
    const size_t rows = panels->half ? 3 * (size_t)panels->row[panels->count] : 0;
    return panels->offset[panels->count] * entry_bytes(panels->storage) + rows * sizeof(nb_real) +
           (size_t)panels->start[panels->count] * sizeof(int) +
           (size_t)panels->count * (2 * sizeof(int) + sizeof(size_t));
}

static size_t slice_bytes(const struct nb_slices *slices)
{
    const size_t rows = (size_t)slices->rows, inner = (size_t)slices->inner_start[slices->rows],
                 outer = (size_t)slices->outer_start[slices->rows];
    return 9 * (rows + inner + outer) * entry_bytes(slices->storage) +
           (slices->half ? 3 * rows * sizeof(nb_real) : 0) + inner * sizeof *slices->inner +
           outer * sizeof *slices->outer + 2 * rows * sizeof(int);
}

const struct nb_product_kernels *nb_product_kernels_of(enum nb_simd level)
{
    return NB_OF_LEVEL(nb_product, level);
}

static enum nb_status set_up(struct nb_product *product, const struct nb_bsr *matrix,
                             enum nb_storage storage, struct nb_error *error)
{
    const size_t entries = 9 * (size_t)matrix->start[matrix->rows];
    enum nb_simd level;
    const enum nb_status status = nb_simd_choose(&level, error);
    if (status)
        return status;
    product->panels.storage = product->slices.storage = storage;
    product->panels.kernels = product->slices.kernels = nb_product_kernels_of(level);
    product->symmetric =
        entries * entry_bytes(storage) > LARGE_BYTES && nb_slices_fit(matrix);
    return product->symmetric
               ? nb_slices_create(&product->slices, matrix, product->threads, error)
               : nb_panels_create(&product->panels, matrix, error);
}

enum nb_status nb_product_create(struct nb_product **out, const struct nb_bsr *matrix,
                                 enum nb_storage storage, int threads, struct nb_error *error)
{
    struct nb_product *product = calloc(1, sizeof *product);
    *out = NULL;
    if (!product)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a product");
    product->threads = threads > 1 ? threads : 1;
    const enum nb_status status = set_up(product, matrix, storage, error);
    if (status) {
        nb_product_free(product);
        return status;
    }
    product->bytes =
        product->symmetric ? slice_bytes(&product->slices) : panel_bytes(&product->panels);
    *out = product;
    return NB_OK;
}

void nb_product_refill(struct nb_product *product, const struct nb_bsr *matrix)
{
    if (product->symmetric)
        nb_slices_refill(&product->slices, matrix, product->threads);
    else
        nb_panels_refill(&product->panels, matrix);
}

void nb_product_multiply(const struct nb_product *product, const nb_real *x, nb_real *y)
{
    if (product->symmetric)
        nb_slices_multiply(&product->slices, x, y, product->threads);
    else
        nb_panels_multiply(&product->panels, x, y, product->threads);
}

struct nb_panels *nb_product_panels(struct nb_product *product)
{
    return product->symmetric || product->panels.half ? NULL : &product->panels;
}

struct nb_slices *nb_product_slices(struct nb_product *product)
{
    return product->slices.value ? &product->slices : NULL;
}

size_t nb_product_bytes(const struct nb_product *product)
{
    return product->bytes;
}

void nb_product_free(struct nb_product *product)
{
    if (!product)
        return;
    nb_panels_free(&product->panels);
    nb_slices_free(&product->slices);
    free(product);
}
