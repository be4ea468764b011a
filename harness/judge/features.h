/* What kind of problem a step is, from the step alone: records carry it, and profiles are drawn per class
 * of it (harness/records/problem_name.h). Definitions hold for every form; what a form does not tell is -1 or
 * NaN. */
#ifndef NB_FEATURES_H
#define NB_FEATURES_H

#include "problems/problem.h"

struct nb_features {
    const char *scene; /* the name of the scene that it is of (problems/scene.h); "": of none. NULL: not known */
    int elastic;    /* 1: tetrahedra; of a global linear step, masses that couple more than 6 velocities.
                     * 0: neither. -1: a local step, which has no masses */
    double contacts_per_body; /* bodies: rigid ones and skins of deformable ones; of a global linear step
                     * without elasticity, 6 velocities each. NaN: not known */
    double neighbours; /* contacts that a contact shares a body with, or a block of W; their mean */
    double redundancy; /* contact rows over velocities, 3 n_c/n; NaN: a local step, or no velocities */
    int rank;       /* of the contacts' J (or W), up to NB_FEATURES_WORK; -1: not determined */
    double rank_deficiency; /* 1 - rank/(3 n_c), 0 without contacts; NaN: not determined */
    double mass_ratio; /* largest over smallest mass of bodies and particles; of a linear step, largest
                     * over smallest W_nn of its contacts, NaN where W is not determined */
};

/* The rank is determined where rows x columns x the lesser of both is at most this: well below a
 * second. */
#define NB_FEATURES_WORK 5e8

/* Never fails: where memory is short, features are not known. */
void nb_features(const struct nb_problem *problem, struct nb_features *features);

/* None known. */
struct nb_features nb_features_unknown(void);

#endif
