/* Contact generation at the start of a step. */
#ifndef NB_COLLIDE_H
#define NB_COLLIDE_H

#include "problems/problem.h"

/* Replaces problem->contacts by those of all shape pairs of different bodies (not both fixed to
 * the world) whose gap is at most margin [m]; points deeper than margin count too. Bodies joined by a
 * joint, and a skin and a body that holds particles of it, do not meet, nor does a skin meet itself. Order depends only
 * on the order of shapes, so that equal input gives equal bits. */
enum nb_status nb_collide(struct nb_problem *problem, double margin, struct nb_error *error);

/* The same over a step with the free velocities u [nb_problem_dofs]: where two shapes move against each other by more
 * than the margin in the step, by u or by what may hit them, the margin is that motion. Of rigid ones the points
 * and normals are those at which they come within the margin on their free motion: what would meet later in the
 * step is found, and where it meets. */
enum nb_status nb_collide_moving(struct nb_problem *problem, double margin, const double *u, struct nb_error *error);

/* Faces beside distance fields: those of skins whose boxes are near one and the triangles of rigid meshes whose body's
 * box is, of these those whose bounding spheres are, and the contacts that are found. */
struct nb_culling {
    int faces, near, contacts;
};

/* Faces of skins, and triangles of the meshes of bodies where a field is: what nb_culling's faces are taken from. */
int nb_culling_faces(const struct nb_problem *problem);

/* The same as nb_collide_moving, counted. */
enum nb_status nb_collide_counted(struct nb_problem *problem, double margin, const double *u,
                                  struct nb_culling *culling, struct nb_error *error);

#endif
