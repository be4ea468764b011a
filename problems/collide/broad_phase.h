/* Which shapes are near enough for a closer look. Internal to problems/collide. */
#ifndef NB_BROAD_PHASE_H
#define NB_BROAD_PHASE_H

#include "problems/collide/solid.h"

struct nb_pair {
    int first, second; /* indices of solids, first < second */
};

struct nb_pair_list {
    int count, capacity;
    struct nb_pair *pair;
};

/* All pairs of solids of different groups (a body's, the world's, a skin's) whose bounding boxes are
 * at most margin [m] apart along every axis, a plane's box being its half-space; two planes never are
 * a pair. Ascending by first, then second, whatever the search does. The caller frees, also after a
 * failure. */
enum nb_status nb_broad_phase(struct nb_pair_list *list, const struct nb_solid *solids, int count,
                              double margin, struct nb_error *error);
/* Whether nb_broad_phase would pair the two. */
int nb_solids_near(const struct nb_solid *a, const struct nb_solid *b, double margin);

void nb_pair_list_free(struct nb_pair_list *list);

#endif
