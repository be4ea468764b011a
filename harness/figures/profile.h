/* Performance and data profiles of methods over problems.
 *
 * With cost t(p, s) of method s on problem p to reach the tolerance (harness/records/outcome.h), infinite
 * where it did not, a performance profile (Dolan and More 2002) shows the share of problems with
 * t(p, s) <= tau min_s t(p, s), and a data profile (More and Wild 2009) that with t(p, s) <= t. Failures
 * are masked before the minimum is taken; a problem that nobody solves counts as unsolved by all.
 *
 * Beside it stands the shifted geometric mean of the costs, exp(mean log(t + s)) - s with s = 1 ms or 1 iteration
 * (Mittelmann's benchmarks), over the problems that some curve solves; a failure counts as NB_PROFILE_PENALTY times the
 * dearest solution of its problem. Below NB_PROFILE_LEAST problems a share says little: no curve is drawn, but a
 * table of these.
 *
 * A case counts only where its method reads the settings that the figure is grouped by
 * (harness/records/record.h), and problems of one name with different content are two
 * (harness/records/problem_name.h). In panels of precisions no error is asked for that is below 1e3 units of
 * round-off, rounded up to a power of ten: 1e-4 in f32. Where several records of one method and problem match, the
 * cheapest counts, and a note says so. */
#ifndef NB_PROFILE_H
#define NB_PROFILE_H

#include "harness/figures/plot.h"

enum { NB_PROFILE_LEAST = 8, NB_PROFILE_PENALTY = 10 };

/* Fills data for a figure with `input profile`: of each curve the columns share of problems, cost over
 * the best, cost [s or iterations]. */
enum nb_status nb_profile_fill(const struct nb_figure *figure, struct nb_plot_data *data, struct nb_error *error);

#endif
