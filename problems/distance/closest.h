/* The point of a segment or of a triangle at which a signed distance is least (Macklin 2020, thesis, equations 137 to
 * 147):
 *
 *     min phi(sum_k w_k p_k),   w_k >= 0,   sum_k w_k = 1.
 *
 * phi is not convex in general: what is found is a local minimum, or the least of the points looked at. A method is one
 * file of problems/distance/closest/, which defines nb_closest_NAME; it has a number by which steps name it
 * (`search`), one that no other file has. */
#ifndef NB_CLOSEST_H
#define NB_CLOSEST_H

#include "problems/distance/distance.h"

/* Corners in the field's frame. */
struct nb_element {
    const struct nb_distance *field;
    int corners;      /* 2 or 3 */
    double corner[9];
    double descent; /* of the longest side, how far a descent goes at most in a step; 0: NB_CLOSEST_DESCENT */
};
#define NB_CLOSEST_DESCENT 0.1

struct nb_closest {
    double weight[3]; /* 0 beyond the corners */
    double distance;  /* phi there [m]        */
};

struct nb_closest_method {
    const char *name, *title;
    int number;
    /* The element's, in that many iterations. best begins at the nearest corner, from where a descent starts, and is
     * the least of all points that are looked at; trace [iterations], or NULL, takes its distance after each. */
    void (*search)(const struct nb_element *element, int iterations, struct nb_closest *best, double *trace);
};

/* All, sorted by name; NULL ends the list. That of a number, or NULL. */
const struct nb_closest_method *const *nb_closest_methods(void);
const struct nb_closest_method *nb_closest_numbered(int number);

/* The method that a problem's parameters `search` and `iterations` name, or the default ones. */
enum { NB_CLOSEST_ITERATIONS = 32, NB_CLOSEST_DEFAULT = 3 };
enum nb_status nb_closest_of(const struct nb_problem *problem, const struct nb_closest_method **method,
                             int *iterations, struct nb_error *error);
enum nb_status nb_closest_check(const struct nb_problem *problem, struct nb_error *error); /* that there is one */

/* Searches. Weights below 1e-5 then become 0: an edge that two triangles share has one nearest point. */
void nb_closest_find(const struct nb_closest_method *method, const struct nb_element *element, int iterations,
                     struct nb_closest *best, double *trace);

/* Whether no point of the element can be within reach: phi at the middle is more than the radius of the sphere round it
 * (thesis, 6.2.3). */
int nb_element_is_far(const struct nb_element *element, double reach);

/* For methods: phi at these weights, which becomes the best where it is less; its gradient [3] or NULL. */
double nb_closest_look(const struct nb_element *element, const double *weight, struct nb_closest *best,
                       double *gradient);
void nb_element_point(const struct nb_element *element, const double *weight, double *x);

#endif
