/* The graph of an assembled operator: block rows that share an entry. Contacts of one body all couple,
 * so that bodies are the cliques of this graph and islands its components; both are found from the
 * pattern alone, with or without the bodies. */
#ifndef NB_BLOCK_GRAPH_H
#define NB_BLOCK_GRAPH_H

#include "problems/base/status.h"

/* Sets of block rows, each in ascending order. */
struct nb_block_sets {
    int count;
    int *start;  /* [count + 1]          */
    int *member; /* [start[count]]       */
};
void nb_block_sets_free(struct nb_block_sets *sets);

/* Cliques that cover every entry, each grown greedily from an entry not covered yet; a row without a
 * neighbour is a set of its own. Deterministic. A row is in as many sets as it has bodies. */
enum nb_status nb_block_cliques(int rows, const int *start, const int *column,
                                struct nb_block_sets *sets, struct nb_error *error);

/* Connected components, in the order of their first rows. */
enum nb_status nb_block_islands(int rows, const int *start, const int *column,
                                struct nb_block_sets *sets, struct nb_error *error);

/* Keeps each row in the first of its sets only. */
void nb_block_sets_partition(struct nb_block_sets *sets, int rows, int *owner);

/* Sets larger than limit become several of at most limit consecutive members. */
enum nb_status nb_block_sets_split(struct nb_block_sets *sets, int limit, struct nb_error *error);

#endif
