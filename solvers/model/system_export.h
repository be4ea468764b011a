/* A Newton system as matrices in double, for files and for the linear bench. */
#ifndef NB_SYSTEM_EXPORT_H
#define NB_SYSTEM_EXPORT_H

#include "problems/io/problem_file.h"
#include "solvers/model/model.h"
#include "solvers/solve.h"

#define nb_system_export NB(nb_system_export)

/* See nb_solver_system in solvers/solve.h. u [dofs], lambda [multipliers] of the problem. */
enum nb_status nb_system_export(struct nb_model *model, const struct nb_options *options,
                                const double *u, const double *lambda,
                                struct nb_newton_system *system, struct nb_error *error);

#endif
