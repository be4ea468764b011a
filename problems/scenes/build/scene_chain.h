/* Chains of spheres on rods, hung from the world: the pendulums and the particle chain. */
#ifndef NB_SCENE_CHAIN_H
#define NB_SCENE_CHAIN_H

#include "problems/problem.h"

enum { NB_CHAIN_RADIUS_OVER_ROD = 5 }; /* radius of a sphere over that of its rod */

/* One rod with the sphere at its lower end. */
struct nb_chain_link {
    double mass;       /* of the sphere [kg]                                                */
    double compliance; /* of the joint at the rod's upper end, all three rows [m/N]; 0: rigid */
};

/* Sphere i is rigidly on a rod whose other end is joined by a ball joint to the centre of sphere
 * i - 1, the first one to the origin. At the start the chain is straight and turned about y by angle
 * [rad] from hanging down, angle 0 being along -z. Rods have no mass. Allocates bodies, shapes and
 * joints. */
enum nb_status nb_scene_hang_chain(struct nb_problem *problem, int count,
                                   const struct nb_chain_link *links, double length,
                                   double radius, double angle, struct nb_error *error);

/* By how much the joints are open, added up: the chain's stretch [m]. */
double nb_scene_chain_stretch(const struct nb_problem *problem);

#endif
