/* Cloth for scenes: a square of particles that distances hold together, without bending. */
#ifndef NB_SCENE_CLOTH_H
#define NB_SCENE_CLOTH_H

#include "problems/problem.h"

enum nb_cloth_held { NB_CLOTH_CORNERS, NB_CLOTH_BORDER, NB_CLOTH_FREE };

struct nb_cloth {
    int cells;         /* along a side: cells^2 squares of two triangles each                */
    double side;       /* [m], centred on the origin in the plane z = 0                      */
    double density;    /* [kg/m^2], shared among the particles by their area                 */
    double stiffness;  /* of an edge of a triangle [N/m]; 0: it does not stretch             */
    double radius, friction; /* of its skin, thickness over 2 [m]                            */
    enum nb_cloth_held held; /* which particles are attached to the world                    */
};

/* The arrays of particles, distances and attachments, and the skin, whose outside is up. Every edge of a triangle is a
 * distance; the diagonals of neighbouring squares cross, so that no direction is the stiffer one. */
enum nb_status nb_scene_make_cloth(struct nb_problem *problem, const struct nb_cloth *cloth, struct nb_shape *skin,
                                   struct nb_error *error);

/* By how much the lowest particle is below z = 0 [m]. */
double nb_scene_sag(const struct nb_problem *problem);

#endif
