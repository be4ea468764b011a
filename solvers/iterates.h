/* The iterates of one island, kept while it is observed so that the whole step can be shown afterwards, all islands at
 * the same iteration. Where there is no room for all, every second one is forgotten, then every fourth, and so on; the
 * first and the last always stay. */
#ifndef NB_ITERATES_H
#define NB_ITERATES_H

#include "solvers/solve.h"

struct nb_iterates {
    size_t size;                     /* of u and lambda together                                */
    int most;                        /* so many are kept at most, >= 4                          */
    int stride;                      /* those whose iteration is a multiple of it are there     */
    int count, room;                 /* kept, and what there is memory for                      */
    double *value;                   /* [room][size]                                            */
    int *iteration;                  /* [room], ascending                                       */
    struct nb_linear_report *linear; /* [room]; the last linear solve before    */
};

/* Forgets all, and keeps the memory. */
void nb_iterates_begin(struct nb_iterates *kept, size_t dofs, size_t multipliers, int most);

/* Returns 0 without memory. linear may be NULL. */
int nb_iterates_add(struct nb_iterates *kept, int iteration, const double *u, const double *lambda, size_t dofs,
                    const struct nb_linear_report *linear);

/* The place of the last one with at most that iteration, from the place `from` on where this is one. */
int nb_iterates_find(const struct nb_iterates *kept, int iteration, int from);

void nb_iterates_free(struct nb_iterates *kept);

#endif
