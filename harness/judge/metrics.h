/* How a result is judged: from (u, lambda) alone, in float64, by code that no solver shares
 * (docs/theory/design.md, section 6). It evaluates gaps and Jacobians on its own.
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

#include <stdbool.h>
#include <stddef.h>

#include "problems/problem.h"

/* Every metric is one row here, and its formula in a file of harness/judge (those of a stored system A x = b, which
 * has no step: harness/case/case_system.c). All that lists metrics reads the rows: struct nb_metrics, the members
 * "errors" and "trace" of records, the table that `ncpbench solve` prints, the columns of `report --csv`, and
 * docs/reference/records.md by a test. A row has the name, the unit, what is judged, the place in the trace (0: only
 * judged at the end), whether `solve` prints it of each iteration, whether it is a column of `report --csv`, and the
 * meaning. */
#define NB_METRIC_ROWS(ROW)                                                                                           \
    ROW(step_error, "", STEP, 1, true, true, "what verdicts are taken from: the largest of the six that follow")      \
    ROW(step_penetration, "", STEP, 0, false, true, "max max(0, -U_N) / V_N")                                         \
    ROW(step_complementarity, "", STEP, 0, false, true, "of U_N, where a contact is closed, w r_N where open; / V_N") \
    ROW(step_cone, "", STEP, 0, false, true, "distance of (w r_N / V_N, w r_T / V_T) to the Coulomb cone")            \
    ROW(step_sliding, "", STEP, 0, false, true, "distance of (U_T, w r_T) to the nearest law of friction, / V_T")     \
    ROW(step_bilateral, "", STEP, 0, false, true, "velocity of bilateral rows, / V")                                  \
    ROW(step_momentum, "", STEP, 0, false, true,                                                                      \
        "velocities unexplained by admissible impulses / V, root of their energy / E")                                \
    ROW(worst_contact, "", STEP, 0, false, true, "the contact of the largest error, from 0; null: no contacts")       \
    ROW(penetration, "m", STEP, 0, false, true,                                                                       \
        "max(0, -C_n) at q+ of the step's contacts and of those found anew there")                                    \
    ROW(normal_error, "m", STEP, 3, true, true, "max abs(min(C_n, r lambda_n)), mass scaling r")                      \
    ROW(friction_error, "m/s", STEP, 4, true, true, "max abs(min(s, r_f (mu max(0, lambda_n) - abs(lambda_f))))")     \
    ROW(misalignment, "W", STEP, 0, false, true, "max (D^T u . lambda_f + abs(D^T u) abs(lambda_f))")                 \
    ROW(ellipse_error, "", STEP, 0, false, false, "of the friction ellipse of shapes with structure; else null")      \
    ROW(force_evenness, "", STEP, 0, false, false, "of pairs of bodies; 1: all their contacts carry the same; or null")\
    ROW(bilateral_error, "m", STEP, 0, false, true,                                                                   \
        "max abs(c_b + E lambda_b) of rows but elements'; turns without a unit")                                      \
    ROW(bilateral_velocity, "m/s", STEP, 5, false, false,                                                             \
        "max(bilateral_error/h, strain l/h), l = (6 V)^(1/3) of each element")                                        \
    ROW(strain_error, "", STEP, 0, false, true, "max abs(E (V dPsi/ds + lambda)) of tetrahedra")                      \
    ROW(momentum_error, "N s", STEP, 6, true, true,                                                                   \
        "max abs(g); local: of u - (W r + V l + q; V^T r + R l + s) [m/s]")                                           \
    ROW(constraint_error, "m/s", STEP, 2, true, true, "max(normal_error/h, friction_error, bilateral_velocity)")      \
    ROW(natural_map, "", STEP, 7, true, true, "relative error of the natural map of the step as posed")               \
    ROW(natural_map_absolute, "", STEP, 0, false, true, "its part F in the 2-norm, not divided")                      \
    ROW(natural_map_linearized, "", STEP, 0, false, true,                                                             \
        "the same on the step linearised at q-; null where it cannot be held")                                        \
    ROW(box_map, "", STEP, 8, true, false, "the same relative error with box friction")                               \
    ROW(box_normal, "", STEP, 9, false, false, "its part F_N over the divisor, in the 2-norm")                        \
    ROW(box_friction, "", STEP, 10, false, false, "its part F_T over the divisor, in the 2-norm")                     \
    ROW(force_norm, "N s", STEP, 0, false, true, "2-norm of h lambda over the contacts")                              \
    ROW(kinetic_energy, "J", STEP, 0, false, true, "of u+: u^T M u / 2; null where the form is local")                \
    ROW(normal_force, "N", STEP, 0, false, true,                                                                      \
        "sum of lambda_n of contacts with the world; null in linear forms")                                           \
    ROW(open, "", STEP, 0, false, true, "contacts that are open (nb_judge_status)")                                   \
    ROW(stick, "", STEP, 0, false, true, "contacts that stick")                                                       \
    ROW(slip, "", STEP, 0, false, true, "contacts that slip")                                                         \
    ROW(residual, "", SYSTEM, 1, false, true, "b - A x in the norm of the inverse diagonal, relative to that of b")   \
    ROW(energy_error, "", SYSTEM, 0, false, true, "error of x relative to the solution, in the norm of the matrix")   \
    ROW(residual_max, "", SYSTEM, 0, false, true,                                                                     \
        "S (b - A x) relative to S b, L-infinity, S about diag A^(-1/2)")                                             \
    ROW(forward_error, "", SYSTEM, 0, false, true, "error of S^-1 x relative to the solution, L-infinity")

/* NaN where a metric is not known. The judge of a step leaves those of a system as 0. */
struct nb_metrics {
#define NB_MEMBER(name, unit, scope, place, shown, column, meaning) double name;
    NB_METRIC_ROWS(NB_MEMBER)
#undef NB_MEMBER
};

/* NB_METRIC_natural_map, ...: the rows' indices. */
enum nb_metric_index {
#define NB_INDEX(name, unit, scope, place, shown, column, meaning) NB_METRIC_##name,
    NB_METRIC_ROWS(NB_INDEX)
#undef NB_INDEX
        NB_METRICS
};

enum nb_metric_scope { NB_METRIC_OF_STEP,
                       NB_METRIC_OF_SYSTEM };

struct nb_metric {
    const char *name, *unit, *meaning;
    size_t offset; /* in struct nb_metrics */
    enum nb_metric_scope scope;
    int place;
    bool shown, column;
};
extern const struct nb_metric nb_metrics[NB_METRICS];

double nb_metric_value(const struct nb_metrics *metrics, int index);

/* &nb_metrics[index]; NULL past the last one. */
const struct nb_metric *nb_metric_at(int index);

/* None known. */
struct nb_metrics nb_metrics_unknown(void);

/* The index of the metric at that place of the trace, from 1; -1 past the last one. */
int nb_metric_traced(enum nb_metric_scope scope, int place);

/* Precomputes what depends on the problem alone (mass scaling, linearisation). */
struct nb_judge;
enum nb_status nb_judge_create(struct nb_judge **judge, const struct nb_problem *problem,
                               struct nb_error *error);
void nb_judge_free(struct nb_judge *judge);

/* u [nb_problem_dofs], lambda [nb_problem_multipliers]. Non-finite input gives NaN or infinite
 * errors, never a crash. The natural map of a nonlinear step uses U_n = C_n(q+)/h and
 * J(q+); with a linear gap it is the one of docs/theory/design.md, section 6. */
void nb_judge_evaluate(struct nb_judge *judge, const double *u, const double *lambda,
                       struct nb_metrics *metrics);

/* Contact status of a solution, one per contact: 0 open, 1 stick, 2 slip. status [contacts].
 * The branches of the minimum map decide, with the mass scaling, so that no threshold is needed:
 * open where r_n lambda_n <= C_n, else slip where |D^T u| > r_f (mu lambda_n - |lambda_f|), else
 * stick. A contact with values that are not numbers counts as open. */
void nb_judge_status(struct nb_judge *judge, const double *u, const double *lambda, int *status);

#endif
