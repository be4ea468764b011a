/* Tables from records: of each problem the most accurate configuration and the fastest to a tolerance that all share,
 * failures by kind, medians, linear systems, simulations; and the same as comma-separated values, one row a case. A
 * case that does not reach the tolerance (harness/records/outcome.h) is a failure, and masked, however it ended. */
#ifndef NB_REPORT_H
#define NB_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

/* Without a tolerance (0) that which all cases were given; fails where they have none in common. */
enum nb_status nb_report_tables(const char *path, double tolerance, FILE *stream, struct nb_error *error);
enum nb_status nb_report_csv(const char *path, FILE *stream, struct nb_error *error);

#endif
