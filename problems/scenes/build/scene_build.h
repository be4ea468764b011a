/* What scene generators share: shapes, bodies, and masses from exact volume integrals. */
#ifndef NB_SCENE_BUILD_H
#define NB_SCENE_BUILD_H

#include "problems/problem.h"

/* Room for bodies and shapes: zero, at the origin, unrotated; shapes fixed to the world. */
enum nb_status nb_scene_allocate(struct nb_problem *problem, int bodies, int shapes,
                                 struct nb_error *error);

/* The same with the level ground z = 0 as shape 0; all shapes have that friction. */
enum nb_status nb_scene_allocate_on_ground(struct nb_problem *problem, int bodies, int shapes,
                                           double friction, struct nb_error *error);

/* Height of the last body's centre: an observable [m]. */
double nb_scene_last_height(const struct nb_problem *problem);

/* Mean height of the bodies' centres: likewise. */
double nb_scene_mean_height(const struct nb_problem *problem);

/* The plane through a point [3] of the world with that outward unit normal [3]. */
void nb_scene_make_plane(struct nb_shape *shape, const double *point, const double *normal,
                         double friction);

/* The ground z = 0 and, with walls, four of them at that distance from the z axis, x before y: shapes [5] or [1]. */
void nb_scene_make_container(struct nb_shape *shapes, int walls, double distance, double friction);

/* A convex polyhedron with room for that many of each, all zero but the kind and the counts. */
enum nb_status nb_shape_allocate(struct nb_shape *shape, int vertices, int faces, int corners,
                                 struct nb_error *error);

/* A box centred on its frame; sides [3] [m]. */
enum nb_status nb_shape_box(struct nb_shape *shape, const double *sides, struct nb_error *error);

/* A quadrangle in the x-z plane extruded along y, centred on y = 0. corners [8]: x, z of four
 * corners, counter-clockwise with x to the right and z up. Every edge along y is divided evenly by
 * `extra` further vertices. */
enum nb_status nb_shape_prism(struct nb_shape *shape, const double *corners, double depth,
                              int extra, struct nb_error *error);

/* A cylinder as a regular prism about z, centred on its frame, with that many sides (at least 3) and
 * its corners on the radius: corner k at the angle 2 pi (k + first) / sides from x. */
enum nb_status nb_shape_cylinder(struct nb_shape *shape, double radius, double length, int sides,
                                 double first, struct nb_error *error);

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

/* The same for a polyhedron in its own frame, of given mass instead of density: its centroid comes
 * to stand at centre [3]. Inertia is that of the polyhedron, exactly. */
void nb_scene_make_convex(struct nb_problem *problem, int index, struct nb_shape *shape,
                          double mass, const double *centre);

/* Homogeneous balls and capsules (axis z in the body's frame, from -half_length to half_length),
 * centre [3]. */
void nb_scene_make_sphere(struct nb_problem *problem, int index, struct nb_shape *shape,
                          double radius, double mass, const double *centre);
void nb_scene_make_capsule(struct nb_problem *problem, int index, struct nb_shape *shape,
                           double radius, double half_length, double mass, const double *centre);

/* Room for joints, all zero, which nb_scene_make_joint fills, and for their limits. */
enum nb_status nb_scene_allocate_joints(struct nb_problem *problem, int count,
                                        struct nb_error *error);

/* Joint `index` between the bodies a and b (-1: the world) as they stand now: both sides' frames
 * have their origin at anchor [3] and the orientation axes [4] (NULL: the world's) in the world. */
void nb_scene_make_joint(struct nb_problem *problem, int index, enum nb_joint_kind kind, int a,
                         int b, const double *anchor, const double *axes);

/* Bounds of a hinge's angle [rad] or a slider's displacement [m]; -INFINITY and INFINITY are none.
 * At most once a joint, in the order of the joints. */
void nb_scene_limit_joint(struct nb_problem *problem, int index, double lower, double upper);

#endif
