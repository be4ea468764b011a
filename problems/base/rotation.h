/* Rotations: unit quaternions (w, x, y, z) from body to world, 3x3 matrices row by row, and the
 * tangent directions of a contact. */
#ifndef NB_ROTATION_H
#define NB_ROTATION_H

/* The rotation matrix of a unit quaternion; matrix [9], row-major. */
void nb_quaternion_matrix(const double *quaternion, double *matrix);

/* product = a b, the rotation b followed by a; may not overlap a or b. */
void nb_quaternion_product(const double *a, const double *b, double *product);

/* theta+ = theta- + h/2 Q(theta-) omega, then normalised; omega [3] in the world frame
 * (Macklin et al. 2019, 89). */
void nb_quaternion_advance(double *quaternion, double time_step, const double *omega);

/* y = R x and y = R^T x; x and y may not overlap. */
void nb_rotate(const double *matrix, const double *x, double *y);
void nb_rotate_back(const double *matrix, const double *x, double *y);

/* R I R^T: the inertia tensor [9] of a body in the world frame. Exactly symmetric. */
void nb_world_inertia(const double *matrix, const double *inertia, double *world);

/* Solves A x = b for a symmetric positive definite 3x3 matrix A [9] by Cholesky's factors.
 * Returns 0, or 1 where A is not positive definite. */
int nb_solve_spd3(const double *matrix, const double *b, double *x);

/* rows n, t1, t2 of a right-handed orthonormal frame [9] from the unit normal n [3]. The tangents
 * are a fixed function of n, continuous except at one point; t1 = x where n = z. */
void nb_contact_frame(const double *normal, double *frame);

#endif
