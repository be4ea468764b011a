/* Bodies by their distance fields, and ropes, for scenes. */
#ifndef NB_SCENE_FIELD_H
#define NB_SCENE_FIELD_H

#include "problems/distance/distance.h"
#include "problems/problem.h"

/* A field with these sizes [m] and a mesh of it, of that many points round z: at least 4. No grid. */
enum nb_status nb_shape_field(struct nb_shape *shape, enum nb_distance_kind kind, const double *size, int around,
                              struct nb_error *error);

/* The shape's field becomes a grid of `cells` cells along its longest side and a ring of two more cells round the body.
 * That of a field has its values at the nodes; that of a polyhedron, which need not be convex but closed, the distance
 * from its faces, negative where these wind round the node. The shape is a field then.
 *
 * A distance changes by no more than the way, so that a grid's, trilinear, is off by at most half the diagonal of a
 * cell. Where that is no less than the field is deep in the middle of its thinnest part, this may have no node inside
 * and be lost: NB_BAD_INPUT, as a mesh in which no node lies. Of a field at most NB_MOST_CELLS are taken. */
enum { NB_MOST_CELLS = 400 };
enum nb_status nb_shape_grid(struct nb_shape *shape, int cells, struct nb_error *error);

/* That of a user's mesh, where a scene does not say how many cells. Its vertices are scaled by that factor before and
 * stand about the middle of its box. */
enum { NB_MESH_CELLS = 48 };
void nb_mesh_centre(struct nb_shape *mesh, double factor);
void nb_mesh_sides(const struct nb_shape *mesh, double *sides);

/* A rope of that many segments as a skin: particle first + i is followed by first + i + 1. */
enum nb_status nb_shape_rope(struct nb_shape *shape, int first, int segments, double radius, struct nb_error *error);

/* How deep the skins' faces and ropes' segments are in the fields, skins taken as thin [m]. */
double nb_scene_depth_in_fields(const struct nb_problem *problem);

#endif
