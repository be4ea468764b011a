/* Structured meshes of tetrahedra: lattices of cells, each divided into five. */
#ifndef NB_SCENE_MESH_H
#define NB_SCENE_MESH_H

#include "problems/base/status.h"

/* The cells (i, j, k), 0 <= i < cells[0] and so on, for which keep returns nonzero (NULL: all). */
enum { NB_PER_CELL = 5 };
struct nb_lattice {
    int cells[3];
    int (*keep)(const void *context, const int *cell);
    const void *context;
};

/* Nodes begin at lattice points: whole numbers. Tetrahedra are those of the cells in order, i changing
 * fastest, and positively oriented; faces are the boundary's triangles in the order of their
 * tetrahedra, counter-clockwise seen from outside. Only nodes that a tetrahedron has are there, in the
 * order of the lattice. */
struct nb_mesh {
    int node_count, tetra_count, face_count;
    double *node; /* [3 node_count]                            */
    int *tetra;   /* [4 tetra_count]                           */
    int *face;    /* [3 face_count]                            */
};

/* The caller frees, also after a failure. */
enum nb_status nb_mesh_create(struct nb_mesh *mesh, const struct nb_lattice *lattice,
                              struct nb_error *error);
void nb_mesh_free(struct nb_mesh *mesh);

/* A box with its lowest corner at lower [3]. */
enum nb_status nb_mesh_box(struct nb_mesh *mesh, const int *cells, const double *lower, const double *sides,
                           struct nb_error *error);

/* Moves every node by a function of its place. Where that turns a tetrahedron over or flattens it,
 * NB_BAD_INPUT. */
enum nb_status nb_mesh_map(struct nb_mesh *mesh, void (*map)(const void *context, double *node),
                           const void *context, struct nb_error *error);

/* Signed, positive as created. */
double nb_mesh_tetra_volume(const struct nb_mesh *mesh, int tetra);

/* The nodes for which chosen returns nonzero, ascending, into nodes [node_count]. Returns how many. */
int nb_mesh_select(const struct nb_mesh *mesh,
                   int (*chosen)(const void *context, const double *node), const void *context,
                   int *nodes);

#endif
