/* The values of L J H^-1 J^T L = X X^T with X = L J G, H^-1 = G G^T. Successive block rows of J with the
 * same columns, such as the contacts between two bodies, are a supernode, and what one supernode has with another is a
 * dense product, whose inner dimension is that of the nodes that they share: six for a body.
 *
 * Entries (i, j) and (j, i) sum the same products in the same order: so the matrix is symmetric to the bit,
 * and each of its rows can be filled apart. */
#include <string.h>

#include "solvers/block/product_private.h"
#include "solvers/delassus/delassus_private.h"

enum { PARALLEL_BLOCKS = 20000, CHUNK = 16 };

const struct nb_delassus_kernels *nb_delassus_kernels_of(enum nb_simd level)
{
    return NB_OF_LEVEL(nb_delassus, level);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void fill_all(const struct nb_delassus *delassus, const struct nb_model *model,
                     const nb_real *scale, NB(nb_delassus_pieces) *fill, int pieces, void *target)
{
    const struct nb_delassus_kernels *kernels = delassus->kernels;
    const int supernodes = delassus->supernodes, threads = model->threads;
    memcpy(delassus->scale, scale, 3 * (size_t)delassus->matrix.rows * sizeof *scale);
    if (threads <= 1 || delassus->matrix.start[delassus->matrix.rows] <= PARALLEL_BLOCKS) {
        kernels->weigh(delassus, model, 0, supernodes);
        fill(delassus, 0, pieces, target);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int k = 0; k < supernodes; k += CHUNK)
            kernels->weigh(delassus, model, k, least(k + CHUNK, supernodes));
#pragma omp for schedule(dynamic, 1)
        for (int k = 0; k < pieces; k += CHUNK)
            fill(delassus, k, least(k + CHUNK, pieces), target);
    }
}

void nb_delassus_fill(struct nb_delassus *delassus, const struct nb_model *model,
                      const nb_real *scale)
{
    fill_all(delassus, model, scale, delassus->kernels->rows, delassus->supernodes, &delassus->matrix);
}

void nb_delassus_fill_panels(const struct nb_delassus *delassus,
                             const struct nb_model *model, const nb_real *scale,
                             struct NB(nb_panels) *panels)
{
    fill_all(delassus, model, scale, delassus->kernels->panels, panels->count, panels);
}

void nb_delassus_fill_slices(const struct nb_delassus *delassus,
                             const struct nb_model *model, const nb_real *scale,
                             struct NB(nb_slices) *slices)
{
    fill_all(delassus, model, scale, delassus->kernels->slices, delassus->supernodes, slices);
}
