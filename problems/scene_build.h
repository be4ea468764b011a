/* What scene generators share: shapes, bodies, and masses from exact volume integrals. */
#ifndef NB_SCENE_BUILD_H
#define NB_SCENE_BUILD_H

#include "problems/problem.h"

/* Room for bodies and shapes: zero, at the origin, unrotated; shapes fixed to the world. */
enum nb_status nb_scene_allocate(struct nb_problem *problem, int bodies, int shapes,
                                 struct nb_error *error);

/* A box centred on its frame; sides [3] [m]. */
enum nb_status nb_shape_box(struct nb_shape *shape, const double *sides, struct nb_error *error);

/* A quadrangle in the x-z plane extruded along y, centred on y = 0. corners [8]: x, z of four
 * corners, counter-clockwise with x to the right and z up. Every edge along y is divided evenly by
 * `extra` further vertices. */
enum nb_status nb_shape_prism(struct nb_shape *shape, const double *corners, double depth,
                              int extra, struct nb_error *error);

/* Volume [m^3], centroid [3] and the inertia tensor of unit density about the centroid [9] [m^5] of
 * a convex shape, in its frame. */
void nb_shape_integrals(const struct nb_shape *shape, double *volume, double *centroid,
                        double *inertia);

/* Makes a shape that is placed in the world a body of that density: body `index` gets the shape's
 * mass and inertia and stands at its centroid; the shape's vertices move into the body's frame. */
void nb_scene_make_body(struct nb_problem *problem, int index, struct nb_shape *shape,
                        double density);

/* A box of given mass as body `index`, centre [3]. */
enum nb_status nb_scene_make_box(struct nb_problem *problem, int index, struct nb_shape *shape,
                                 const double *sides, double mass, const double *centre,
                                 struct nb_error *error);

#endif
