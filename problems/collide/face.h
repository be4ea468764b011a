/* A face of a solid as a convex polygon in the world. Internal to problems/collide. */
#ifndef NB_FACE_H
#define NB_FACE_H

#include "problems/collide/solid.h"

/* Everything is borrowed from the solid. */
struct nb_face {
    const double *normal; /* [3] */
    double offset;        /* [m] */
    const double *vertex; /* of the whole solid */
    const int *corner;    /* [count] */
    int count;
};

struct nb_face nb_solid_face(const struct nb_solid *solid, int index);

/* Corner index, taken round the face. */
const double *nb_face_corner(const struct nb_face *face, int index);

/* The outward normal of the side from corner index to the next, within the face's plane, and its
 * offset. Returns 0 for a side without length. */
int nb_face_side(const struct nb_face *face, int index, double *normal, double *offset);

/* Whether the point's projection lies in the polygon, or beside it by at most slack [m]. */
int nb_face_holds(const struct nb_face *face, const double *point, double slack);

/* The part of the segment from ends [0..2] to ends [3..5] whose projection lies in the polygon, as
 * part[0] <= part[1] in [0, 1]. An end beside a side by at most slack [m] counts as inside. Returns
 * 0 where there is none. */
int nb_face_clip_segment(const struct nb_face *face, const double *ends, double slack,
                         double *part);

#endif
