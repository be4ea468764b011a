/* Statistics of records as functions of SQL:
 *
 *     median(x)                      as of repetitions (nb_median)
 *     quantile(x, q)                 the smallest value that at least the share q of the values does not exceed
 *     shifted_geomean(x, s)          exp(mean log(x + s)) - s; geomean(x): s = 0
 *     geomean_low(x, group)          ends of the 95 % interval of the geometric mean over the groups of that in each,
 *     geomean_high(x, group)         from resamples of whole groups (nb_interval_mean)
 *
 * NULL is left out; of nothing the answer is NULL. */
#ifndef NB_STATISTICS_H
#define NB_STATISTICS_H

struct sqlite3;

/* What sqlite3_create_function says; 0: all are there. */
int nb_statistics_add(struct sqlite3 *db);

/* Their names, ended by NULL. */
extern const char *const nb_statistics_names[];

#endif
