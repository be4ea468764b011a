/* What relaxations share: a positive diagonal, the factor omega, and the loop of sweeps over rows,
 *
 *     x_i += omega (b - A x)_i / A_ii,   row by row, in order or backward (Saad 2003, section 4.1). */
#ifndef NB_RELAXATION_H
#define NB_RELAXATION_H

#include "solvers/strategy.h"

#define nb_check_diagonal NB(nb_check_diagonal)
#define nb_largest_eigenvalue NB(nb_largest_eigenvalue)
#define nb_relaxation NB(nb_relaxation)
#define nb_relaxation_free NB(nb_relaxation_free)
#define nb_relaxation_setup NB(nb_relaxation_setup)
#define nb_relaxation_update NB(nb_relaxation_update)
#define nb_sor_setup NB(nb_sor_setup)
#define nb_sor_update NB(nb_sor_update)
#define nb_sweeps_solve NB(nb_sweeps_solve)

/* NB_BREAKDOWN with the row where a diagonal entry of the operator is not positive. */
enum nb_status nb_check_diagonal(const struct nb_operator *op, struct nb_error *error);

/* Largest eigenvalue of D^-1 A by ten power iterations from a fixed start: a pattern of signs that no
 * eigenvector of low frequency resembles. In the norm of D the iteration is symmetric, so that the
 * quotient (v, A v) / (v, D v) is a lower bound. v, av [n] are scratch. */
nb_real nb_largest_eigenvalue(struct nb_operator *op, nb_real *v, nb_real *av);

/* The state of a relaxation. */
struct nb_relaxation {
    nb_real given; /* omega as it was asked for; 0: to be estimated */
    nb_real omega;
    nb_real *work; /* [4 n]                                         */
};
enum nb_status nb_relaxation_setup(void **self, const struct nb_operator *op, struct nb_error *error);
void nb_relaxation_free(void *self);

/* Checks the diagonal and sets omega = 1. */
enum nb_status nb_relaxation_update(void *self, struct nb_operator *op, struct nb_error *error);

/* SOR and SSOR: their table of settings, the set-up that reads it, and the update that chooses omega. */
extern const struct nb_setting NB(nb_sor_settings)[];
enum nb_status nb_sor_setup(void **self, const struct nb_operator *op, struct nb_error *error);

/* Checks the diagonal and sets omega to what was asked for, or else to Young's optimum for the smallest
 * eigenvalue of D^-1 A that a few Lanczos steps see: omega = 2 / (1 + sqrt(1 - rho^2)) with
 * rho = 1 - lambda_min (Young 1954). The formula is exact for consistently ordered matrices; any omega
 * in (0, 2) converges. Eigenvalues below 0.05 count as 0.05. */
enum nb_status nb_sor_update(void *self, struct nb_operator *op, struct nb_error *error);

/* One iteration: `sweeps` sweeps, the second one backward; so 2 is a symmetric iteration. A tolerance
 * costs one more product an iteration. */
struct nb_linear_report nb_sweeps_solve(void *self, const struct nb_linear_task *task, int sweeps);

#endif
