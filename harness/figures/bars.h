/* Bars: one number of every method on every problem, with its spread.
 *
 * A figure with `input bars` shows for each panel and curve the median and the quartiles of its `cost`: `time` or
 * `iterations` until the tolerance is reached (harness/records/outcome.h), or a number of the record: a member of its
 * errors, `setup`, `peak_memory`, or OUTER.INNER. Of one record the times are those of its repetitions; of several, as
 * where a panel holds many problems, each record is one value. A record that does not get there, has no such number, or
 * is of a run that came to no end, counts as infinite, as of quantiles; where the median is, there is no bar but the
 * ending of the records. Quartiles are interpolated linearly between values.
 *
 * Cases whose method does not read the setting of curves, panels or each are left out, as of profiles. */
#ifndef NB_BARS_H
#define NB_BARS_H

#include "harness/figures/plot.h"

/* Quantiles over problems: how the traces of many problems are distributed at each x.
 *
 * A figure with `input quantiles` has `curves quantile: 0.25 0.5 0.75`. For each of its panels,
 * every record that passes the filters counts once (of equal keys the last), and the curve of q
 * shows, at each x, the smallest value that at least a share q of the records does not exceed: a
 * value that some record has. A trace that ends early keeps its last value; what is not a number
 * counts as infinite. */

/* Fills the panels' series. */
enum nb_status nb_quantile_fill(const struct nb_figure *figure, struct nb_plot_data *data, struct nb_error *error);

/* Whether the cost is one of reaching the tolerance. */
bool nb_bars_to_tolerance(const struct nb_figure *figure);

/* The number of that name in a record; NULL: it has none. */
const struct cJSON *nb_bars_number(const struct cJSON *record, const char *name);

/* Fills data with the columns: how many records there are, median, lower and upper quartile (NaN: infinite); and
 * summaries: why there is no bar, or how many of the records did not get there. */
enum nb_status nb_bars_fill(const struct nb_figure *figure, struct nb_plot_data *data, struct nb_error *error);

#endif
