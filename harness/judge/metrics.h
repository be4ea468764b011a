/* How a result is judged: from (u, lambda) alone, in float64, by code that no solver shares
 * (docs/design.md, section 6). It evaluates gaps and Jacobians on its own.
 *
 * Mass scaling: r_n = h^2 [J M^-1 J^T]_nn, r_f = h max of the two tangent diagonals, at q-; a
 * diagonal that is not positive counts as 1 1/kg. Linear forms have no gap: C_n = h U_n there, so
 * that a plain FCLIB problem (h = 1) is judged in velocities.
 *
 * Limits of joints are measured as contacts: penetration and normal error in m of a slider and in
 * rad of a hinge; one that is reached counts as stick.
 *
 * Natural map, R = h lambda, l = h lambda_b, U^ = U + (mu |U_T|, 0, 0), K the Coulomb cones:
 *
 *     F = [R - P_K(R - U^); bilateral velocity],
 *     local:      ||F|| / max(||[q; s]||, ||[R; l]||, ||U||),
 *     otherwise:  ||M u - f - J^T R - G l|| / max(||f||, ||M u||, ||J^T R||, ||G l||)
 *                 + ||F|| / max(||U||, ||[R; l]||).
 *
 * Box friction, |R_T,i| <= mu R_N for either tangent, is what some methods of engines solve
 * instead: another problem. The box map is the natural map with the projections of its rows in the
 * place of P_K and without the De Saxce term,
 *
 *     F_N = R_N - max(0, R_N - U_N),
 *     F_T,i = R_T,i - min(max(R_T,i - U_T,i, -b), b),  b = mu max(0, R_N),
 *
 * relative to the same divisors. Only a method that says so in its header is to be judged by it.
 *
 * In both the rows of tetrahedra are multiplied by l, too, and their multipliers divided by it.
 *
 * Divisors of at most sqrt(2^-52) = 1.5e-8 are left out. Without bilateral rows this is Siconos'
 * gfc3d_compute_error and, but for its threshold of 2^-52, fc3d_compute_error. Siconos drops G and
 * b; here a bilateral row is a cone that is the whole line, whose natural map is the velocity
 * G^T v + b (or V^T r + R l + s) itself. */
#ifndef NB_METRICS_H
#define NB_METRICS_H

#include "problems/problem.h"

struct nb_metrics {
    double penetration;     /* max(0, -C_n)                                [m]     */
    double normal_error;    /* max |min(C_n, r lambda_n)|, mass scaling r  [m]     */
    double friction_error;  /* max |min(s, r_f (mu lambda_n - |lambda_f|))| [m/s]   */
    double misalignment;    /* max (D^T u . lambda_f + |D^T u| |lambda_f|) [W]     */
    double bilateral_error; /* max |c_b + E lambda_b| of joints, attachments and distances
                             *                                 [m], [1] in turns   */
    double strain_error;    /* max |E (V dPsi/ds + lambda)| of tetrahedra  [1]     */
    double bilateral_velocity; /* max(bilateral_error/h, strain l/h), each element's l = (6 V)^(1/3) [m/s] */
    double momentum_error; /* max |g|, unscaled J                          [N s]   */
                           /* local: max |u - (W r + V l + q; V^T r + R l + s)| [m/s] */
    double constraint_error; /* max(normal_error/h, friction_error, bilateral_velocity) [m/s] */
    double natural_map;     /* relative error of the natural map of the step as posed */
    double natural_map_absolute; /* its part ||F||_2, not divided */
    double natural_map_linearized; /* the same relative error on the step linearised at q-; NaN where that
                                      cannot be held (nb_problem_linearize_in) */
    double box_map;          /* the same relative error with box friction             */
    double box_normal;       /* its part ||F_N|| / divisor                            */
    double box_friction;     /* its part ||F_T|| / divisor                            */
    double force_norm;      /* ||h lambda||_2 over the contacts            [N s]   */
    double kinetic_energy;  /* of u+: u^T M u / 2; NaN where the form is local  [J] */
    double normal_force;    /* sum of lambda_n over contacts with the world [N]; NaN in linear
                             * forms, which do not tell who touches the world */
    int open, stick, slip;  /* contacts by status, see nb_judge_status */
};

/* Precomputes what depends on the problem alone (mass scaling, linearisation). */
struct nb_judge;
enum nb_status nb_judge_create(struct nb_judge **judge, const struct nb_problem *problem,
                               struct nb_error *error);
void nb_judge_free(struct nb_judge *judge);

/* u [nb_problem_dofs], lambda [nb_problem_multipliers]. Non-finite input gives NaN or infinite
 * errors, never a crash. The natural map of a nonlinear step uses U_n = C_n(q+)/h and
 * J(q+); with a linear gap it is the one of docs/design.md, section 6. */
void nb_judge_evaluate(struct nb_judge *judge, const double *u, const double *lambda,
                       struct nb_metrics *metrics);

/* Contact status of a solution, one per contact: 0 open, 1 stick, 2 slip. status [contacts].
 * The branches of the minimum map decide, with the mass scaling, so that no threshold is needed:
 * open where r_n lambda_n <= C_n, else slip where |D^T u| > r_f (mu lambda_n - |lambda_f|), else
 * stick. A contact with values that are not numbers counts as open. */
void nb_judge_status(struct nb_judge *judge, const double *u, const double *lambda, int *status);

#endif
