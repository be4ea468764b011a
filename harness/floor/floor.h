/* Accuracy floors: what Newton's method can reach in floating point (Tisseur 2001; Macklin et al.
 * 2019, 91 and 92; docs/theory/floors.md).
 *
 *     ||r||  ~  ||A*|| ||x*|| delta              ||dx||  ~  ||A*^-1|| nu + ||x*|| delta
 *
 * with A* the Jacobian of the whole system (53) at the best solution x* = (u, h lambda), delta the
 * unit of the run's precision, nu = delta ||r*||, all norms L-infinity. The component-wise floor is
 * max_i delta (|A*| |x*| + |b|)_i, b being the constant part of the system: f in the momentum
 * rows, w or q in the contact rows of a linear step. In the normal rows of a nonlinear step it is
 * made up of positions, |b| = (|n| . (|x_A| + |r_A| + |x_B| + |r_B|) + d) / h at q- with the arms
 * r = R p -+ rho n (docs/reference/formats.md), for the rounding of positions bounds how well a gap is known;
 * bilateral rows likewise, with 2 for a rotation and |J| |x| + 1 for a strain. The forces of x* are
 * clipped to the cones.
 *
 * At rest |J| |u| of a linear step is nothing. A method that has u from the forces, u = M^-1 (f + J^T p), has
 * velocities that are sums of larger terms, L (|J M^-1 f| + |J M^-1| |J^T| |h lambda|): velocity_terms. They are
 * no floor, for a method that keeps u apart from the forces may go below, as in joints of light bodies; but
 * a run that ends within them is not told to have failed (ending.h).
 *
 * A friction row D^T u + Gamma lambda_f with Gamma > 1 is divided by Gamma before ||A*|| is taken:
 * Gamma = |D^T u|/(mu lambda_n) of a force near zero is as large as one likes, and so would be the floor;
 * divided, the row goes over into that of a contact without force, lambda_f = 0.
 *
 * In a local problem A* = [I  -W L; L  C] acts on (U, h lambda), and all its rows count as
 * constraint rows, for they make the velocity that a constraint is judged by. ||A*|| and the
 * component-wise sums are those of (53) without the identity shift. Redundant contacts make A*
 * singular; only then ||A*^-1|| is that of the matrix with options->shift times the mean of the contacts'
 * diagonal added to C: a solver's shift is of all rows, and in f32 it is at least 16 roundings. A
 * matrix that is singular all the same has an infinite inverse_norm, and with it an infinite step floor.
 *
 * phi, alpha, beta, Gamma and r are those of the run's NCP function and scaling in the registry, in float64. Where
 * there is none of that name in float64 the answer is NB_UNSUPPORTED with the reason, and the record has no
 * floor. */
#ifndef NB_FLOOR_H
#define NB_FLOOR_H

#include "problems/problem.h"
#include "solvers/solve.h"

/* Independent of the precision; one per problem, NCP function, scaling and Newton form. */
struct nb_floor_reference {
    double matrix_norm;         /* ||A*||                                  */
    double inverse_norm;        /* ||A*^-1||, or infinite                   */
    int inverse_exact;          /* to 3000 rows; else an estimate, from below */
    double solution_norm;       /* ||x*||                                  */
    double residual_norm;       /* ||r*|| reached by x*                    */
    double component_all;       /* max_i (|A*||x*| + |b|)_i, all rows      */
    double component_constraint; /* the same over the constraint rows [m/s] */
    double velocity_terms;      /* of a linear global step [m/s]; else 0   */
    double step_error;          /* the largest of the same sums, and of velocity_terms, as step_error has its rows: over
                                   V, and of momentum rows over the root of M_ii E (docs/theory/measure.md) */
    double step_error_double;   /* the same without what of positions does not round in float64, in which the judge
                                   rounds as the run does (floor_roundings.c) */
};

struct nb_floor {
    double residual, step;      /* norm-wise */
    double component_all, component_constraint, velocity_terms;
    double step_error;
};

/* u, lambda: the best solution known, sizes as in problems/problem.h. Only options->ncp,
 * scaling, newton_form and shift matter. */
enum nb_status nb_floor_reference_compute(const struct nb_problem *problem,
                                          const struct nb_options *options, const double *u,
                                          const double *lambda,
                                          struct nb_floor_reference *reference,
                                          struct nb_error *error);

/* unit_roundoff: 2^-53 for f64, 2^-24 for f32. */
struct nb_floor nb_floor_at(const struct nb_floor_reference *reference, double unit_roundoff);

#endif
