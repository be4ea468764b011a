/* One number of one record. A trace is read with null as infinity, as what failed is written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"

/* The entries of a trace that count. */
struct entries {
    double *value;
    int count;
};

/* From the index `from` up to the first that is at most `until`, raised to `floor`; both may be NaN. */
static struct entries read_entries(const cJSON *array, int from, double until, double floor)
{
    struct entries entries = {malloc(((size_t)cJSON_GetArraySize(array) + 1) * sizeof(double)), 0};
    const cJSON *item = NULL;
    if (!entries.value)
        return entries;
    cJSON_ArrayForEach(item, array) {
        if (from-- > 0)
            continue;
        const double value = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;
        entries.value[entries.count++] = fmax(value, floor);
        if (value <= until)
            break;
    }
    return entries;
}

static double rise(const struct entries *entries)
{
    double product = 1;
    for (int i = 1; i < entries->count; ++i)
        if (entries->value[i] > entries->value[i - 1])
            product *= entries->value[i] / entries->value[i - 1];
    return product;
}

/* NaN where it never falls twice in a row. */
static double order(const struct entries *entries)
{
    double steepest = 1, result = NAN;
    for (int i = 2; i < entries->count; ++i) {
        const double before = entries->value[i - 1] / entries->value[i - 2];
        const double factor = entries->value[i] / entries->value[i - 1];
        if (factor > 0 && factor < steepest && before < 1) {
            steepest = factor;
            result = log(factor) / log(before);
        }
    }
    return result;
}

static double deviation(const struct entries *entries)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < entries->count; ++i)
        mean += entries->value[i] / entries->count;
    for (int i = 0; i < entries->count; ++i)
        sum += (entries->value[i] - mean) * (entries->value[i] - mean) / entries->count;
    return sqrt(sum) / mean;
}

static double extreme(const struct entries *entries, enum nb_claim_reduction reduction)
{
    const double first = entries->value[0];
    double least = first, largest = first, change = 0;
    for (int i = 1; i < entries->count; ++i) {
        least = fmin(least, entries->value[i]);
        largest = fmax(largest, entries->value[i]);
        change = fmax(change, fabs(entries->value[i] - first));
    }
    return reduction == NB_REDUCE_LEAST     ? least
           : reduction == NB_REDUCE_LARGEST ? largest
           : reduction == NB_REDUCE_CHANGE  ? change
                                            : largest / least;
}

/* An entry that is below and followed by one above has not got there: errors of the start may be small by chance. */
static double reached(const struct nb_claim *claim, const struct entries *entries)
{
    int count = entries->count;
    while (count > 0 && entries->value[count - 1] <= claim->until)
        --count;
    return count < entries->count ? claim->from + count : INFINITY;
}

static double reduce(const struct nb_claim *claim, const struct entries *entries, const struct nb_claim_value *value)
{
    if (!entries->count)
        return INFINITY; /* of a run that failed before its first iteration */
    const int last = entries->count - 1;
    switch (value->reduction) {
    case NB_REDUCE_NONE:
    case NB_REDUCE_LAST:
        return entries->value[last];
    case NB_REDUCE_FIRST:
        return entries->value[0];
    case NB_REDUCE_GROWTH:
        return entries->value[last] / entries->value[0];
    case NB_REDUCE_RISE:
        return rise(entries);
    case NB_REDUCE_ORDER:
        return order(entries);
    case NB_REDUCE_DEVIATION:
        return deviation(entries);
    case NB_REDUCE_REACHED:
        return reached(claim, entries);
    case NB_REDUCE_ENTRY:
        return entries->value[value->index < last ? value->index : last];
    default:
        return extreme(entries, value->reduction);
    }
}

/* A number of the record itself. */
static double member_of(const cJSON *record, const char *name)
{
    const char *dot = strchr(name, '.');
    char outer[64];
    snprintf(outer, sizeof outer, "%.*s", (int)(dot ? dot - name : 0), name);
    const cJSON *member = dot ? nb_json_path(record, outer, dot + 1) : cJSON_GetObjectItemCaseSensitive(record, name);
    return cJSON_IsNumber(member) ? member->valuedouble : cJSON_IsNull(member) ? INFINITY : NAN;
}

/* The cost of a run that could not, or did not, get there is infinite. */
static double cost(const cJSON *record, const char *name, double accuracy)
{
    struct nb_outcome outcome;
    if (!cJSON_GetObjectItemCaseSensitive(record, "trace"))
        return NAN;
    nb_outcome_read(record, accuracy, &outcome);
    if (!strcmp(name, "time"))
        return nb_outcome_time(&outcome);
    if (!strcmp(name, "whole_time"))
        return nb_outcome_time(&outcome) + member_of(record, "times.setup");
    return outcome.iterations ? outcome.iterations : INFINITY;
}

bool nb_claim_is_cost(const struct nb_claim_value *value)
{
    return !strcmp(value->name, "time") || !strcmp(value->name, "whole_time") || !strcmp(value->name, "iterations");
}

/* The times of a run that came to no end do not count; its trace until then does, as it shows what the method did. */
static bool is_no_time(const cJSON *record, const char *name)
{
    return !strncmp(name, "times.", strlen("times.")) && nb_outcome_failed_to_run(record);
}

double nb_claim_value_of(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value)
{
    const char *name = value->name;
    if (is_no_time(record, name))
        return INFINITY;
    if (!isnan(claim->accuracy) && nb_claim_is_cost(value))
        return cost(record, name, claim->accuracy);
    const double number = value->reduction == NB_REDUCE_NONE ? member_of(record, name) : NAN;
    if (!isnan(number) || strchr(name, '.'))
        return isnan(number) ? number : fmax(number, claim->floor);
    const cJSON *trace = cJSON_GetObjectItemCaseSensitive(record, "trace");
    const cJSON *array = nb_json_path(record, "trace", strcmp(name, "error") ? name : nb_outcome_metric(record));
    if (!cJSON_IsArray(array))
        return cJSON_IsObject(trace) && !trace->child ? INFINITY : NAN;
    const double until = value->reduction == NB_REDUCE_REACHED ? NAN : claim->until;
    const struct entries entries = read_entries(array, claim->from, until, claim->floor);
    const double result = entries.value ? reduce(claim, &entries, value) : NAN;
    free(entries.value);
    return result;
}
