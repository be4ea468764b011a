/* Tables from records: of each problem the most accurate configuration and the fastest to a tolerance that all share,
 * failures by kind, medians, linear systems, simulations; and the same as comma-separated values, one row a case. A
 * case that does not reach the tolerance (harness/records/outcome.h) is a failure, and masked, however it ended. */
#ifndef NB_REPORT_H
#define NB_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

/* Prints the report of the records of all paths [count]. Without a tolerance (0) that which all cases were given; fails
 * where they have none in common. */
enum nb_status nb_report_tables(const char *const *paths, int count, double tolerance, bool json, FILE *stream,
                                struct nb_error *error);
enum nb_status nb_report_csv(const char *const *paths, int count, FILE *stream, struct nb_error *error);

#endif
