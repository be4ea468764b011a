/* Inflating fingers after the pneumatic networks of Ilievski et al. 2011: a floor with an inextensible
 * layer below it and arches on it, which swell and so bend the finger towards the layer. */
#ifndef NB_SCENE_FINGER_H
#define NB_SCENE_FINGER_H

#include "problems/scenes/build/scene_deform.h"

/* A finger is a lattice of 20 x 5 x 2 cells along its length, its width and away from the layer: one
 * cell of floor, and on every second one along the length a cell of arch. That is 150 cells of five
 * tetrahedra each; with a refinement of k, k^3 times as many. */
struct nb_finger {
    int refinement;    /* >= 1                                             */
    double compliance; /* of the layer's distances between two nodes [m/N] */
    struct nb_elastic elastic;
};

/* Length and width; heights of the floor and of the arches on it [m]. */
#define NB_FINGER_LENGTH 0.2
#define NB_FINGER_WIDTH 0.05
#define NB_FINGER_FLOOR 0.01
#define NB_FINGER_ARCH 0.015

/* Allocates particles, tetrahedra, attachments and distances and makes that many fingers of them, whose
 * skins are shapes [fingers]. They hang down, evenly turned about the z axis through centre [3], the
 * middles of their layers' roots at its height and at that radius from it, the arches outwards. The body
 * (-1: the world) holds their roots. */
enum nb_status nb_scene_make_fingers(struct nb_problem *problem, int fingers,
                                     struct nb_shape *shapes, const struct nb_finger *finger,
                                     const double *centre, double radius, int body,
                                     struct nb_error *error);

/* Sets the pressure [Pa] in all arches. */
void nb_scene_inflate(struct nb_problem *problem, int fingers, double pressure);

/* How far the end of finger `index` has turned inwards, from hanging straight down [rad]. */
double nb_scene_finger_angle(const struct nb_problem *problem, int fingers, int index);

#endif
