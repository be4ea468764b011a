/* The surfaces of all shapes in the world, as polygons, for programs that draw. */
#ifndef NB_SURFACE_H
#define NB_SURFACE_H

#include "problems/problem.h"

/* The particles are the first points; a deformable surface's polygons are its triangles, with
 * particles as corners. Faces of convex shapes are as they are. Spheres and capsules become rings
 * of quadrangles between two fans of triangles, with their vertices on the surface; a plane
 * becomes a rectangle that lies beneath all other shapes and reaches beyond them. Corners are
 * counter-clockwise from outside. */
struct nb_surface {
    int points, polygons, corners;
    double *point; /* [3 points], at q-, world [m]; first the particles          */
    int *body;     /* [points]    the body it is fixed to, or -1; of particles, too */
    int *start;    /* [polygons + 1]                            */
    int *corner;   /* [corners]   indices of points             */
    int *shape;    /* [polygons]                                */
    void *memory;  /* of these arrays                           */
};

/* Of a valid nonlinear step. The caller frees, also after a failure. */
enum nb_status nb_surface_create(struct nb_surface *surface, const struct nb_problem *problem,
                                 struct nb_error *error);
void nb_surface_free(struct nb_surface *surface);

/* Contacts whose places are known: all of a nonlinear step but limits, those of a linear one that it has a drawing of;
 * and the rows n, t1, t2 of one [9]. */
int nb_contacts_placed(const struct nb_problem *problem);
const double *nb_contact_axes(const struct nb_problem *problem, int contact);

/* Side a's (0) or b's (1) point of a contact at q-, in the world [m]. A linear step has one for both. */
void nb_contact_point(const struct nb_problem *problem, int contact, int side, double *point);

#endif
