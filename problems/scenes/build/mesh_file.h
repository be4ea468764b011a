/* A user's mesh: a file in Wavefront's OBJ or in STL, as text or binary. */
#ifndef NB_MESH_FILE_H
#define NB_MESH_FILE_H

#include "problems/problem.h"

/* Reads a closed mesh of triangles, its larger faces divided in fans, vertices at one place made one. The shape, which
 * is {0} before, becomes a polyhedron that need not be convex. What is no file, is damaged, has more than
 * NB_MESH_TRIANGLES, is not closed or inside out is refused: every edge has as many faces on the one side as on the
 * other, and the volume is positive. */
enum { NB_MESH_TRIANGLES = 1000000 };
enum nb_status nb_mesh_read(const char *path, struct nb_shape *shape, struct nb_error *error);

#endif
