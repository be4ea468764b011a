/* Intervals of 95 % (harness/records/interval.h). The ranks at which Mann and Whitney's test just does not reject
 * follow from the exact distribution of U, of many values from its normal limit. The mean over groups comes from 2000
 * resamples with a fixed seed. */
#include "harness/records/interval.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "problems/base/random.h"
#include "problems/base/sorted.h"

enum { RESAMPLES = 2000,
       EXACT_MOST = 400, /* pairs, beyond which U is as good as normal */
       EXACT_FEWER = 20 /* values on the side of fewer, of so many pairs */ };

static const double tail = 0.025, normal_quantile = 1.959963984540054;

/* In (0, 1): never 0, of which there is no logarithm. */
static double uniform(uint64_t *state) { return nb_random(state) + 0x1p-54; }

/* Bailey's polar method (1994). */
static double student(uint64_t *state, int degrees)
{
    const double radius = sqrt(degrees * expm1(-2.0 / degrees * log(uniform(state))));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* Student's quantile of 97.5 % by Cornish and Fisher's expansion: right to three digits from 4 degrees on. */
static double student_quantile(int degrees)
{
    const double z = normal_quantile, z2 = z * z, v = degrees;
    return z + z * (z2 + 1) / (4 * v) + z * (z2 * (5 * z2 + 16) + 3) / (96 * v * v) +
           z * (z2 * (z2 * (3 * z2 + 19) + 17) - 15) / (384 * v * v * v);
}

/* The number of arrangements of a A's and b B's with U = u, B's before A's, into ways [a + 1][a b + 1]; ways[a] is
 * what is asked for. */
static void count_arrangements(int a, int b, double *ways)
{
    const int width = a * b + 1;
    ways[0] = 1;
    for (int place = 0; place < a + b; ++place)
        for (int j = a - 1 < place ? a - 1 : place; j >= 0; --j) {
            const int before = place - j; /* B's */
            for (int u = 0; before <= b && u + before < width; ++u)
                ways[(j + 1) * width + u + before] += ways[j * width + u];
        }
}

/* The least U, from 0, that at most this share of arrangements do not exceed: so many ratios lie outside each end. */
static int find_rank(int a, int b)
{
    const double pairs = (double)a * b;
    if (pairs > EXACT_MOST) {
        const int rank = (int)ceil(pairs / 2 - normal_quantile * sqrt(pairs * (a + b + 1) / 12)) - 1;
        return rank > 0 ? rank : 0;
    }
    const int fewer = a < b ? a : b, more = a < b ? b : a; /* U has the same distribution either way */
    double ways[(EXACT_FEWER + 1) * (EXACT_MOST + 1)], all = 0, sum = 0;
    const double *of_all = ways + (size_t)fewer * (size_t)(a * b + 1);
    int rank = 0;
    memset(ways, 0, (size_t)(fewer + 1) * (size_t)(a * b + 1) * sizeof *ways);
    count_arrangements(fewer, more, ways);
    for (int u = 0; u <= a * b; ++u)
        all += of_all[u];
    while ((sum += of_all[rank]) <= tail * all)
        ++rank;
    return rank;
}

struct nb_interval nb_interval_ratio(const double *a, int a_count, const double *b, int b_count)
{
    const int count = a_count * b_count, rank = find_rank(a_count, b_count), first = rank > 0 ? rank - 1 : 0;
    double ratios[NB_OUTCOME_REPETITIONS * NB_OUTCOME_REPETITIONS];
    for (int i = 0; i < count; ++i)
        ratios[i] = a[i / b_count] / b[i % b_count];
    const double median = nb_median_sorting(ratios, count);
    return (struct nb_interval){median, ratios[first], ratios[count - 1 - first]};
}

void nb_interval_widen(struct nb_interval *ratio, double deviation)
{
    const double more = normal_quantile * deviation;
    if (!(more > 0))
        return;
    ratio->low = ratio->value * exp(-hypot(log(ratio->value / ratio->low), more));
    ratio->high = ratio->value * exp(hypot(log(ratio->high / ratio->value), more));
}

struct nb_effect nb_interval_effect(const struct nb_interval *ratio, int a_count, int b_count, int group)
{
    const int degrees = a_count + b_count > 3 ? a_count + b_count - 2 : 1;
    return (struct nb_effect){log(ratio->value), log(ratio->high / ratio->low) / 2 / student_quantile(degrees), degrees,
                              group};
}

static int by_group(const void *a, const void *b)
{
    const struct nb_effect *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

/* One of each group, in its place: the mean, its standard error, the least degrees of freedom; how many. */
static int merge_groups(struct nb_effect *effect, int count)
{
    int groups = 0;
    qsort(effect, (size_t)count, sizeof *effect, by_group);
    for (int i = 0, end; i < count; i = end) {
        struct nb_effect sum = {.degrees = effect[i].degrees, .group = effect[i].group};
        for (end = i; end < count && effect[end].group == sum.group; ++end) {
            sum.logarithm += effect[end].logarithm;
            sum.error = hypot(sum.error, effect[end].error);
            sum.degrees = effect[end].degrees < sum.degrees ? effect[end].degrees : sum.degrees;
        }
        sum.logarithm /= end - i;
        sum.error /= end - i;
        effect[groups++] = sum;
    }
    return groups;
}

/* The mean of one resample. */
static double draw_mean(uint64_t *state, const struct nb_effect *effect, int groups)
{
    double sum = 0;
    for (int i = 0; i < groups; ++i) { /* the bias of the remainder is below groups / 2^64 */
        const struct nb_effect *drawn = effect + nb_random_bits(state) % (uint64_t)groups;
        sum += drawn->logarithm + (drawn->error > 0 ? drawn->error * student(state, drawn->degrees) : 0);
    }
    return exp(sum / groups);
}

struct nb_interval nb_interval_mean(struct nb_effect *effect, int count)
{
    const int groups = merge_groups(effect, count), first = (int)(tail * RESAMPLES);
    uint64_t state = 1;
    double sum = 0, resample[RESAMPLES];
    for (int i = 0; i < groups; ++i)
        sum += effect[i].logarithm;
    for (int k = 0; k < RESAMPLES; ++k)
        resample[k] = draw_mean(&state, effect, groups);
    nb_sort_doubles(resample, RESAMPLES);
    return (struct nb_interval){exp(sum / groups), resample[first], resample[RESAMPLES - 1 - first]};
}

double nb_binomial_tail(int count, int least, double probability)
{
    double sum = 0;
    for (int k = least; k <= count; ++k)
        sum += exp(lgamma(count + 1.0) - lgamma(k + 1.0) - lgamma(count - k + 1.0) + k * log(probability) +
                   (count - k) * log1p(-probability));
    return sum;
}

cJSON *nb_interval_add(cJSON *object, const char *name, const struct nb_interval *interval)
{
    if (!isfinite(interval->value)) {
        cJSON_AddNullToObject(object, name);
        return NULL;
    }
    cJSON *added = cJSON_AddObjectToObject(object, name);
    NB_JSON_ADD(added, "value", interval->value, "low", interval->low, "high", interval->high);
    return added;
}
