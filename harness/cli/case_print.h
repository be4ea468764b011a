/* What `solve` and `linear` print: a row for each iteration, and below the table what was found and a verdict. */
#ifndef NB_CASE_PRINT_H
#define NB_CASE_PRINT_H

#include "harness/case/case_run.h"

void nb_case_print_header(const struct nb_case *setting);

/* A watcher calls it; its context is the setting. */
void nb_case_print_entry(void *setting, const struct nb_trace *trace, int entry);

/* seconds [setting->repetitions]; problem: the step, NULL for a linear system; floor: NULL if it was not computed. */
void nb_case_print_summary(const struct nb_case *setting, const struct nb_case_result *result, const double *seconds,
                           const struct nb_problem *problem, const struct nb_floor *floor);

/* What sharing the contact forces evenly has changed. */
void nb_case_print_share(const struct nb_case_share *share);

/* Whether the run left something to work with: it did not break down, diverge or crash, and its step has a solution. */
bool nb_case_is_usable(const struct nb_case_result *result);

/* Whether the tolerance was reached, where one was asked for. */
bool nb_case_is_reached(const struct nb_case *setting, const struct nb_case_result *result);

#endif
