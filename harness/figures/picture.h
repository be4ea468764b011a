/* A picture of a problem: orthographic projection, faces in painter's order, flat shading.
 * Internal to the drawing part. */
#ifndef NB_PICTURE_H
#define NB_PICTURE_H

#include <stdio.h>

#include "problems/collide/solid.h"
#include "problems/islands.h"
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

/* A triangle of a deformable body, or a segment of a rope from corner 0 to corner 1, of which 2 is a copy; its normal
 * is 0. */
struct nb_triangle {
    double corner[9], normal[3]; /* world; counter-clockwise from outside, unit */
    int two_sided;               /* it is seen from behind, too                 */
    double strain;               /* of its tetrahedron's volume, det F - 1      */
    double radius;               /* of a segment [m]; 0: it is a triangle       */
    double grazed;               /* what is nearer behind it is not hidden [m]  */
    double depth;                /* of its middle, away from the viewer [m]     */
    int slot;                    /* it is drawn before solid order[slot]        */
};

/* Bounded shapes of a problem, placed in the world, and its planes and deformable bodies apart. */
struct nb_stage {
    int solid_count, plane_count, triangle_count;
    struct nb_triangle *triangles; /* [triangle_count] */
    struct nb_solid *solids; /* [solid_count] */
    struct nb_solid *planes; /* [plane_count] */
    int *order;              /* [solid_count] indices of solids, farthest first */
};

/* Places the shapes; the caller frees, also after a failure. Without a bounded shape or a deformable
 * body there is nothing to draw: NB_UNSUPPORTED. */
enum nb_status nb_stage_create(struct nb_stage *stage, const struct nb_problem *problem,
                               struct nb_error *error);
void nb_stage_free(struct nb_stage *stage);

/* Fills stage->order and sorts the triangles. Of two convex bodies without common volume one can be drawn
 * first: the one behind the plane that separates them. Rings, which are rare, are cut at the farthest body. Of
 * thousands only the distances are compared. A triangle comes before the first solid that hides it,
 * among others by distance; one that is hidden in part is divided. */
enum nb_status nb_stage_sort(struct nb_stage *stage, const struct nb_camera *camera,
                             struct nb_error *error);

/* The smallest and largest direction . x over all that is drawn but the planes. */
void nb_stage_range(const struct nb_stage *stage, const double *direction, double *low,
                    double *high);

/* Whether a solid, or anything on the stage, hides the point from the viewer. */
int nb_solid_hides(const struct nb_solid *solid, const struct nb_camera *camera,
                   const double *point);
int nb_stage_hides(const struct nb_stage *stage, const struct nb_camera *camera,
                   const double *point);

/* A view that suits the scene: nearly frontal for one that is long in one direction. */
struct nb_camera nb_stage_view(const struct nb_stage *stage, const struct nb_problem *problem);

/* picture_boundary.c: the triangles of deformable bodies, their order, and what they hide. */
enum nb_status nb_stage_add_triangles(struct nb_stage *stage, const struct nb_problem *problem,
                                      struct nb_error *error);
enum nb_status nb_stage_sort_triangles(struct nb_stage *stage, const struct nb_camera *camera,
                                       struct nb_error *error);
int nb_triangles_hide(const struct nb_stage *stage, const struct nb_camera *camera,
                      const double *point);

/* bodies->particle: equal for particles of one deformable body. The caller frees, also after a failure. */
enum nb_status nb_deformable_bodies(const struct nb_problem *problem, struct nb_islands *bodies,
                                    struct nb_error *error);

/* A picture while it is written. */
struct nb_picture_box {
    double low[2], high[2];
};

struct nb_picture {
    const struct nb_problem *problem;
    const double *lambda; /* NULL: no forces are known */
    struct nb_islands deformable; /* .particle: the deformable body of each */
    struct nb_stage stage;
    struct nb_camera camera;
    struct nb_picture_box box;       /* of all that is drawn */
    double longest;       /* force [N] */
    int polygons, lines;  /* blocks of each written so far */
    FILE *data, *variables;
};

/* What several pictures share: the camera of the first, and what all of them show. */
struct nb_film_window {
    int frames;
    struct nb_camera camera;
    struct nb_picture_box box;
    double longest; /* force [N] */
};

/* nb_picture_write (plot.h), by the window's camera, where it has one; the window grows by the picture. */
struct nb_figure;
enum nb_status nb_picture_write_seen(const struct nb_figure *figure, const struct nb_problem *problem,
                                     const double *lambda, struct nb_film_window *window, const char *folder,
                                     const char *name, struct nb_error *error);

/* Writes the variables that say what part of the picture plane is shown, how large, and by which scales. */
void nb_picture_window(const struct nb_figure *figure, const struct nb_picture_box *box, double longest, FILE *file);

/* The colour 0xRRGGBB, darkened to that brightness, 0 to 1. */
unsigned nb_picture_tone(unsigned tint, double brightness);

/* Appends the discs of a sphere or capsule to picture->data. */
void nb_picture_round(struct nb_picture *picture, const struct nb_solid *solid);

/* Append the blocks of the contact points and of the forces to picture->data. */
void nb_picture_contacts(struct nb_picture *picture);
void nb_picture_forces(struct nb_picture *picture);

#endif
