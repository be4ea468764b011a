/* Medians and quartiles of a number for every panel and curve (harness/figures/bars.h): the values of a place are
 * collected, failures as infinities, and sorted. */
#include "harness/figures/bars.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "problems/base/numbers.h"
#include "problems/base/sorted.h"

/* Quantiles over the traces of many records, by the nearest rank. Of each panel all traces are read as a curve
 * would be; at each point and in each column their values are sorted, and the curve of q takes the value at
 * rank ceil(q n) of n. */

/* The traces of one panel. */
struct traces {
    int count, points;       /* points: of the longest */
    struct nb_series *trace; /* [count]                */
    double *sorted;          /* [count]                */
};

/* From the start on, so that one that ends before the figure's smallest x keeps its last value there. */
static enum nb_status read_traces(const struct nb_figure *figure, const struct nb_plot_data *data, int panel,
                                  struct traces *traces, struct nb_error *error)
{
    const size_t most = (size_t)data->places + 1;
    struct nb_figure whole = *figure;
    enum nb_status status = NB_OK;
    whole.from = -INFINITY;
    traces->trace = calloc(most, sizeof *traces->trace);
    traces->sorted = calloc(most, sizeof *traces->sorted);
    if (!traces->trace || !traces->sorted)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of %s", figure->name);
    for (int i = 0; i < data->places && !status; ++i) {
        struct nb_series *trace = &traces->trace[traces->count];
        if (data->place[i].panel != panel || !nb_plot_points(figure, data->place[i].record))
            continue;
        status = nb_plot_read(&whole, data->place[i].record, trace, error);
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
        if (!nb_read_decimal(words->word[c], &share[c]) || !(share[c] >= 0) || !(share[c] <= 1))
            return nb_fail(error, NB_BAD_INPUT, "%s: a quantile must be 0 to 1, not %s",
                           figure->name, words->word[c]);
    }
    return NB_OK;
}

enum nb_status nb_quantile_fill(const struct nb_figure *figure, struct nb_plot_data *data, struct nb_error *error)
{
    double share[NB_PLOT_WORDS];
    enum nb_status status = read_shares(figure, share, error);
    for (int p = 0; p < data->panels.count && !status; ++p) {
        struct traces traces = {0};
        status = read_traces(figure, data, p, &traces, error);
        status = status ? status : fill_panel(figure, &traces, &data->series[p * data->curves.count], share, error);
        free_traces(&traces);
    }
    return status;
}

enum { COLUMNS = 4 };

/* The values of one bar. */
struct values {
    double *value;
    int count, room;
    int records, failed;      /* records, and those of them without a finite value */
    char ending[NB_PLOT_NAME]; /* of those that failed; "failed" where they differ   */
};

bool nb_bars_to_tolerance(const struct nb_figure *figure)
{
    return !strcmp(figure->cost, "time") || !strcmp(figure->cost, "iterations");
}

const cJSON *nb_bars_number(const cJSON *record, const char *name)
{
    char outer[NB_PLOT_NAME];
    const char *dot = strchr(name, '.');
    const cJSON *item = nb_json_path(record, "errors", name);
    snprintf(outer, sizeof outer, "%.*s", (int)strcspn(name, "."), name);
    if (dot)
        item = nb_json_path(record, outer, dot + 1);
    else if (!strcmp(name, "setup"))
        item = nb_json_path(record, "times", name);
    else if (!item)
        item = nb_json_member(record, name);
    return cJSON_IsNumber(item) ? item : NULL;
}

/* The one value of the whole record; infinite if it has none. */
static double value_of(const struct nb_figure *figure, const cJSON *record)
{
    struct nb_outcome outcome;
    if (!nb_bars_to_tolerance(figure)) {
        const cJSON *number = nb_bars_number(record, figure->cost);
        return number && isfinite(number->valuedouble) && !nb_outcome_failed_to_run(record) ? number->valuedouble
                                                                                            : INFINITY;
    }
    nb_outcome_read(record, nb_outcome_tolerance(record, figure->tolerance), &outcome);
    if (nb_plot_counts_iterations(figure))
        return outcome.iterations ? outcome.iterations : INFINITY;
    return nb_outcome_time(&outcome);
}

static bool add_value(struct values *values, double value)
{
    if (!NB_GROW(values->value, values->count, &values->room))
        return false;
    values->value[values->count++] = value;
    return true;
}

/* Why a record has no value: how it ended, or that it got there, and was not timed. */
static void write_ending(const struct nb_figure *figure, const cJSON *record, char *text)
{
    struct nb_outcome outcome;
    nb_outcome_read(record, nb_outcome_tolerance(record, figure->tolerance), &outcome);
    if (!strcmp(figure->cost, "time") && outcome.iterations && !nb_outcome_failed_to_run(record))
        strcpy(text, "not timed");
    else
        nb_record_text(record, "ending", text, NB_PLOT_NAME);
}

static bool add_record(const struct nb_figure *figure, const cJSON *record, struct values *values)
{
    const double value = value_of(figure, record);
    char ending[NB_PLOT_NAME];
    values->records++;
    if (isinf(value)) {
        write_ending(figure, record, ending);
        strcpy(values->ending, values->failed && strcmp(values->ending, ending) ? "failed" : ending);
        values->failed++;
    }
    return add_value(values, value);
}

/* A single record that was timed has a value for each repetition instead. */
static bool spread_repetitions(const struct nb_figure *figure, const cJSON *record, struct values *values)
{
    struct nb_outcome outcome;
    double seconds[NB_OUTCOME_REPETITIONS];
    bool fine = true;
    if (strcmp(figure->cost, "time") || values->records != 1 || values->failed)
        return true;
    nb_outcome_read(record, nb_outcome_tolerance(record, figure->tolerance), &outcome);
    const int count = nb_outcome_times(&outcome, seconds);
    values->count = 0;
    for (int i = 0; i < count && fine; ++i)
        fine = add_value(values, seconds[i]);
    return fine;
}

/* The value below which a share lies; between an infinite and a finite one it is infinite. */
static double quantile(const struct values *values, double share)
{
    const double place = share * (values->count - 1);
    const int below = (int)place;
    const double low = values->value[below], rest = place - below;
    return rest > 0 && isfinite(low) ? low + rest * (values->value[below + 1] - low) : low;
}

static double finite_or_nan(double value)
{
    return isfinite(value) ? value : NAN;
}

static void write_words(const struct values *values, struct nb_series *series)
{
    const bool none = !values->count || isinf(quantile(values, 0.5));
    if (!values->records)
        snprintf(series->summary, sizeof series->summary, "not run");
    else if (none && values->failed == values->records)
        snprintf(series->summary, sizeof series->summary, "%.60s", values->ending);
    else if (values->failed)
        snprintf(series->summary, sizeof series->summary, "%d of %d fail", values->failed, values->records);
    for (char *c = series->summary; *c; ++c)
        *c = *c == '_' ? ' ' : *c;
    if (values->records > 1)
        snprintf(series->note, sizeof series->note, "median and quartiles of %d records", values->records);
}

static enum nb_status fill_series(struct values *values, struct nb_series *series, struct nb_error *error)
{
    series->value = calloc(COLUMNS, sizeof *series->value);
    if (!series->value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for bars");
    series->points = 1;
    write_words(values, series);
    nb_sort_doubles(values->value, values->count);
    series->value[0] = values->records;
    for (int k = 1; k < COLUMNS; ++k) {
        const double share = k == 1 ? 0.5 : k == 2 ? 0.25 : 0.75;
        series->value[k] = values->count ? finite_or_nan(quantile(values, share)) : NAN;
    }
    return NB_OK;
}

static enum nb_status fill_place(const struct nb_figure *figure, const struct nb_plot_data *data, int panel, int curve,
                                 struct nb_series *series, struct nb_error *error)
{
    struct values values = {0};
    bool fine = true;
    for (int i = 0; i < data->places && fine; ++i)
        if (data->place[i].panel == panel && data->place[i].curve == curve) {
            series->record = data->place[i].record;
            fine = add_record(figure, series->record, &values);
        }
    if (fine && series->record)
        fine = spread_repetitions(figure, series->record, &values);
    const enum nb_status status = fine ? fill_series(&values, series, error)
                                       : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the values of a bar");
    free(values.value);
    return status;
}

enum nb_status nb_bars_fill(const struct nb_figure *figure, struct nb_plot_data *data, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    if (figure->column_count != COLUMNS)
        return nb_fail(error, NB_BAD_INPUT, "%s: input bars needs '#: x records' and '#: y median lower upper'",
                       figure->name);
    for (int i = 0; i < data->panels.count * data->curves.count && !status; ++i)
        status = fill_place(figure, data, i / data->curves.count, i % data->curves.count, &data->series[i], error);
    return status;
}
