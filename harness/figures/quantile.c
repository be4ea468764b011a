#include "harness/figures/quantile.h"
#include "problems/base/sorted.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The traces of one panel. */
struct traces {
    int count, width, points;      /* width: columns of the figure; points: of the longest     */
    const cJSON **record;          /* [count]                                                  */
    double *value;                 /* [points x count], one column of all traces               */
};

static const cJSON *column_of(const cJSON *record, const struct nb_column *column)
{
    const cJSON *trace = cJSON_GetObjectItemCaseSensitive(record, "trace");
    return cJSON_GetObjectItemCaseSensitive(trace, column->name);
}

/* Each record of the panel with all columns. */
static enum nb_status collect(const struct nb_figure *figure, const cJSON *records,
                              const char *variant, const char *panel, struct traces *traces,
                              struct nb_error *error)
{
    const cJSON *record = NULL;
    traces->width = figure->column_count;
    traces->record = calloc((size_t)cJSON_GetArraySize(records) + 1, sizeof *traces->record);
    if (!traces->record)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of %s", figure->name);
    cJSON_ArrayForEach(record, records) {
        const int points = nb_plot_points(figure, record);
        if (!points || !nb_plot_belongs(figure, variant, panel, "", record))
            continue;
        traces->record[traces->count++] = record;
        traces->points = points > traces->points ? points : traces->points;
    }
    return NB_OK;
}

/* One column of all traces; a trace that ends early keeps its last value. */
static void read_column(const struct nb_column *column, struct traces *traces)
{
    for (int i = 0; i < traces->count; ++i) {
        const cJSON *values = column_of(traces->record[i], column), *item = values->child;
        const double start = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;
        double last = INFINITY;
        for (int k = 0; k < traces->points; ++k) {
            if (item) {
                last = cJSON_IsNumber(item) ? item->valuedouble : INFINITY;
                last = column->drop ? start - last : last;
                item = item->next;
            }
            traces->value[k * traces->count + i] = last;
        }
    }
}

static double quantile(const double *sorted, int count, double share)
{
    const int rank = (int)ceil(share * count) - 1;
    return sorted[rank < 0 ? 0 : rank];
}

/* Column k of all curves of the panel; that of x is the longest trace's. */
static void fill_column(const struct nb_figure *figure, struct traces *traces, int k,
                        struct nb_series *series, const double *share, int curves)
{
    read_column(&figure->columns[k], traces);
    for (int i = 0; i < traces->points; ++i) {
        double *sorted = traces->value + i * traces->count;
        nb_sort_doubles(sorted, traces->count);
        for (int c = 0; c < curves; ++c)
            series[c].value[i * traces->width + k] =
                k == 0 ? sorted[traces->count - 1] : quantile(sorted, traces->count, share[c]);
    }
}

static void drop_early(double from, int width, struct nb_series *series)
{
    int skipped = 0;
    while (skipped < series->points && series->value[skipped * width] < from)
        ++skipped;
    series->points -= skipped;
    memmove(series->value, series->value + skipped * width,
            (size_t)(series->points * width) * sizeof *series->value);
}

static enum nb_status fill_panel(const struct nb_figure *figure, struct traces *traces,
                                 struct nb_series *series, const double *share, int curves,
                                 struct nb_error *error)
{
    const size_t points = (size_t)traces->points;
    for (int c = 0; c < curves; ++c) {
        for (int k = 0; k < NB_FLOOR_KINDS; ++k)
            series[c].floor[k] = NAN;
        series[c].points = traces->points;
        series[c].value = calloc(points * (size_t)traces->width + 1, sizeof *series[c].value);
        if (!series[c].value)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d points", traces->points);
    }
    traces->value = calloc(points * (size_t)traces->count + 1, sizeof *traces->value);
    if (!traces->value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d traces", traces->count);
    for (int k = 0; k < traces->width && traces->count; ++k)
        fill_column(figure, traces, k, series, share, curves);
    for (int c = 0; c < curves; ++c)
        drop_early(figure->from, traces->width, &series[c]);
    snprintf(series[0].note, sizeof series[0].note, "quantiles of %d records", traces->count);
    return NB_OK;
}

static enum nb_status read_shares(const struct nb_figure *figure, double *share,
                                  struct nb_error *error)
{
    const struct nb_words *words = &figure->curves.first;
    if (strcmp(figure->curves.name, "quantile") || words->count == 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: input quantiles needs "
                       "'#: curves quantile: Q Q ...'", figure->name);
    for (int c = 0; c < words->count; ++c) {
        char *end = NULL;
        share[c] = strtod(words->word[c], &end);
        if (*end || !(share[c] >= 0) || !(share[c] <= 1))
            return nb_fail(error, NB_BAD_INPUT, "%s: a quantile must be 0 to 1, not %s",
                           figure->name, words->word[c]);
    }
    return NB_OK;
}

enum nb_status nb_quantile_select(const struct nb_figure *figure, const cJSON *records,
                                  const char *variant, struct nb_plot_data *data, int *drawn,
                                  struct nb_error *error)
{
    struct nb_figure all = *figure; /* of any curve: a record belongs to every quantile */
    double share[NB_PLOT_WORDS];
    const int curves = figure->curves.first.count;
    *drawn = 0;
    memset(data, 0, sizeof *data);
    memset(&all.curves, 0, sizeof all.curves);
    enum nb_status status = read_shares(figure, share, error);
    if (!status)
        status = nb_plot_lay_out(&all, records, variant, data, error);
    if (status)
        return status;
    free(data->series);
    data->curves = figure->curves.first;
    for (int c = 0; c < curves; ++c)
        data->slot[c] = c + 1;
    data->series = calloc((size_t)(data->panels.count * curves) + 1, sizeof *data->series);
    if (!data->series)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the curves of %s", figure->name);
    for (int p = 0; p < data->panels.count && !status; ++p) {
        struct traces traces = {0};
        status = collect(&all, records, variant, data->panels.word[p], &traces, error);
        if (!status)
            status = fill_panel(figure, &traces, &data->series[p * curves], share, curves, error);
        *drawn += traces.count;
        free(traces.record);
        free(traces.value);
    }
    if (status)
        nb_plot_data_free(data);
    return status;
}
