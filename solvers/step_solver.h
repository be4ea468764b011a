/* One step, or one island of it, in its precision's driver and in units of its own (intrinsic_units.h). */
#ifndef NB_STEP_SOLVER_H
#define NB_STEP_SOLVER_H

#include "solvers/solve.h"

struct nb_step_solver; /* opaque */

/* As the functions of the same names in solvers/solve.h, of which all steps are one island. */
enum nb_status nb_step_solver_create(struct nb_step_solver **solver, const struct nb_problem *problem,
                                     const struct nb_options *options, struct nb_error *error);
enum nb_status nb_step_solver_start(struct nb_step_solver *solver, const double *u, const double *lambda,
                                    struct nb_error *error);
/* Before each run. */
enum nb_status nb_step_solver_renew(struct nb_step_solver *solver, struct nb_error *error);
enum nb_status nb_step_solver_run(struct nb_step_solver *solver, int iterations, const struct nb_observer *observer,
                                  struct nb_run *run, struct nb_error *error);
void nb_step_solver_solution(const struct nb_step_solver *solver, double *u, double *lambda);
void nb_step_solver_free(struct nb_step_solver *solver);

#endif
