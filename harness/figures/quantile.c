/* Quantiles over the traces of many records, by the nearest rank. Of each panel all traces are read as a curve
 * would be; at each point and in each column their values are sorted, and the curve of q takes the value at
 * rank ceil(q n) of n. */
#include "harness/figures/quantile.h"
#include "problems/base/sorted.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The traces of one panel. */
struct traces {
    int count, points;       /* points: of the longest */
    struct nb_series *trace; /* [count]                */
    double *sorted;          /* [count]                */
};

/* From the start on, so that one that ends before the figure's smallest x keeps its last value there. */
static enum nb_status read_traces(const struct nb_figure *figure, const cJSON *records, const char *variant,
                                  const char *panel, struct traces *traces, struct nb_error *error)
{
    const size_t most = (size_t)cJSON_GetArraySize(records) + 1;
    struct nb_figure whole = *figure;
    enum nb_status status = NB_OK;
    const cJSON *record = NULL;
    whole.from = -INFINITY;
    traces->trace = calloc(most, sizeof *traces->trace);
    traces->sorted = calloc(most, sizeof *traces->sorted);
    if (!traces->trace || !traces->sorted)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of %s", figure->name);
    cJSON_ArrayForEach(record, records) {
        struct nb_series *trace = &traces->trace[traces->count];
        if (status || !nb_plot_points(figure, record) || !nb_plot_belongs(figure, variant, panel, "", record))
            continue;
        status = nb_plot_read(&whole, record, trace, error);
        traces->points = trace->points > traces->points ? trace->points : traces->points;
        ++traces->count;
    }
    return status;
}

static void free_traces(struct traces *traces)
{
    for (int i = 0; i < traces->count; ++i)
        free(traces->trace[i].value);
    free(traces->trace);
    free(traces->sorted);
}

/* The values of all traces there: of one that ended, its last; what is not a number counts as infinite. */
static void sort_values(struct traces *traces, int width, int point, int column)
{
    for (int i = 0; i < traces->count; ++i) {
        const struct nb_series *trace = &traces->trace[i];
        const int row = point < trace->points ? point : trace->points - 1;
        const double value = trace->value[row * width + column];
        traces->sorted[i] = isnan(value) ? INFINITY : value;
    }
    nb_sort_doubles(traces->sorted, traces->count);
}

/* share [curves]; series [curves]. x is the longest trace's. */
static enum nb_status fill_panel(const struct nb_figure *figure, struct traces *traces,
                                 struct nb_series *series, const double *share, struct nb_error *error)
{
    const int width = figure->column_count, curves = figure->curves.first.count;
    for (int c = 0; c < curves; ++c) {
        series[c].points = traces->points;
        series[c].value = calloc((size_t)(traces->points * width) + 1, sizeof *series[c].value);
        if (!series[c].value)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d points", traces->points);
    }
    for (int i = 0; i < traces->points * width; ++i) {
        sort_values(traces, width, i / width, i % width);
        for (int c = 0; c < curves; ++c) {
            const int rank = i % width ? (int)ceil(share[c] * traces->count) : traces->count;
            series[c].value[i] = traces->sorted[rank < 1 ? 0 : rank - 1];
        }
    }
    for (int c = 0; c < curves; ++c)
        nb_plot_drop_early(figure, &series[c]);
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

enum nb_status nb_quantile_fill(const struct nb_figure *figure, const cJSON *records, const char *variant,
                                struct nb_plot_data *data, struct nb_error *error)
{
    double share[NB_PLOT_WORDS];
    enum nb_status status = read_shares(figure, share, error);
    for (int p = 0; p < data->panels.count && !status; ++p) {
        struct traces traces = {0};
        status = read_traces(figure, records, variant, data->panels.word[p], &traces, error);
        if (!status)
            status = fill_panel(figure, &traces, &data->series[p * data->curves.count], share, error);
        free_traces(&traces);
    }
    return status;
}
