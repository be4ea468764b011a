/* A picture of a problem: orthographic projection, faces in painter's order, flat shading.
 * Internal to the drawing part. */
#ifndef NB_PICTURE_H
#define NB_PICTURE_H

#include <stdio.h>

#include "problems/collide/solid.h"
#include "problems/problem.h"

/* Unit vectors in the world; toward points at the viewer. right x up = toward. */
struct nb_camera {
    double right[3], up[3], toward[3];
};

/* Azimuth 0 looks along +y with x to the right (where gravity points along -z); it grows as the
 * viewer walks to the right. Elevation is the angle above the horizon. Both in degrees. */
struct nb_camera nb_camera_at(const double *gravity, double azimuth, double elevation);

/* Coordinates on the picture plane [m]. */
void nb_camera_project(const struct nb_camera *camera, const double *point, double *xy);

/* Bounded shapes of a problem, placed in the world, and its planes apart. */
struct nb_stage {
    int solid_count, plane_count;
    struct nb_solid *solids; /* [solid_count] */
    struct nb_solid *planes; /* [plane_count] */
    int *order;              /* [solid_count] indices of solids, farthest first */
};

/* Places the shapes; the caller frees, also after a failure. Without a bounded shape there
 * is nothing to draw: NB_UNSUPPORTED. */
enum nb_status nb_stage_create(struct nb_stage *stage, const struct nb_problem *problem,
                               struct nb_error *error);
void nb_stage_free(struct nb_stage *stage);

/* Fills stage->order. Of two convex bodies without common volume one can be drawn first: the one
 * behind the plane that separates them. Rings, which are rare, are cut at the farthest body. Of
 * thousands only the distances are compared. */
enum nb_status nb_stage_sort(struct nb_stage *stage, const struct nb_camera *camera,
                             struct nb_error *error);

/* Whether a solid hides the point from the viewer. */
int nb_stage_hides(const struct nb_stage *stage, const struct nb_camera *camera,
                   const double *point);

/* A view that suits the scene: nearly frontal for one that is long in one direction. */
struct nb_camera nb_stage_view(const struct nb_stage *stage, const struct nb_problem *problem);

/* A picture while it is written. */
struct nb_picture_box {
    double low[2], high[2];
};

struct nb_picture {
    const struct nb_problem *problem;
    const double *lambda; /* NULL: no forces are known */
    struct nb_stage stage;
    struct nb_camera camera;
    struct nb_picture_box box;       /* of all that is drawn */
    double longest;       /* force [N] */
    int polygons, lines;  /* blocks of each written so far */
    FILE *data, *variables;
};

/* Appends the discs of a sphere or capsule to picture->data. */
void nb_picture_round(struct nb_picture *picture, const struct nb_solid *solid);

/* Append the blocks of the contact points and of the forces to picture->data. */
void nb_picture_contacts(struct nb_picture *picture);
void nb_picture_forces(struct nb_picture *picture);

#endif
