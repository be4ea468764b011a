/* Sums of exact solves on sets of block rows: P^-1 = sum over sets k of  W_k R_k^T A_k^-1 R_k W_k  with
 * A_k = R_k A R_k^T and W_k = 1 / sqrt(number of sets a row is in). Disjoint sets give block Jacobi,
 * overlapping ones an additive Schwarz method, symmetric either way (Toselli and Widlund 2005,
 * section 1.5). */
#ifndef NB_SUBDOMAINS_H
#define NB_SUBDOMAINS_H

#include "solvers/sparse/block_graph.h"
#include "solvers/strategy.h"

enum nb_subdomain_kind {
    NB_SUBDOMAINS_BODIES,     /* disjoint: every row with one of its bodies               */
    NB_SUBDOMAINS_ISLANDS,    /* disjoint: islands; those above the limit are cut by bodies */
    NB_SUBDOMAINS_OVERLAPPING /* every row with each of its bodies                        */
};

/* At most so many block rows in a set; larger ones are cut. */
enum { NB_SUBDOMAIN_LIMIT = 64 };

struct NB(nb_subdomains) {
    struct nb_block_sets sets;
    size_t *factor_start; /* [count] of each dense factor                 */
    nb_real *factor;
    nb_real *weight;      /* [rows] X                                     */
    int *local;           /* [rows] position in the set at hand, or -1    */
    nb_real *work;        /* [3 limit]                                    */
};

enum nb_status NB(nb_subdomains_setup)(void **self, const struct NB(nb_operator) *op,
                                       enum nb_subdomain_kind kind, const char *name,
                                       struct nb_error *error);
enum nb_status NB(nb_subdomains_update)(void *self, const struct NB(nb_operator) *op,
                                        struct nb_error *error);
void NB(nb_subdomains_apply)(const void *self, const struct NB(nb_operator) *op, const nb_real *r,
                             nb_real *z);
void NB(nb_subdomains_free)(void *self);

#endif
