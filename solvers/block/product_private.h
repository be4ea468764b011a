/* The two layouts behind solvers/block/product.h, and the loops over them. */
#ifndef NB_PRODUCT_PRIVATE_H
#define NB_PRODUCT_PRIVATE_H

#include "problems/base/simd.h"
#include "solvers/block/product.h"

#define nb_panels NB(nb_panels)
#define nb_panels_create NB(nb_panels_create)
#define nb_panels_free NB(nb_panels_free)
#define nb_panels_multiply NB(nb_panels_multiply)
#define nb_panels_refill NB(nb_panels_refill)
#define nb_product_kernels NB(nb_product_kernels)
#define nb_product_kernels_of NB(nb_product_kernels_of)
#define nb_product_narrow NB(nb_product_narrow)
#define nb_product_panels NB(nb_product_panels)
#define nb_product_slices NB(nb_product_slices)
#define nb_product_values NB(nb_product_values)
#define nb_slices NB(nb_slices)
#define nb_slices_create NB(nb_slices_create)
#define nb_slices_fit NB(nb_slices_fit)
#define nb_slices_free NB(nb_slices_free)
#define nb_slices_multiply NB(nb_slices_multiply)
#define nb_slices_offset NB(nb_slices_offset)
#define nb_slices_refill NB(nb_slices_refill)

/* Room for so many entries in that storage and for 512 more, zero, which vectors reach into; aligned to a
 * cache line. NULL: no memory. Freed by free(). */
void *nb_product_values(enum nb_storage storage, size_t entries);
/* block [9] in 16 bits; a diagonal block's own diagonal goes to diagonal [3], else NULL, and leaves zeros. */
void nb_product_narrow(void (*narrow)(size_t n, const nb_matrix *from, uint16_t *to),
                       const nb_matrix *block, uint16_t *half, nb_real *diagonal);

struct nb_product_kernels;

/* Panels: up to NB_PANEL_ROWS successive block rows with the same columns. */
enum { NB_PANEL_ROWS = 8 };
struct nb_panels {
    const struct nb_product_kernels *kernels; /* set before create, and */
    enum nb_storage storage;                      /* likewise               */
    int count;
    int *row;          /* first block row of a panel        [count + 1]            */
    int *start;        /* its first block column            [count + 1]            */
    int *column;       /*                                   [start[count]]         */
    size_t *offset;    /* its first entry in value          [count + 1]            */
    nb_matrix *value;  /* column after column, 3 entries of each block row in turn; NULL: in half */
    uint16_t *half;    /* likewise, zeros in place of the diagonal; NULL: in value   */
    nb_real *diagonal; /* [3 rows], beside half                                      */
};
enum nb_status nb_panels_create(struct nb_panels *panels, const struct nb_bsr *matrix,
                                struct nb_error *error);
void nb_panels_refill(struct nb_panels *panels, const struct nb_bsr *matrix);
void nb_panels_multiply(const struct nb_panels *panels, const nb_real *x, nb_real *y, int threads);
/* The panels of a product; NULL: it has the other layout, or 16-bit entries. */
struct nb_panels *nb_product_panels(struct nb_product *product);
void nb_panels_free(struct nb_panels *panels);

/* Symmetric slices: row i holds its diagonal block, its inner blocks (columns after i in the same slice,
 * which stand for their mirror images too) and its outer blocks (columns in other slices). */
struct nb_slices {
    const struct nb_product_kernels *kernels; /* set before create, and */
    enum nb_storage storage;                      /* likewise               */
    int rows, length;          /* in blocks; of all slices but the last                  */
    int *inner_start;          /* [rows + 1]                                             */
    unsigned short *inner;     /* column, counted from the slice's first row             */
    int *outer_start;          /* [rows + 1]                                             */
    int *outer;                /* column                                                 */
    nb_matrix *value;          /* [9 (rows + inner + outer)], row after row, row-major; NULL: in half */
    uint16_t *half;            /* likewise, zeros in place of the diagonal; NULL: in value */
    nb_real *diagonal;         /* [3 rows], beside half                                  */
    nb_real *mirror;           /* [threads][4 length] what rows above add, zero between products */
};
/* False where the pattern is not symmetric or has no full diagonal: then panels it must be. */
int nb_slices_fit(const struct nb_bsr *matrix);
enum nb_status nb_slices_create(struct nb_slices *slices, const struct nb_bsr *matrix,
                                int threads, struct nb_error *error);
void nb_slices_refill(struct nb_slices *slices, const struct nb_bsr *matrix, int threads);
void nb_slices_multiply(const struct nb_slices *slices, const nb_real *x, nb_real *y, int threads);
/* The slices of a product that have values of full width; NULL: it has none. */
struct nb_slices *nb_product_slices(struct nb_product *product);
void nb_slices_free(struct nb_slices *slices);

/* The first entry of block row i. */
static inline size_t nb_slices_offset(const struct nb_slices *slices, int i)
{
    return 9 * ((size_t)i + (size_t)slices->inner_start[i] + (size_t)slices->outer_start[i]);
}

/* The loops over them for the vector instructions of one level of problems/base/simd.h, by storage. */
struct nb_product_kernels {
    /* Panels begin to end of A x. */
    void (*panels[NB_STORAGES])(const struct nb_panels *panels, const nb_real *x, nb_real *y,
                                int begin, int end);
    /* One slice of A x; mirror [4 length], zero before and after. */
    void (*slice[NB_STORAGES])(const struct nb_slices *slices, const nb_real *x, nb_real *y,
                               int slice, nb_real *mirror);
    /* n entries in 16 bits, to nearest even; NULL for NB_FULL. */
    void (*narrow[NB_STORAGES])(size_t n, const nb_matrix *from, uint16_t *to);
};
/* Of a level that this processor runs. */
const struct nb_product_kernels *nb_product_kernels_of(enum nb_simd level);
extern const struct nb_product_kernels NB(nb_product_portable);
#ifdef __x86_64__
extern const struct nb_product_kernels NB(nb_product_avx2), NB(nb_product_avx512);
#endif

#endif
