/* What a mass matrix couples. Nodes, threes of its rows, that its entries connect, however indirectly, are the
 * components of M: bodies, as a rule. M^-1 has no entry between two components, so that
 *
 *     W = J M^-1 J^T
 *
 * has a block for two block rows of J only where both touch the same component. */
#ifndef NB_COUPLING_H
#define NB_COUPLING_H

#include "problems/problem.h"
#include "solvers/sparse/block_graph.h"

/* The components of M, in the order of their first nodes: members are nodes, 0 to nodes - 1; 3 nodes is at least the
 * order of M. The caller frees with nb_block_sets_free. */
enum nb_status nb_mass_components(const struct nb_csr *mass, int nodes, struct nb_block_sets *components,
                                  struct nb_error *error);

/* For each block row of J, given by its pattern, the components that it touches, in ascending order. */
enum nb_status nb_touched_components(const struct nb_block_sets *components, int nodes, int rows, const int *start,
                                     const int *column, struct nb_block_sets *touched, struct nb_error *error);

/* The pattern of W: for each block row those, itself among them, that touch a component that it touches, in ascending
 * order. Symmetric. NB_UNSUPPORTED where W would have more blocks than can be numbered. */
enum nb_status nb_coupled_rows(const struct nb_block_sets *touched, int components, struct nb_block_sets *coupled,
                               struct nb_error *error);

#endif
