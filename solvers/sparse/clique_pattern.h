/* Pattern of sum_i J_i^T B_i J_i + M: row i of J couples all of its columns with each other, as a clique of the
 * matrix' graph does; M has a symmetric pattern of its own. By compressed columns, rows ascending. */
#ifndef NB_CLIQUE_PATTERN_H
#define NB_CLIQUE_PATTERN_H

#include "problems/base/status.h"

struct nb_clique_pattern {
    int order;
    int *start, *row; /* [order + 1], [start[order]]; owned */
};

/* cliques rows of J, whose columns are column[start[i]] to column[start[i + 1] - 1] < order; M by its rows
 * [order + 1] or NULL. */
enum nb_status nb_clique_pattern_create(struct nb_clique_pattern *pattern, int order, int cliques, const int *start,
                                        const int *column, const int *mass_start, const int *mass_column,
                                        struct nb_error *error);
void nb_clique_pattern_free(struct nb_clique_pattern *pattern);

/* Place of entry (row, column), which is in the pattern, among its entries. */
int nb_clique_pattern_find(const struct nb_clique_pattern *pattern, int row, int column);

#endif
