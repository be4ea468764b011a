/* Friction of a contact from that of its two shapes: isotropic, or an ellipse where one has structure.
 *
 * As two matchsticks do, surfaces resist most where their structure directions s_a, s_b are parallel (Erleben et al.
 * 2020, The Matchstick Model; Macklin 2020, equations 28 to 34). With both in the tangent plane, s_b turned to the side
 * of s_a,
 *
 *     d = 1 - (2/pi) acos(s_a . s_b),   t = (s_a + s_b)/|s_a + s_b|,   b = n x t,   mu = (mu_along + mu_across)/2,
 *     mu_t = d mu_along + (1 - d) mu,   mu_b = d mu_across + (1 - d) mu,
 *
 * of either coefficient the larger of both shapes'. A shape without structure, or whose structure is along the
 * normal, takes the other's direction. Where a shape has a map, its structure is first turned about z of its frame by
 * the map's angle at the shape's point of the contact. The tangents are stored as t mu_t/mu', b mu_b/mu' with mu' the
 * larger of both, so that Coulomb's law with mu' on them is the ellipse (problems/problem.h). */
#ifndef NB_MATCHSTICK_H
#define NB_MATCHSTICK_H

#include "problems/problem.h"

/* Structure that is closer to the normal than this has no direction in the surface [rad]. */
#define NB_LEAST_TILT 1e-6

/* Points [3] of either shape, world; frame [9] has the unit normal in its first row; out: its tangents. Returns the
 * contact's friction. */
double nb_contact_friction(const struct nb_problem *problem, const struct nb_shape *a, const double *point_a,
                           const struct nb_shape *b, const double *point_b, double *frame);

/* direction [3] of the shape's structure at a point [3], in the plane of that normal, world, unit. Returns 0 where it
 * has none. */
int nb_structure_direction(const struct nb_problem *problem, const struct nb_shape *shape, const double *point,
                           const double *normal, double *direction);

/* By how much a map turns structure at the point x, y of its shape's frame [rad]. */
double nb_structure_map_angle(const struct nb_structure_map *map, double x, double y);

#endif
