/* Deformable bodies for scenes: particles, tetrahedra, their skins and what holds them. */
#ifndef NB_SCENE_DEFORM_H
#define NB_SCENE_DEFORM_H

#include "problems/fields.h"
#include "problems/problem.h"
#include "problems/scenes/build/scene_mesh.h"

/* A homogeneous isotropic material. */
struct nb_elastic {
    enum nb_material material;
    double young;   /* E > 0 [Pa]         */
    double poisson; /* -1 < nu < 1/2 [1]  */
    double density; /* > 0 [kg/m^3]       */
};

/* Writes a mesh [m] into the problem: its nodes from that particle on, its tetrahedra from that one
 * on, at rest as they are. A quarter of each tetrahedron's mass goes to each of its nodes. */
void nb_scene_make_mesh(struct nb_problem *problem, int first_particle, int first_tetra,
                        const struct nb_mesh *mesh, const struct nb_elastic *elastic);

/* The skin of a mesh whose nodes are particles from that one on. */
enum nb_status nb_shape_surface(struct nb_shape *shape, const struct nb_mesh *mesh,
                                int first_particle, double radius, struct nb_error *error);

/* Attachment `index`: the particle is held where it is now, by the body (-1: the world). */
void nb_scene_attach(struct nb_problem *problem, int index, int particle, int body,
                     double compliance);

/* Distance `index` between the two particles as they are now. */
void nb_scene_keep_distance(struct nb_problem *problem, int index, int a, int b,
                            double compliance);

/* Volume of tetrahedra `first` to `first + count - 1` as deformed now [m^3]. */
double nb_scene_volume(const struct nb_problem *problem, int first, int count);

#endif
