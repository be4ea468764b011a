#include "harness/bootstrap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case_record.h"

enum { RESAMPLES = 2000, TAIL = RESAMPLES / 40 };

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

static double median(const double *values, int count, double *room)
{
    memcpy(room, values, (size_t)count * sizeof *room);
    return nb_median_sorting(room, count);
}

static double resampled_median(uint64_t *state, const double *values, int count, double *room)
{
    for (int i = 0; i < count; ++i)
        room[i] = *draw(state, values, count);
    return nb_median_sorting(room, count);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_interval(double *resample, struct nb_interval *interval)
{
    qsort(resample, RESAMPLES, sizeof *resample, ascending);
    interval->low = resample[TAIL];
    interval->high = resample[RESAMPLES - 1 - TAIL];
}

enum nb_status nb_bootstrap_ratio(const double *a, int a_count, const double *b, int b_count,
                                  struct nb_interval *ratio, struct nb_error *error)
{
    const int most = a_count > b_count ? a_count : b_count;
    uint64_t state = 1;
    double *resample = malloc((RESAMPLES + (size_t)most) * sizeof *resample);
    if (!resample)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to resample %d times", most);
    for (int k = 0; k < RESAMPLES; ++k) {
        const double first = resampled_median(&state, a, a_count, resample + RESAMPLES);
        resample[k] = first / resampled_median(&state, b, b_count, resample + RESAMPLES);
    }
    ratio->value = median(a, a_count, resample + RESAMPLES) / median(b, b_count, resample + RESAMPLES);
    take_interval(resample, ratio);
    free(resample);
    return NB_OK;
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
    take_interval(resample, mean);
    free(resample);
    return NB_OK;
}
