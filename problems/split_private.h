/* What split.c, split_nonlinear.c and split_linear.c share: lists of things by their part. */
#ifndef NB_SPLIT_PRIVATE_H
#define NB_SPLIT_PRIVATE_H

#include "problems/split.h"

/* Things of one kind, such as contacts, sorted by part, in their old order within each. */
struct nb_split_list {
    int *part;   /* [things] of each                                          */
    int *local;  /* [things] its place in its part                            */
    int *start;  /* [parts + 1] where the things of a part stand in `member`  */
    int *member; /* [things]                                                 */
    void *memory;
};

/* parts: of each thing, copied. Returns 0 without memory; the caller frees in any case. */
int nb_split_sort(struct nb_split_list *list, int count, int things, const int *parts);
void nb_split_list_free(struct nb_split_list *list);

static inline int nb_split_things(const struct nb_split_list *list, int part)
{
    return list->start[part + 1] - list->start[part];
}

static inline const int *nb_split_members(const struct nb_split_list *list, int part)
{
    return list->member + list->start[part];
}

/* Numbers the parts: on entry label [nodes] is a node's island, the number of any of its nodes, and worth [nodes] tells
 * of each such number whether the island is worth a step; on exit label is the part. Returns how many there are, at
 * most one where nothing is to be split: labels are then without meaning. */
int nb_split_number(int nodes, int *label, const int *worth, int *scratch);

/* Room for the parts, and the maps of part k for that many velocities and multipliers. */
enum nb_status nb_split_allocate(struct nb_split *split, int count, struct nb_error *error);
enum nb_status nb_split_allocate_maps(struct nb_split_part *part, int dofs, int multipliers, struct nb_error *error);

enum nb_status nb_split_nonlinear(const struct nb_problem *problem, struct nb_split *split, struct nb_error *error);
enum nb_status nb_split_linear(const struct nb_problem *problem, struct nb_split *split, struct nb_error *error);

#endif
