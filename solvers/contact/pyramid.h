/* The friction pyramid that linear complementarity problems have in place of Coulomb's cone: at a given R_n the
 * convex hull of n impulses of one length,
 *
 *     R_T in hull { b mu R_n d_k },   d_k = (cos 2 pi k/n, sin 2 pi k/n) along the two tangents,   k = 0 .. n-1,
 *
 * inside the disc of Coulomb's law (b = 1: its corners lie on it) or around it (b = 1/cos(pi/n): its sides touch it).
 * The force that takes most from a slip u is a corner; what it takes is a factor 1/cos(pi/n) larger along a
 * corner than midway between two. Stewart and Trinkle 1996; Macklin et al. 2019, figure 5. */
#ifndef NB_PYRAMID_H
#define NB_PYRAMID_H

#include "solvers/precision.h"

#define nb_pyramid NB(nb_pyramid)
#define nb_pyramid_make NB(nb_pyramid_make)
#define nb_pyramid_direction NB(nb_pyramid_direction)
#define nb_project_pyramid NB(nb_project_pyramid)

/* The setting n of methods that have one, beside solvers/settings.h. */
#define NB_PYRAMID_DIRECTIONS                                                               \
    {.name = "directions", .value = 8, .minimum = 3, .maximum = 64, .whole = 1, .meaning = "n of the pyramid"}

struct nb_pyramid {
    int directions; /* n                                                            */
    nb_real bound;  /* b                                                            */
    nb_real height; /* cos(pi/n) and sin(pi/n): from the centre to a side, and half a side, */
    nb_real half;   /* where the corners are 1 from the centre                      */
};

static inline struct nb_pyramid nb_pyramid_make(int directions, int outer)
{
    const double angle = M_PI / directions;
    const struct nb_pyramid pyramid = {directions, outer ? (nb_real)(1 / cos(angle)) : 1, (nb_real)cos(angle),
                                       (nb_real)sin(angle)};
    return pyramid;
}

/* d [2] = d_k */
static inline void nb_pyramid_direction(const struct nb_pyramid *pyramid, int k, nb_real *d)
{
    const double angle = 2 * M_PI * k / pyramid->directions;
    d[0] = (nb_real)cos(angle);
    d[1] = (nb_real)sin(angle);
}

/* Tangents [2] onto the polygon whose corners are radius from the centre: within the sector of a side, by
 * symmetry, that side is nearest. */
static inline void nb_project_pyramid(nb_real *t, const struct nb_pyramid *pyramid, nb_real radius)
{
    const double sector = floor(atan2((double)t[1], (double)t[0]) * pyramid->directions / (2 * M_PI));
    const double angle = (2 * sector + 1) * M_PI / pyramid->directions;
    const nb_real normal[2] = {(nb_real)cos(angle), (nb_real)sin(angle)};
    const nb_real half = radius * pyramid->half, height = radius * pyramid->height;
    const nb_real out = t[0] * normal[0] + t[1] * normal[1];
    const nb_real along = nb_max(-half, nb_min(half, t[1] * normal[0] - t[0] * normal[1]));
    if (!(out > height))
        return;
    t[0] = height * normal[0] - along * normal[1];
    t[1] = height * normal[1] + along * normal[0];
}

#endif
