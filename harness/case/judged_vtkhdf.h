/* A solved step as VTKHDF, with each contact's status as the judge sees it. */
#ifndef NB_JUDGED_VTKHDF_H
#define NB_JUDGED_VTKHDF_H

#include "problems/problem.h"
#include "solvers/solve.h"

/* u [nb_problem_dofs], lambda [nb_problem_multipliers] solve the problem. */
enum nb_status nb_judged_vtkhdf_write(const char *path, const struct nb_problem *problem,
                                      const double *u, const double *lambda,
                                      struct nb_error *error);

/* Appends it to a series instead. */
struct nb_vtkhdf_series;
enum nb_status nb_judged_vtkhdf_add(struct nb_vtkhdf_series **series, const struct nb_problem *problem,
                                    const double *u, const double *lambda, struct nb_error *error);

/* Solves the step first, all of its iterations. */
enum nb_status nb_solved_vtkhdf_write(const char *path, const struct nb_problem *problem,
                                      const struct nb_options *options, struct nb_error *error);

#endif
