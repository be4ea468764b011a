/* y = A x where A stays the same over many products: a copy of the block rows in a layout for that alone.
 * Preconditioners and sweeps go on using the block rows themselves.
 *
 * Small matrices: contacts between the same two bodies have the same columns, so that their rows form a
 * dense panel, kept by columns; a product is then one multiply-add for every vector of entries.
 * Matrices larger than the caches nearest to a core: only one of the blocks (i, j) and (j, i) is kept,
 * where both rows lie in the same slice of the matrix, with 16-bit columns; A must be symmetric. Slices
 * depend on the matrix alone and write their own rows only, so that the bits are the same for any number
 * of threads.
 *
 * Entries may be kept in 16 bits: A is rounded to them, but for its diagonal, and all else is computed in
 * nb_real. The loops are chosen when a product is made (problems/base/simd.h). */
#ifndef NB_PRODUCT_H
#define NB_PRODUCT_H

#include "solvers/block/half.h"
#include "solvers/block/matrix.h"

#define nb_product NB(nb_product)
#define nb_product_bytes NB(nb_product_bytes)
#define nb_product_create NB(nb_product_create)
#define nb_product_free NB(nb_product_free)
#define nb_product_multiply NB(nb_product_multiply)
#define nb_product_refill NB(nb_product_refill)

struct nb_product; /* opaque */

/* Keeps the pattern, not the matrix; values come with nb_product_refill. At most `threads` will multiply. */
enum nb_status nb_product_create(struct nb_product **product, const struct nb_bsr *matrix,
                                 enum nb_storage storage, int threads, struct nb_error *error);
/* The values of a matrix in that pattern. */
void nb_product_refill(struct nb_product *product, const struct nb_bsr *matrix);
/* y = A x; x [n], y [n], not overlapping. */
void nb_product_multiply(const struct nb_product *product, const nb_real *x, nb_real *y);
/* The bytes that one product reads of A, indices included. */
size_t nb_product_bytes(const struct nb_product *product);
void nb_product_free(struct nb_product *product);

#endif
