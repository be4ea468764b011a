/* A linear solver with its preconditioner on one operator, as the options ask for them: the one place
 * that sets them up, brings them up to date and starts a solve. Newton systems and the linear bench
 * share it. */
#ifndef NB_LINEAR_SOLVER_H
#define NB_LINEAR_SOLVER_H

#include "solvers/strategy.h"

#define nb_linear_solver NB(nb_linear_solver)
#define nb_linear_solver_create NB(nb_linear_solver_create)
#define nb_linear_solver_free NB(nb_linear_solver_free)
#define nb_linear_solver_product NB(nb_linear_solver_product)
#define nb_linear_solver_restart NB(nb_linear_solver_restart)
#define nb_linear_solver_solve NB(nb_linear_solver_solve)
#define nb_linear_solver_task NB(nb_linear_solver_task)
#define nb_linear_solver_trusts_a_factor NB(nb_linear_solver_trusts_a_factor)
#define nb_linear_solver_update NB(nb_linear_solver_update)

struct nb_linear_solver; /* opaque */

/* The operator must be set up and outlive the solver; its settings are written. */
enum nb_status nb_linear_solver_create(struct nb_linear_solver **solver, struct nb_operator *op,
                                    const struct nb_options *options, struct nb_error *error);
void nb_linear_solver_free(struct nb_linear_solver *solver);

/* Where the operator may write its values instead of its matrix, as op->direct: the product, where neither
 * the linear solver nor the preconditioner looks at the matrix; else NULL. */
struct NB(nb_product) *nb_linear_solver_product(const struct nb_linear_solver *solver);

/* Whether x comes from a factor alone, so that nothing has looked at b - A x. */
int nb_linear_solver_trusts_a_factor(const struct nb_linear_solver *solver);

/* The operator's values changed. */
enum nb_status nb_linear_solver_update(struct nb_linear_solver *solver, struct nb_error *error);

/* A run begins: forgets the last solution, so that the next solve starts from zero, and what the preconditioner
 * carries from one matrix to the next. Without it a second run would go through other iterates than the first. */
void nb_linear_solver_restart(struct nb_linear_solver *solver);

struct nb_linear_solver_task {
    const nb_real *b;    /* [n] right-hand side */
    nb_real *x;          /* [n] out             */
    int iterations;      /* at most             */
    struct nb_run *run;  /* preconditionings are counted, updates timed */
    void (*observe)(void *context, int iteration, const nb_real *x); /* may be NULL */
    void *observe_context;
};
struct nb_linear_report nb_linear_solver_solve(struct nb_linear_solver *solver,
                                            const struct nb_linear_solver_task *task);

#endif
