/* The Delassus operator W = J H^-1 J^T in 3x3 blocks, assembled from blocks of inertia: a fixed pattern,
 * refilled without allocation (solvers/delassus/delassus_fill.c says how).
 *
 * Successive block rows of J with the same nodes, such as the contacts between two bodies, are a supernode. */
#ifndef NB_DELASSUS_H
#define NB_DELASSUS_H

#include "solvers/block/matrix.h"
#include "solvers/model/model.h"

#define nb_delassus NB(nb_delassus)
#define nb_delassus_create NB(nb_delassus_create)
#define nb_delassus_fill NB(nb_delassus_fill)
#define nb_delassus_fill_panels NB(nb_delassus_fill_panels)
#define nb_delassus_fill_slices NB(nb_delassus_fill_slices)
#define nb_delassus_free NB(nb_delassus_free)
#define nb_delassus_kernels NB(nb_delassus_kernels)
#define nb_delassus_list_products NB(nb_delassus_list_products)
#define nb_row_block NB(nb_row_block)
#define nb_supernode_pair NB(nb_supernode_pair)
#define nb_weigh_jacobian NB(nb_weigh_jacobian)

/* A supernode and another one that shares nodes with it. Nodes that are successive in the rows of both are a
 * segment: its first node's place in the rows of either, and how many nodes. */
struct nb_supernode_pair {
    size_t right;         /* the other supernode's first entry in `weighted`            */
    int length;           /* and its column length there                                */
    int row, rows;        /* its first block row, and how many: columns here            */
    int segments, first;  /* their number; the first one in `segment`                   */
    int only[3];          /* the segment where there is one: a rigid body, or two       */
};

/* The block of a supernode of one row with one block column, where their common nodes are one segment. */
struct nb_row_block {
    int right, length;    /* of the column's row in `weighted`: the entry where the segment begins, and
                           * entries from one column there to the next                  */
    short left, nodes;    /* the segment's place in the supernode's row, and its length */
};
enum { NB_ROW_BLOCK_NODES = 8 }; /* of a supernode that has them; at most              */

struct nb_delassus_kernels; /* solvers/delassus/delassus_private.h */

struct nb_delassus {
    struct nb_bsr matrix;       /* full pattern with every diagonal block                       */
    int supernodes;
    int *supernode_of;          /* [rows] of each block row                                     */
    int *supernode_start;       /* [supernodes + 1] first block row of each                     */
    int *supernode_nodes;       /* [supernodes] nodes in each of its rows                       */
    int *pair_start;            /* [supernodes + 1] the pairs of each, ascending                */
    struct nb_supernode_pair *pair;
    int *own_pair;              /* [supernodes] each one's pair with itself                     */
    int *segment;               /* [3 segments] of all pairs: as in struct nb_supernode_pair    */
    int *row_block_start;       /* [supernodes + 1] the blocks of its one row, or none          */
    struct nb_row_block *row_block;
    int *own_row_block;         /* [supernodes] among them the diagonal one                     */
    nb_matrix *weighted;        /* X = L J G with H^-1 = G G^T: one supernode after the other, by columns     */
    size_t *weighted_start;     /* [supernodes + 1] each one's first entry; 3 columns a node, of which each   */
    int *weighted_length;       /* [supernodes] has so many entries: a multiple of four, more than its rows   */
    nb_real *scale;             /* [3 rows + 1] diag L, and what vectors read past it           */
    void *memory;               /* of the arrays whose length follows from the rows             */
    /* Of nb_delassus_list_products, else NULL: position of block (j, i) for block (i, j) [blocks]; products of
     * each block with j <= i [blocks + 1]; pairs of Jacobian blocks that meet in a node [2 products]. */
    int *mirror, *product_start, *product;
    const struct nb_delassus_kernels *kernels;     /* of the level that was chosen at creation  */
};

/* NB_BAD_INPUT where NCPBENCH_SIMD names no level (problems/base/simd.h). */
enum nb_status nb_delassus_create(struct nb_delassus *delassus,
                                  const struct nb_model *model, struct nb_error *error);
void nb_delassus_free(struct nb_delassus *delassus);

/* matrix = L J H^-1 J^T L with the model's present Jacobian; scale [3 blocks] is diag L. */
void nb_delassus_fill(struct nb_delassus *delassus, const struct nb_model *model,
                      const nb_real *scale);

/* The same into the panels of a product (solvers/block/product_private.h); matrix keeps the values that
 * it had. */
struct NB(nb_panels);
void nb_delassus_fill_panels(const struct nb_delassus *delassus,
                             const struct nb_model *model, const nb_real *scale,
                             struct NB(nb_panels) *panels);

/* And into its slices. */
struct NB(nb_slices);
void nb_delassus_fill_slices(const struct nb_delassus *delassus,
                             const struct nb_model *model, const nb_real *scale,
                             struct NB(nb_slices) *slices);

/* Lists the sums behind the blocks, for devices that fill each block by itself. */
enum nb_status nb_delassus_list_products(struct nb_delassus *delassus,
                                         const struct nb_model *model, struct nb_error *error);

/* weighted [9 Jacobian blocks] = J H^-1 */
void nb_weigh_jacobian(const struct nb_model *model, nb_matrix *weighted);

#endif
