/* Disjoint sets over nodes 0 .. n-1: trees that point to their lowest node, with paths halved on the way
 * (Tarjan and van Leeuwen 1984). Every node begins as its own parent. */
#ifndef NB_DISJOINT_SETS_H
#define NB_DISJOINT_SETS_H

/* The lowest node of the set. */
static inline int nb_set_root(int *parent, int node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

static inline void nb_set_join(int *parent, int first, int second)
{
    const int a = nb_set_root(parent, first), b = nb_set_root(parent, second);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
