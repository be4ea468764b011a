/* Contact forces of a solution as a record (docs/reference/records.md), for figures of how they are distributed. */
#ifndef NB_FORCES_H
#define NB_FORCES_H

#include "harness/case/case.h"
#include "problems/problem.h"

/* Appends a record of kind "forces" to the file at path; lambda [nb_problem_multipliers] [N]. */
enum nb_status nb_forces_append(const char *path, const struct nb_case *setting,
                                const struct nb_problem *problem, const double *lambda,
                                struct nb_error *error);

#endif
