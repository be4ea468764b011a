/* What the parts of harness/floor/ share. */
#ifndef NB_FLOOR_PRIVATE_H
#define NB_FLOOR_PRIVATE_H

#include "harness/floor/floor.h"
#include "harness/judge/metrics_private.h"

/* ---- floor_system.c: the whole system (53) at a point ---- */

/* Unknowns x = (u, p), p = h lambda with the bilateral rows first. Rows: [M -J^T; J C], or in a
 * local problem U - W p = q and U + C p = ..., where J (and W) carry the row scale of the Newton
 * form. The equilibrated matrix diag(left) A diag(right) has a unit-free condition number. */
struct nb_floor_system {
    enum nb_form form;
    int dofs, rows, size;  /* size = dofs + rows                             */
    int bilaterals;
    double mean_diagonal;  /* of J M^-1 J^T over the contacts, or where there are none over the
                              bilateral rows [1/kg]: the shift's unit */
    struct nb_csr matrix;  /* A* [size x size], without shift                */
    void *memory;          /* of the arrays */
    double *row_scale;     /* [rows] L: alpha or 1; 0: row left out          */
    double *compliance;    /* [rows] the diagonal of C                       */
    double *divisor;       /* [rows] of a row before ||A*|| is taken: Gamma > 1 of friction rows, or 1 */
    double *solution;      /* [size] x*, its forces clipped to the cones     */
    double *constant;      /* [size] b, in normal and bilateral rows of a nonlinear step |b| */
    double *exact;         /* [rows] of |b| in normal rows of a nonlinear step, what does not round in float64 */
    double *residual;      /* [size] r*                                      */
    double *velocity_terms; /* [rows] of J u in a linear global step, see floor_estimate.c; else 0 [m/s] */
    double *step_scale;    /* [size] what step_error has the row relative to  */
    double *left, *right;  /* [size]                                         */
};

enum nb_status nb_floor_system_build(struct nb_floor_system *system,
                                     const struct nb_problem *problem,
                                     const struct nb_options *options, const double *u,
                                     const double *lambda, struct nb_error *error);
void nb_floor_system_free(struct nb_floor_system *system);

/* Index in judge->velocity, and in u of a local problem, of what belongs to constraint row i. */
int nb_floor_velocity_index(const struct nb_floor_system *system, int i);

/* ---- floor_roundings.c ---- */

/* The most that rounding makes of the gap of a contact of a nonlinear step at q+ [m]. judge: updated to u. */
double nb_floor_gap_roundings(const struct nb_judge *judge, const double *u, int contact);

/* ---- floor_estimate.c: terms, and ||(A + shift on the constraint rows)^-1||_inf ---- */

/* terms [3 contacts + bilaterals], zero on entry and in the order of judge->velocity [m/s]: |J M^-1 f| +
 * |J M^-1| (|J^T| |R| + |G| |l|). judge: of a linear global step, updated to (u, lambda). */
enum nb_status nb_floor_velocity_terms(const struct nb_judge *judge, double *terms, struct nb_error *error);

/* *norm is infinite where the matrix is singular to working precision. */
enum nb_status nb_floor_inverse_exact(const struct nb_floor_system *system, double shift,
                                      double *norm, struct nb_error *error);
enum nb_status nb_floor_inverse_estimate(const struct nb_floor_system *system, double shift,
                                         double *norm, struct nb_error *error);

#endif
