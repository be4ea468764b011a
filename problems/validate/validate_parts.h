/* The parts of nb_problem_validate that have a file of their own, and the checks that they share.
 * Messages name arrays by their datasets in docs/reference/formats.md and the first offending entry. */
#ifndef NB_VALIDATE_PARTS_H
#define NB_VALIDATE_PARTS_H

#include <limits.h>

#include "problems/fields.h"
#include "problems/problem.h"

/* Counts stay below this so that every index into an array of a problem fits an int. */
enum { NB_LARGEST_COUNT = INT_MAX / 64 };

/* Unit quaternions, orthonormal frames, symmetric tensors and barycentric weights hold to this:
 * looser than the rounding of any file in single precision, far tighter than a wrong array. */
#define NB_UNIT_TOLERANCE 1e-6

enum nb_status nb_check_count(const char *name, int count, struct nb_error *error);

/* width values an entry, all finite; entry is what messages count. */
enum nb_status nb_check_finite(const char *name, const double *values, int count, int width,
                               struct nb_error *error);
enum nb_status nb_check_not_negative(const char *name, const double *values, int count,
                                     struct nb_error *error);

/* One entry of an array that does not lie in one piece; `entry` is its place there. */
enum nb_status nb_check_finite_entry(const char *name, int entry, const double *values, int width,
                                     struct nb_error *error);
enum nb_status nb_check_not_negative_entry(const char *name, int entry, double value,
                                           struct nb_error *error);
enum nb_status nb_check_quaternion(const char *name, int entry, const double q[4],
                                   struct nb_error *error);

/* One index of a body, or -1. */
enum nb_status nb_check_body(const char *name, int entry, int body, int bodies,
                             struct nb_error *error);

enum nb_status nb_validate_shape(const struct nb_problem *problem, int index,
                                 struct nb_error *error);

/* Count, presence and the rules of the arrays of a group. */
enum nb_status nb_check_group(const struct nb_problem *problem, enum nb_field_groups which,
                              struct nb_error *error);

/* Joints, and then their limits. */
enum nb_status nb_validate_joints(const struct nb_problem *problem, struct nb_error *error);
enum nb_status nb_validate_limits(const struct nb_problem *problem, struct nb_error *error);

/* Particles, tetrahedra, attachments, distances and ties. */
enum nb_status nb_validate_deformables(const struct nb_problem *problem, struct nb_error *error);

/* Particles and weights of the contacts' sides, whose bodies and points are there; and that no
 * contact has twice the same side. */
enum nb_status nb_validate_sides(const struct nb_problem *problem, struct nb_error *error);

#endif
