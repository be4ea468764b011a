/* A soft block or sheet between the clamps of a bench that pulls: material_extension, sheet. */
#ifndef NB_SCENE_STRETCH_H
#define NB_SCENE_STRETCH_H

#include "problems/scenes/build/scene_deform.h"

/* It lies along x, from 0 to its length, and about y = z = 0. */
struct nb_stretch {
    double sides[3]; /* [m]                                 */
    int cells[3];
    struct nb_elastic elastic;
};

/* Particles, tetrahedra, skin, and attachments to the world of all nodes at x = 0, then of all at the
 * other end. */
enum nb_status nb_scene_clamp(struct nb_problem *problem, const struct nb_stretch *stretch,
                              struct nb_error *error);

/* The schedule of such a scene: the second half of the attachments moves along x, to a distance of
 * `stretch` times `length` after the time `rise`, all three parameters of the problem. */
void nb_scene_pull(struct nb_problem *problem);

/* Present volume over volume at rest. */
double nb_scene_volume_ratio(const struct nb_problem *problem);

#endif
