/* Bootstrap intervals of 95 %. Of a ratio of medians the interval is exact: the distribution of the median over all
 * resamples follows from binomial probabilities of its order statistics, and that of the ratio from both
 * distributions. Of a geometric mean over pairs it comes from 2000 resamples with a fixed seed. */
#include "harness/report/bootstrap.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/record.h"
#include "problems/base/sorted.h"

enum { RESAMPLES = 2000 };

static const double tail = 0.025;

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The bias of the remainder is below count / 2^64. */
static const double *draw(uint64_t *state, const double *values, int count)
{
    return values + next(state) % (uint64_t)count;
}

static void interval_of_resamples(double *resample, struct nb_interval *interval)
{
    const int first = (int)(tail * RESAMPLES);
    nb_sort_doubles(resample, RESAMPLES);
    interval->low = resample[first];
    interval->high = resample[RESAMPLES - 1 - first];
}

/* All values that the median of a resample can have, ascending, with the share of resamples in each. */
struct medians {
    int count;
    struct share {
        double value, weight;
    } *share;
};

static int by_value(const void *a, const void *b)
{
    return nb_compare_doubles(&((const struct share *)a)->value, &((const struct share *)b)->value);
}

static double log_choose(int n, int k)
{
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

/* The share of resamples of n in which at least k of n draws fall on the first `rank` values. */
static double at_least(int n, int k, int rank)
{
    const double p = (double)rank / n;
    double sum = 0;
    if (rank <= 0 || rank >= n)
        return rank >= n;
    for (int i = k; i <= n; ++i)
        sum += exp(log_choose(n, i) + i * log(p) + (n - i) * log1p(-p));
    return sum;
}

/* log of (rank/n)^m - ((rank - 1)/n)^m: of m draws all fall on the first rank values, not all on one less. */
static double log_reaches(int n, int m, int rank)
{
    return m * log((double)rank / n) + log1p(-pow((rank - 1.0) / rank, m));
}

/* Ranks that a median has but in a share below 1e-20: ten standard deviations about the middle one, and so
 * far from one order statistic to the next. Of up to 25 values these are all. */
enum { FARTHEST_NEXT = 50 };

static int farthest_rank(int n)
{
    return 5 * (int)sqrt(n) + 1;
}

static void add_share(struct medians *medians, double value, double weight)
{
    medians->share[medians->count++] = (struct share){value, weight};
}

/* The order statistics of a resample of n values x_1 <= ... <= x_n: with m = ceil(n/2), its m-th is x_j where m
 * draws or more fall on x_1 ... x_j, but fewer on x_1 ... x_(j-1). Of even n the median is halfway to the next
 * one, x_k with k > j where just m draws fall below x_k, so that both halves are independent. */
static void add_order_statistic(struct medians *medians, const double *x, int n, int j)
{
    const int m = (n + 1) / 2, even = n % 2 == 0;
    const double below = log_choose(n, m) + log_reaches(n, m, j);
    double here = at_least(n, m, j) - at_least(n, m, j - 1);
    for (int k = j + 1; even && k <= n && k <= j + FARTHEST_NEXT; ++k) {
        const double weight = exp(below + log_reaches(n, m, n - k + 1));
        here -= weight;
        add_share(medians, (x[j - 1] + x[k - 1]) / 2, weight);
    }
    add_share(medians, x[j - 1], here);
}

static enum nb_status find_medians(const double *values, int n, struct medians *medians, struct nb_error *error)
{
    const int m = (n + 1) / 2, far = farthest_rank(n);
    double *x = malloc((size_t)n * sizeof *x);
    medians->count = 0;
    medians->share = malloc((2 * (size_t)far + 1) * (FARTHEST_NEXT + 1) * sizeof *medians->share);
    if (!x || !medians->share) {
        free(x);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the medians of %d values", n);
    }
    memcpy(x, values, (size_t)n * sizeof *x);
    nb_sort_doubles(x, n);
    for (int j = m > far ? m - far : 1; j <= n && j <= m + far; ++j)
        add_order_statistic(medians, x, n, j);
    qsort(medians->share, (size_t)medians->count, sizeof *medians->share, by_value);
    free(x);
    return NB_OK;
}

/* The share of pairs of resamples with a/b <= t, or with a/b >= t. */
static double share_of(const struct medians *a, const struct medians *b, double t, bool above)
{
    double sum = 0, weight = 0;
    for (int i = 0, j = 0; i < a->count; ++i) {
        const struct share *first = &a->share[above ? i : a->count - 1 - i];
        for (; j < b->count; ++j) {
            const struct share *second = &b->share[above ? j : b->count - 1 - j];
            const double ratio = first->value / second->value;
            if (above ? ratio < t : ratio > t)
                break;
            weight += second->weight;
        }
        sum += first->weight * weight;
    }
    return sum;
}

/* The smallest t that a share of tail does not exceed, or the largest that it reaches: a ratio a/b, to which the
 * halving of the range closes in as far as numbers do. */
static double quantile(const struct medians *a, const struct medians *b, bool above)
{
    const double least = a->share[0].value / b->share[b->count - 1].value;
    const double most = a->share[a->count - 1].value / b->share[0].value;
    double within = above ? least : most, outside = above ? most : least;
    if (share_of(a, b, outside, above) >= tail)
        return outside;
    for (double t = within + (outside - within) / 2; fmin(within, outside) < t && t < fmax(within, outside);
         t = within + (outside - within) / 2)
        *(share_of(a, b, t, above) >= tail ? &within : &outside) = t;
    return within;
}

enum nb_status nb_bootstrap_ratio(const double *a, int a_count, const double *b, int b_count,
                                  struct nb_interval *ratio, struct nb_error *error)
{
    struct medians of_a = {0}, of_b = {0};
    enum nb_status status = find_medians(a, a_count, &of_a, error);
    if (!status)
        status = find_medians(b, b_count, &of_b, error);
    if (!status)
        *ratio = (struct nb_interval){nb_median(a, a_count) / nb_median(b, b_count),
                                      quantile(&of_a, &of_b, false), quantile(&of_a, &of_b, true)};
    free(of_a.share);
    free(of_b.share);
    return status;
}

enum nb_status nb_bootstrap_mean(const double *values, int count, struct nb_interval *mean,
                                 struct nb_error *error)
{
    uint64_t state = 1;
    double sum = 0, *resample = malloc(RESAMPLES * sizeof *resample);
    if (!resample)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to resample %d values", count);
    for (int i = 0; i < count; ++i)
        sum += log(values[i]);
    for (int k = 0; k < RESAMPLES; ++k) {
        resample[k] = 0;
        for (int i = 0; i < count; ++i)
            resample[k] += log(*draw(&state, values, count));
        resample[k] = exp(resample[k] / count);
    }
    mean->value = exp(sum / count);
    interval_of_resamples(resample, mean);
    free(resample);
    return NB_OK;
}

cJSON *nb_interval_add(cJSON *object, const char *name, const struct nb_interval *interval)
{
    if (!isfinite(interval->value)) {
        cJSON_AddNullToObject(object, name);
        return NULL;
    }
    cJSON *added = cJSON_AddObjectToObject(object, name);
    nb_json_number(added, "value", interval->value);
    nb_json_number(added, "low", interval->low);
    nb_json_number(added, "high", interval->high);
    return added;
}
