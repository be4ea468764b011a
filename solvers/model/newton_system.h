/* One linearisation of the step: NCP functions, friction compliance, row scaling, right-hand side,
 * and the Schur system (53) to (60) that the linear solver sees. Nonlinear methods that solve Newton
 * systems share it. */
#ifndef NB_NEWTON_SYSTEM_H
#define NB_NEWTON_SYSTEM_H

#include "solvers/linear/solve/linear_solver.h"
#include "solvers/model/geometric_stiffness.h"
#include "solvers/model/model.h"
#include "solvers/strategy.h"

#define nb_newton NB(nb_newton)
#define nb_newton_create NB(nb_newton_create)
#define nb_newton_evaluate NB(nb_newton_evaluate)
#define nb_newton_free NB(nb_newton_free)
#define nb_newton_linearise NB(nb_newton_linearise)
#define nb_newton_merit NB(nb_newton_merit)
#define nb_newton_solve NB(nb_newton_solve)

struct nb_newton {
    struct nb_model *model;   /* borrowed */
    const struct nb_ncp *ncp;
    int true_form;                /* newton-form=true: the force keeps the unscaled Jacobian */
    nb_real shift;                /* epsilon mean([J M^-1 J^T]_ii) at q- [1/kg]              */
    struct nb_geometric *geometric; /* NULL: H = M throughout. Set by the method, freed with this */
    struct nb_operator op;
    struct nb_linear_solver *linear; /* with its preconditioner                         */

    nb_real *r_normal, *r_friction; /* [contacts], fixed at q-                              */
    nb_real *row_scale;             /* L [n]: alpha or 1, 1 or 0, 1                          */
    nb_real *diagonal;              /* diag C + shift [n] [1/kg]                             */
    nb_real *constraint;            /* h of (58) [n] [m/s]                                   */
    nb_real *right_side;            /* b of (59) [n] [m/s]                                   */
    nb_real *impulse;               /* h dlambda [n] [N s]; L h lambda before the solve      */
    nb_real *defect;                /* H^-1 g [3 nodes] [m/s]                                */
    nb_real *step;                  /* du [3 nodes] [m/s]                                    */
    nb_real *momentum;              /* scratch [3 nodes]                                     */
    nb_real *gap, *force, *phi, *alpha, *beta; /* per contact [contacts]                     */
    nb_real *slip, *tangential, *limit, *r_active, *compliance; /* per contact in the cone   */
    int *active;                    /* contacts with mu lambda_n > 0 [contacts]              */
    int hold_friction;              /* keep Gamma of the last evaluation                     */
    nb_real *held;                  /* that Gamma [contacts]; negative where mu lambda_n <= 0 */
    void *memory;                   /* of all the arrays above                               */
};

/* Rows of the step: n above. The operator has others where it condenses. */
static inline size_t nb_newton_rows(const struct nb_newton *newton)
{
    return 3 * (size_t)newton->model->blocks;
}

/* Looks up every strategy of options and allocates. The model must outlive it. */
enum nb_status nb_newton_create(struct nb_newton **newton, struct nb_model *model,
                                const struct nb_options *options, struct nb_error *error);
void nb_newton_free(struct nb_newton *newton);

/* Evaluates at (u [3 nodes], lambda [n]): row_scale, diagonal, constraint, defect and right_side. It
 * leaves step as it is, and overwrites impulse. */
void nb_newton_evaluate(struct nb_newton *newton, const nb_real *u, const nb_real *lambda);

/* || H^-1 g ||^2 + || h ||^2 at the point evaluated last, h with phi/h in the normal rows of both
 * Newton forms [m^2/s^2]. */
nb_real nb_newton_merit(const struct nb_newton *newton);

/* Evaluates, and updates the operator and, where prepare is set, its preconditioner and linear
 * solver. */
enum nb_status nb_newton_linearise(struct nb_newton *newton, const nb_real *u,
                                   const nb_real *lambda, int prepare,
                                   struct nb_error *error);

/* Solves for impulse = h dlambda with at most `iterations` iterations, then
 * step = H^-1 J^T L impulse - defect (60). */
struct nb_linear_report nb_newton_solve(struct nb_newton *newton, int iterations, struct nb_run *run);

#endif
