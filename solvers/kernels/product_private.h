/* The two layouts behind solvers/kernels/product.h. */
#ifndef NB_PRODUCT_PRIVATE_H
#define NB_PRODUCT_PRIVATE_H

#include "solvers/kernels/product.h"

/* Aligned to a cache line, with 512 entries of room past the end, which vectors reach into and fetches ahead
 * point to; NULL: no memory. Freed by free(). */
nb_matrix *NB(nb_product_values)(size_t entries);

/* Panels: up to NB_PANEL_ROWS successive block rows with the same columns. */
enum { NB_PANEL_ROWS = 8 };
struct NB(nb_panels) {
    int count;
    int *row;          /* first block row of a panel        [count + 1]            */
    int *start;        /* its first block column            [count + 1]            */
    int *column;       /*                                   [start[count]]         */
    size_t *offset;    /* its first entry in value          [count + 1]            */
    nb_matrix *value;  /* column after column, 3 entries of each block row in turn */
};
enum nb_status NB(nb_panels_create)(struct NB(nb_panels) *panels, const struct NB(nb_bsr) *matrix,
                                    struct nb_error *error);
void NB(nb_panels_refill)(struct NB(nb_panels) *panels, const struct NB(nb_bsr) *matrix);
void NB(nb_panels_multiply)(const struct NB(nb_panels) *panels, const nb_real *x, nb_real *y,
                            int threads);
/* The panels of a product; NULL: it has the other layout. */
struct NB(nb_panels) *NB(nb_product_panels)(struct NB(nb_product) *product);
void NB(nb_panels_free)(struct NB(nb_panels) *panels);

/* Symmetric slices: row i holds its diagonal block, its inner blocks (columns after i in the same slice,
 * which stand for their mirror images too) and its outer blocks (columns in other slices). */
struct NB(nb_slices) {
    int rows, length;          /* in blocks; of all slices but the last                  */
    int *inner_start;          /* [rows + 1]                                             */
    unsigned short *inner;     /* column, counted from the slice's first row             */
    int *outer_start;          /* [rows + 1]                                             */
    int *outer;                /* column                                                 */
    nb_matrix *value;          /* [9 (rows + inner + outer)], row after row, row-major   */
    nb_real *mirror;           /* [threads][4 length] what rows above add, zero between products */
};
/* False where the pattern is not symmetric or has no full diagonal: then panels it must be. */
int NB(nb_slices_fit)(const struct NB(nb_bsr) *matrix);
enum nb_status NB(nb_slices_create)(struct NB(nb_slices) *slices, const struct NB(nb_bsr) *matrix,
                                    int threads, struct nb_error *error);
void NB(nb_slices_refill)(struct NB(nb_slices) *slices, const struct NB(nb_bsr) *matrix, int threads);
void NB(nb_slices_multiply)(const struct NB(nb_slices) *slices, const nb_real *x, nb_real *y,
                            int threads);
/* The slices of a product that have values of full width; NULL: it has none. */
struct NB(nb_slices) *NB(nb_product_slices)(struct NB(nb_product) *product);
void NB(nb_slices_free)(struct NB(nb_slices) *slices);

#endif
