/* Signed distance fields of shapes: phi(x) [m] in the shape's frame, negative inside, |grad phi| = 1 (Macklin 2020,
 * thesis, chapter 6). problem.h says what the sizes of each kind are. A new kind is a function, a row of
 * distance.c's table and a name in problem.h. */
#ifndef NB_DISTANCE_H
#define NB_DISTANCE_H

#include "problems/problem.h"

/* phi at x [3]; gradient [3] may be NULL. Where two places of the surface are equally near, the gradient is that of one
 * of them. */
double nb_distance_at(const struct nb_distance *field, const double *x, double *gradient);

/* A box around the body, in its frame: lower [3], upper [3]. */
void nb_distance_bounds(const struct nb_distance *field, double *lower, double *upper);

/* From the middle of the body's thinnest part to its surface [m]; 0 of a grid, of which it is not known. */
double nb_distance_depth(const struct nb_distance *field);

/* "sphere" and so on; NULL of what is no kind. Sizes that a kind has. */
const char *nb_distance_name(int kind);
int nb_distance_sizes(int kind);

/* NB_BAD_INPUT with a message that begins with `what`: sizes that are not positive, ring and tube of a torus, drum and
 * flanges of a spool the wrong way round, nodes or values of a grid. */
enum nb_status nb_distance_check(const struct nb_distance *field, const char *what, struct nb_error *error);

/* The closed polygon of a body of revolution about z, counter-clockwise with the radius to the right and z up, from the
 * axis to the axis: point [2 NB_PROFILE] as radius, z. Returns how many points; 0 of other kinds. */
enum { NB_PROFILE = 8 };
int nb_distance_profile(const struct nb_distance *field, double *point);

/* Those of the files of this folder. */
double nb_distance_sphere(const struct nb_distance *field, const double *x, double *gradient);
double nb_distance_box(const struct nb_distance *field, const double *x, double *gradient);
double nb_distance_capsule(const struct nb_distance *field, const double *x, double *gradient);
double nb_distance_torus(const struct nb_distance *field, const double *x, double *gradient);
double nb_distance_revolved(const struct nb_distance *field, const double *x, double *gradient);
double nb_distance_grid(const struct nb_distance *field, const double *x, double *gradient);

#endif
