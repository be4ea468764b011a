/* Quantiles over problems: how the traces of many problems are distributed at each x.
 *
 * A figure with `input quantiles` has `curves quantile: 0.25 0.5 0.75`. For each of its panels,
 * every record that passes the filters counts once (of equal keys the last), and the curve of q
 * shows, at each x, the smallest value that at least a share q of the records does not exceed: a
 * value that some record has. A trace that ends early keeps its last value; what is not a number
 * counts as infinite. */
#ifndef NB_QUANTILE_H
#define NB_QUANTILE_H

#include "harness/figures/plot.h"

/* Fills the panels' series. */
enum nb_status nb_quantile_fill(const struct nb_figure *figure, const struct cJSON *records, const char *variant,
                                struct nb_plot_data *data, struct nb_error *error);

#endif
