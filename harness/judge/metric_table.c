/* The table of metrics as data: what harness/judge/metrics.h lists by rows, for whoever writes or reads them all. */
#include <math.h>
#include <string.h>

#include "harness/judge/metrics.h"

const struct nb_metric nb_metrics[NB_METRICS] = {
#define DESCRIBE(name, unit, scope, place, shown, column, meaning) \
    {#name, unit, meaning, offsetof(struct nb_metrics, name), NB_METRIC_OF_##scope, place, shown, column},
    NB_METRIC_ROWS(DESCRIBE)
};

double nb_metric_value(const struct nb_metrics *metrics, int index)
{
    double value;
    memcpy(&value, (const char *)metrics + nb_metrics[index].offset, sizeof value);
    return value;
}

const struct nb_metric *nb_metric_at(int index)
{
    return index >= 0 && index < NB_METRICS ? &nb_metrics[index] : NULL;
}

struct nb_metrics nb_metrics_unknown(void)
{
    struct nb_metrics metrics;
    const double unknown = NAN;
    for (int i = 0; i < NB_METRICS; ++i)
        memcpy((char *)&metrics + nb_metrics[i].offset, &unknown, sizeof unknown);
    return metrics;
}

int nb_metric_traced(enum nb_metric_scope scope, int place)
{
    int index = 0;
    while (index < NB_METRICS && (nb_metrics[index].scope != scope || nb_metrics[index].place != place))
        ++index;
    return index < NB_METRICS ? index : -1;
}
