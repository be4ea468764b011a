/* A soft ball, the sprung plate of a scale that it is put onto, and the way there: tomato, hand. */
#ifndef NB_SCENE_SCALE_H
#define NB_SCENE_SCALE_H

#include "problems/scenes/build/scene_deform.h"

/* A ball [m] that stands on the origin: a lattice bent to it, faces to its surface. It takes all particles and
 * tetrahedra of the problem, and the shape as its skin. */
enum nb_status nb_scene_make_ball(struct nb_problem *problem, struct nb_shape *skin, const int *cells, double radius,
                                  const struct nb_elastic *elastic, struct nb_error *error);

/* Of the ball's radius: the plate's thickness and the height of its top. */
#define NB_PLATE_THICKNESS 0.25
#define NB_PLATE_TOP 2.0
#define NB_PLATE_MASS 0.1 /* [kg] */

enum { NB_PLATE_SHAPES = 5 };

/* The plate as body `index` with its top at that height, centred on x = 0 and on y, and joint `spring` that holds it to
 * the world, with the stiffness along z [N/m], wound to bear `borne` kg. Its shapes are a box and four rods
 * [NB_PLATE_SHAPES - 1] around the ball, which keep it from rolling off; the mass is the box's. */
struct nb_plate_on_spring {
    double radius, y, stiffness, borne;
};
enum nb_status nb_scene_make_scale_plate(struct nb_problem *problem, int index, int spring, struct nb_shape *box,
                                         struct nb_shape *rods, const struct nb_plate_on_spring *plate,
                                         struct nb_error *error);

/* By how much the plate has sunk [m]. */
double nb_scene_plate_sunk(const struct nb_problem *problem, int index, double radius);

/* The particles' weight [N]. */
double nb_scene_soft_weight(const struct nb_problem *problem);

/* The share x - sin(2 pi x)/(2 pi), x = (t - begin)/duration in [0, 1], of a smooth way. */
double nb_scene_share(double t, double begin, double duration);

#endif
