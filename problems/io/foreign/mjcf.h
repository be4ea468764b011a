/* A step's bodies as the trees that MJCF has: private to problems/io/foreign. */
#ifndef NB_MJCF_H
#define NB_MJCF_H

#include "problems/problem.h"

/* Children of body b, or of the world where b is -1: first[b + 1], then next[] of each, ended by -1. */
struct nb_mjcf_tree {
    const struct nb_problem *problem;
    int *parent;       /* [bodies]     -1: the world                                          */
    int *joint;        /* [bodies]     that leads to the parent; -1: free                     */
    int *first, *next; /* [bodies + 1], [bodies]                                              */
    char *in_tree;     /* [joints]     whether it leads to a child; otherwise it closes a loop */
};

/* NB_UNSUPPORTED, with the reason, where MJCF has no place for a part of the problem. path is for messages. */
enum nb_status nb_mjcf_tree_make(const char *path, const struct nb_problem *problem, struct nb_mjcf_tree *tree,
                                 struct nb_error *error);
void nb_mjcf_tree_free(struct nb_mjcf_tree *tree);

#endif
