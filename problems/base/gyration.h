/* The angular velocity of a free body over one step.
 *
 * A step turns a body by omega+ (89): q+ = q- (+) h omega+, which is the rotation C = cay(h omega+) about omega+
 * by the angle 2 atan(h |omega+|/2). So that the body keeps its angular momentum in the world, I(q+) omega+ =
 * l = I(q-) omega-, which is C I omega+ = l or, with (1 - h/2 [omega]) C = 1 + h/2 [omega],
 *
 *     I (omega+ - omega-) = -h/2 omega+ x (I omega+ + l),        I = I(q-), in the world frame.
 *
 * The product with omega+ is omega+ . I omega+ = omega+ . I omega-, so that by Cauchy and Schwarz the energy
 * omega . I omega / 2 never grows, whatever h, I and omega-. It falls by |omega+ - omega-|^2 in the norm of I/2, to
 * first order in h, and not where the body turns about a principal axis. */
#ifndef NB_GYRATION_H
#define NB_GYRATION_H

/* rotation [9] and inertia [9] of the body at q-, the latter in its own frame and positive definite; omega [3] and
 * out [3] in the world frame, not overlapping. Returns 0, or 1 where the inertia is not positive definite.
 *
 * The momentum is kept to rounding. Only of a body that turns by far more than a radian in the step, about axes of
 * inertia that differ by orders of magnitude, Newton's method may not find the solution: then the energy still
 * does not grow, but the momentum is kept in part. */
int nb_gyrate(const double *rotation, const double *inertia, double time_step, const double *omega, double *out);

/* slope [9] = d omega+ / d omega- of nb_gyrate, where omega+ is what it gave: in the world frame, with l = I omega-,
 *
 *     (I + h/2 ([omega+] I - [I omega+ + l])) slope = I - h/2 [omega+] I.
 *
 * Returns 1 where this has no solution. */
int nb_gyration_slope(const double *rotation, const double *inertia, double time_step, const double *omega,
                      const double *after, double *slope);

#endif
