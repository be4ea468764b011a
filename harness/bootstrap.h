/* Bootstrap confidence intervals (Efron and Tibshirani 1993): percentile intervals of 95 % from
 * resamples with replacement, drawn by a generator of fixed seed, so that the same numbers give the
 * same interval. */
#ifndef NB_BOOTSTRAP_H
#define NB_BOOTSTRAP_H

#include "solvers/status.h"

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

#endif
