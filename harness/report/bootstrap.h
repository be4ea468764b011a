/* Bootstrap confidence intervals (Efron and Tibshirani 1993): percentile intervals of 95 %.
 *
 * That of a ratio of medians is exact: a resample's median is one of the values, or halfway between two, and
 * how many of all resamples have it is known (Efron 1979; Hutson and Ernst 2000), so that none is drawn. Its ends
 * are the smallest ratio that a share of 2.5 % of all pairs of resamples does not exceed, and the largest that
 * 2.5 % reach. Of 5 values each and equal spread that is the distribution-free interval that inverts
 * Mann and Whitney's test; of few values and unlike spread it covers less than 95 % (docs/guide/sweeps.md).
 *
 * That of a geometric mean is from resamples with replacement, drawn by a generator of fixed seed, so that the
 * same numbers give the same interval. */
#ifndef NB_BOOTSTRAP_H
#define NB_BOOTSTRAP_H

#include <cJSON.h>

#include "problems/base/status.h"

struct nb_interval {
    double value, low, high;
};

/* median(a)/median(b) of positive samples a [a_count], b [b_count], both counts at least 1. */
enum nb_status nb_bootstrap_ratio(const double *a, int a_count, const double *b, int b_count,
                                  struct nb_interval *ratio, struct nb_error *error);

/* The geometric mean of positive values [count], count at least 1, resampled as a whole: how much it
 * would vary over other problems of the same kind. */
enum nb_status nb_bootstrap_mean(const double *values, int count, struct nb_interval *mean,
                                 struct nb_error *error);

/* Adds it to a JSON object: an object of value, low and high, each null where it is not known, which is returned; null
 * where the value is not known, and NULL is returned. */
cJSON *nb_interval_add(cJSON *object, const char *name, const struct nb_interval *interval);

#endif
