/* Intervals of 95 %.
 *
 * That of a ratio of times is the one that inverts the rank test of Mann and Whitney: the value is the median of all
 * ratios of a time of A to one of B (Hodges and Lehmann 1963), and the ends are those of the ratios at which the test
 * would just not reject. It needs no distribution, and of five values each it misses in 3.2 % where both are spread
 * alike. The values have to be independent: one for each process (docs/guide/sweeps.md).
 *
 * That of a geometric mean is from resamples in two stages: of the groups of values that belong together, as all pairs
 * on one problem, whole groups are drawn with replacement, and each that is drawn is moved by its own error, as
 * Student's distribution has it: resampling a handful of processes would be too narrow. The generator's seed is fixed,
 * so that the same numbers give the same interval. */
#ifndef NB_INTERVAL_H
#define NB_INTERVAL_H

#include <cJSON.h>

struct nb_interval {
    double value, low, high;
};

/* a over b, of positive samples a [a_count], b [b_count], both counts from 1 to NB_OUTCOME_REPETITIONS. */
struct nb_interval nb_interval_ratio(const double *a, int a_count, const double *b, int b_count);

/* Adds to a ratio's interval, whose values are independent of it, a normal error of its logarithm. */
void nb_interval_widen(struct nb_interval *ratio, double deviation);

/* A ratio that a mean is of. */
struct nb_effect {
    double logarithm;
    double error; /* its standard error, 0: it is exact */
    int degrees;  /* of freedom of that; at least 1 */
    int group;
};

/* What a ratio with its interval, of so many values of A and B, is to a mean. */
struct nb_effect nb_interval_effect(const struct nb_interval *ratio, int a_count, int b_count, int group);

/* The geometric mean over the groups of the geometric mean in each; count at least 1. effect is sorted by group. */
struct nb_interval nb_interval_mean(struct nb_effect *effect, int count);

/* The chance that of `count` trials at least `least` succeed, each with that probability. */
double nb_binomial_tail(int count, int least, double probability);

/* Adds it to a JSON object: an object of value, low and high, each null where it is not known, which is returned; null
 * where the value is not known, and NULL is returned. */
cJSON *nb_interval_add(cJSON *object, const char *name, const struct nb_interval *interval);

#endif
