/* Tables from records: the best configurations of each problem, failures by kind, medians, linear systems,
 * simulations; and the same as comma-separated values, one row a case. Only cases that converged or reached
 * the accuracy floor (harness/case/ending.h) are usable; all others are failures, and masked. */
#ifndef NB_REPORT_H
#define NB_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

enum nb_status nb_report_tables(const char *path, FILE *stream, struct nb_error *error);
enum nb_status nb_report_csv(const char *path, FILE *stream, struct nb_error *error);

#endif
