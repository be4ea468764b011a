/* Which record a curve shows, and its numbers. Of the complete records that pass the filters and stand in the
 * curve's place, the one with the values that the filters name first is drawn, and of these the last in the file.
 * Its columns are arrays of its trace, seconds in their place, or single numbers of the record. */
#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/bars.h"
#include "harness/figures/plot.h"
#include "harness/figures/profile.h"
#include "harness/records/compact.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"

/* Which records belong to a figure. A record passes a filter where its value matches one of the filter's patterns
 * (or, with !=, none). The values that the passing records have of a setting are the figure's variants, panels or
 * curves: those that the directive lists come first, the others follow in alphabetical order. */

/* Passes the figure's first `count` filters. */
static bool passes_filters(const struct nb_figure *figure, int count, const cJSON *record)
{
    for (int i = 0; i < count; ++i)
        if (!nb_filter_passes(&figure->filters[i], record))
            return false;
    return true;
}

/* The value that a record is grouped by; "" where it has none. A profile credits a value with what was
 * solved, so that a method that does not read it must stay out. */
static const char *group_text(const struct nb_figure *figure, const char *name,
                              const cJSON *record, char *text, size_t size)
{
    text[0] = '\0';
    if (figure->input == NB_FIGURE_PROFILE && !nb_record_reads(record, name))
        return text;
    return nb_record_text(record, name, text, size);
}

/* Whether the record passes the figure's first `filters` filters and is of the variant; NULL: of any. */
static bool is_of(const struct nb_figure *figure, int filters, const char *variant, const cJSON *record)
{
    char text[NB_PLOT_NAME];
    return passes_filters(figure, filters, record) &&
           (!variant || !figure->each.name[0] ||
            !strcmp(group_text(figure, figure->each.name, record, text, sizeof text), variant));
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum nb_status nb_plot_collect(const struct nb_figure *figure, int filters, const char *variant,
                               const cJSON *records, const struct nb_grouping *grouping,
                               struct nb_words *words, struct nb_error *error)
{
    struct nb_words found = {0};
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        char text[NB_PLOT_NAME];
        if (!is_of(figure, filters, variant, record))
            continue;
        group_text(figure, grouping->name, record, text, sizeof text);
        if (text[0] && !nb_words_add(&found, text))
            return nb_fail(error, NB_UNSUPPORTED, "more than %d values of %s: a figure cannot show "
                           "them; choose some, with --where or '#: where'", NB_PLOT_WORDS, grouping->name);
    }
    qsort(found.word, (size_t)found.count, sizeof *found.word, compare_words);
    words->count = 0;
    for (int i = 0; i < grouping->first.count; ++i)
        if (nb_words_find(&found, grouping->first.word[i]) >= 0)
            nb_words_add(words, grouping->first.word[i]);
    for (int i = 0; i < found.count; ++i)
        nb_words_add(words, found.word[i]);
    return NB_OK;
}

static int count_passing(const struct nb_figure *figure, int filters, const cJSON *records)
{
    int count = 0;
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
        count += passes_filters(figure, filters, record);
    return count;
}

/* Names the first filter that leaves nothing, and the values that it met. */
static enum nb_status check_filters(const struct nb_figure *figure, const cJSON *records,
                                    struct nb_error *error)
{
    int before = cJSON_GetArraySize(records);
    for (int i = 0; i < figure->filter_count; ++i) {
        const struct nb_filter *filter = &figure->filters[i];
        const int after = count_passing(figure, i + 1, records);
        if (after > 0) {
            before = after;
            continue;
        }
        struct nb_grouping grouping = {0};
        struct nb_words met = {0};
        strcpy(grouping.name, filter->name);
        char wanted[150] = "", values[150] = "too many to list";
        nb_words_join(&filter->values, wanted, sizeof wanted);
        if (!nb_plot_collect(figure, i, NULL, records, &grouping, &met, NULL))
            nb_words_join(&met, values, sizeof values);
        return nb_fail(error, NB_BAD_INPUT, "%s: no record has %s%s%s; values among the %d that "
                       "pass the filters before it: %s", figure->name, filter->name,
                       filter->equal ? "=" : "!=", wanted, before, met.count ? values : "none");
    }
    return NB_OK;
}

void nb_plot_unmet(const struct nb_figure *figure, int filter, const cJSON *records, struct nb_words *unmet)
{
    const struct nb_filter *tested = &figure->filters[filter];
    const cJSON *record = NULL;
    unsigned matched = 0;
    unmet->count = 0;
    cJSON_ArrayForEach(record, records)
    {
        char text[NB_WORD_SIZE];
        if (passes_filters(figure, filter, record))
            matched |= nb_words_matched(&tested->values, nb_record_text(record, tested->name, text, sizeof text));
    }
    for (int i = 0; i < tested->values.count; ++i)
        if (!(matched >> i & 1))
            nb_words_add(unmet, tested->values.word[i]);
}

int nb_plot_unread(const struct nb_figure *figure, const char *name, const cJSON *records,
                   struct nb_words *methods)
{
    int count = 0;
    const cJSON *record = NULL;
    methods->count = 0;
    cJSON_ArrayForEach(record, records) {
        char method[NB_PLOT_NAME];
        if (figure->input != NB_FIGURE_PROFILE || !name[0] || nb_record_reads(record, name) ||
            !passes_filters(figure, figure->filter_count, record))
            continue;
        ++count;
        nb_record_text(record, nb_record_reads(record, "linear") ? "linear" : "solver", method,
                       sizeof method);
        nb_words_add(methods, method);
    }
    return count;
}

enum nb_status nb_plot_variants(const struct nb_figure *figure, const cJSON *records,
                                struct nb_words *variants, struct nb_error *error)
{
    memset(variants, 0, sizeof *variants);
    const enum nb_status status = check_filters(figure, records, error);
    if (status)
        return status;
    if (figure->each.name[0])
        return nb_plot_collect(figure, figure->filter_count, NULL, records, &figure->each,
                               variants, error);
    variants->count = 1;
    return NB_OK;
}

static double number_of(const cJSON *item)
{
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* The numbers behind a column of a figure; none: length 0. */
struct column {
    int length;
    struct nb_values values; /* an array of the trace; else */
    double single;           /* a number of the record      */
    double unit, before;     /* factor of both; what is added */
};

static double last_of(struct nb_values values)
{
    double number = NAN;
    while (nb_values_next(&values, &number))
        ;
    return number;
}

/* OUTER.INNER, or .NAME, a number of the record: a figure of such columns draws one point a curve. */
static struct column find_single(const cJSON *record, const char *name, const char *dot)
{
    char outer[NB_PLOT_NAME];
    snprintf(outer, sizeof outer, "%.*s", (int)(dot - name), name);
    const cJSON *number = dot > name ? nb_json_path(record, outer, dot + 1) : nb_json_member(record, dot + 1);
    return (struct column){.length = cJSON_IsNumber(number), .single = number_of(number), .unit = 1};
}

/* A name is that of an array of the trace; `error` is the one by which the record is judged. Seconds are iterations,
 * all as long as the median repetition says; whole seconds have the set-up before them. */
static struct column find_column(const cJSON *record, const char *name)
{
    const bool whole = strcmp(name, "whole_seconds") == 0, seconds = whole || strcmp(name, "seconds") == 0;
    const bool error = strcmp(name, "error") == 0;
    const char *dot = strchr(name, '.');
    if (dot)
        return find_single(record, name, dot);
    struct column column = {.unit = 1};
    column.values = nb_values_of(record, seconds ? "iteration" : error ? nb_outcome_metric(record) : name);
    column.length = nb_values_length(&column.values);
    if (!column.length || !seconds)
        return column;
    const double last = last_of(column.values);
    column.unit = number_of(nb_json_path(record, "times", "median")) / last;
    column.before = whole ? number_of(nb_json_path(record, "times", "setup")) : 0;
    column.length = last > 0 && isfinite(column.unit) && isfinite(column.before) ? column.length : 0;
    return column;
}

int nb_plot_points(const struct nb_figure *figure, const cJSON *record)
{
    int points = 0;
    for (int k = 0; k < figure->column_count; ++k) {
        const struct column column = find_column(record, figure->columns[k].name);
        if (column.length == 0 || (k > 0 && column.length != points))
            return 0;
        points = column.length;
    }
    return points;
}

/* Negative if a comes before b in the order of preference that the filters give. */
static int compare_preference(const struct nb_figure *figure, const cJSON *a, const cJSON *b)
{
    for (int i = 0; i < figure->filter_count; ++i) {
        const struct nb_filter *filter = &figure->filters[i];
        char text[NB_PLOT_NAME];
        if (!filter->equal)
            continue;
        const int first = nb_words_match(&filter->values,
                                         nb_record_text(a, filter->name, text, sizeof text));
        const int second = nb_words_match(&filter->values,
                                          nb_record_text(b, filter->name, text, sizeof text));
        if (first != second)
            return first - second;
    }
    return 0;
}

/* Appends the names of the settings in which two records differ, each once. */
static void add_differences(const cJSON *a, const cJSON *b, struct nb_words *names)
{
    const cJSON *settings = nb_json_member(a, "settings");
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, settings) {
        char first[128], second[128];
        nb_record_text(a, member->string, first, sizeof first);
        nb_record_text(b, member->string, second, sizeof second);
        if (strcmp(first, second) != 0)
            nb_words_add(names, member->string);
    }
}

static const cJSON *choose(const struct nb_figure *figure, const struct nb_plot_data *data, int panel, int curve,
                           struct nb_series *series)
{
    const cJSON *best = NULL;
    for (int i = 0; i < data->places; ++i) {
        const cJSON *record = data->place[i].record;
        if (data->place[i].panel != panel || data->place[i].curve != curve)
            continue;
        if (nb_plot_points(figure, record) == 0) {
            char ending[NB_PLOT_NAME], detail[160];
            snprintf(series->note, sizeof series->note, "not drawn, it has no trace: %s%s%s",
                     nb_record_text(record, "ending", ending, sizeof ending),
                     nb_record_text(record, "detail", detail, sizeof detail)[0] ? ", " : "",
                     detail);
        } else if (!best || compare_preference(figure, record, best) <= 0) {
            best = record;
        }
    }
    return best;
}

/* Says so where other complete records with other settings could stand in the same place. */
static void note_alternatives(const struct nb_figure *figure, const struct nb_plot_data *data, int panel, int curve,
                              struct nb_series *series)
{
    struct nb_words names = {0};
    int others = 0;
    series->note[0] = '\0';
    for (int i = 0; i < data->places; ++i) {
        const cJSON *record = data->place[i].record;
        const int before = names.count;
        if (record == series->record || data->place[i].panel != panel || data->place[i].curve != curve ||
            nb_plot_points(figure, record) == 0 || compare_preference(figure, record, series->record) != 0)
            continue;
        add_differences(series->record, record, &names);
        others += names.count > 0 || before > 0;
    }
    if (names.count == 0)
        return;
    char text[200];
    nb_words_join(&names, text, sizeof text);
    snprintf(series->note, sizeof series->note, "%d records match, the last is drawn; they differ "
             "in %s", others + 1, text);
}

void nb_plot_drop_early(const struct nb_figure *figure, struct nb_series *series)
{
    const int width = figure->column_count;
    int kept = 0;
    for (int i = 0; i < series->points; ++i) {
        if (series->value[i * width] < figure->from)
            continue;
        memmove(series->value + kept * width, series->value + i * width,
                (size_t)width * sizeof *series->value);
        ++kept;
    }
    series->points = kept;
}

enum nb_status nb_plot_read(const struct nb_figure *figure, const cJSON *record, struct nb_series *series,
                            struct nb_error *error)
{
    const int width = figure->column_count;
    series->points = nb_plot_points(figure, record);
    series->value = malloc((size_t)series->points * (size_t)width * sizeof *series->value);
    if (!series->value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d points", series->points);
    for (int k = 0; k < width; ++k) {
        struct column column = find_column(record, figure->columns[k].name);
        const struct nb_column *asked = &figure->columns[k];
        double *value = series->value + k, number, start = NAN, sum = 0;
        if (strchr(figure->columns[k].name, '.')) {
            *value = column.single;
            continue;
        }
        for (int i = 0; i < column.length && nb_values_next(&column.values, &number); ++i, value += width) {
            number = column.before + number * column.unit;
            start = i == 0 ? number : start;
            sum += isnan(number) ? 0 : number;
            *value = asked->drop ? start - number : asked->sum ? sum
                                                               : number;
        }
    }
    nb_plot_drop_early(figure, series);
    return NB_OK;
}

const char *const nb_floor_names[NB_FLOOR_KINDS] = {"residual", "step", "component_all",
                                                    "component_constraint", "step_error", "component_norm"};

static void read_floors(const struct nb_figure *figure, struct nb_series *series)
{
    const cJSON *floors = nb_json_member(series->record, "floor");
    for (int k = 0; figure->floors && k < NB_FLOOR_KINDS; ++k)
        series->floor[k] = number_of(nb_json_member(floors, nb_floor_names[k]));
}

static enum nb_status fill(const struct nb_figure *figure, const struct nb_plot_data *data, int panel, int curve,
                           struct nb_series *series, struct nb_error *error)
{
    series->record = choose(figure, data, panel, curve, series);
    read_floors(figure, series);
    if (!series->record)
        return NB_OK;
    note_alternatives(figure, data, panel, curve, series);
    return nb_plot_read(figure, series->record, series, error);
}

static void assign_slots(const struct nb_words *first, struct nb_plot_data *data)
{
    int next = first->count;
    for (int c = 0; c < data->curves.count; ++c) {
        const int place = nb_words_find(first, data->curves.word[c]);
        data->slot[c] = place >= 0 ? place + 1 : ++next;
    }
}

/* The place of the record's value among those that are drawn; -1: it is not. */
static int find_value(const struct nb_figure *figure, const char *name, const struct nb_words *drawn,
                      const cJSON *record)
{
    char text[NB_PLOT_NAME];
    return nb_words_find(drawn, group_text(figure, name, record, text, sizeof text));
}

static enum nb_status find_places(const struct nb_figure *figure, const cJSON *records, const char *variant,
                                  struct nb_plot_data *data, struct nb_error *error)
{
    const cJSON *record = NULL;
    data->place = malloc(((size_t)cJSON_GetArraySize(records) + 1) * sizeof *data->place);
    if (!data->place)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of %s", figure->name);
    cJSON_ArrayForEach(record, records) {
        if (!is_of(figure, figure->filter_count, variant, record))
            continue;
        const int panel = find_value(figure, figure->panels.name, &data->panels, record);
        const int curve = figure->input == NB_FIGURE_QUANTILES
                              ? 0 : find_value(figure, figure->curves.name, &data->curves, record);
        if (panel >= 0 && curve >= 0)
            data->place[data->places++] = (struct nb_place){record, panel, curve};
    }
    return NB_OK;
}

/* Panels, curves and their looks, and empty series without floors. */
static enum nb_status lay_out(const struct nb_figure *figure, const cJSON *records,
                              const char *variant, struct nb_plot_data *data,
                              struct nb_error *error)
{
    memset(data, 0, sizeof *data);
    enum nb_status status = nb_plot_collect(figure, figure->filter_count, variant, records,
                                            &figure->panels, &data->panels, error);
    data->curves = figure->curves.first; /* of quantiles */
    if (!status && figure->input != NB_FIGURE_QUANTILES)
        status = nb_plot_collect(figure, figure->filter_count, variant, records, &figure->curves,
                                 &data->curves, error);
    status = status ? status : find_places(figure, records, variant, data, error);
    if (status)
        return status;
    assign_slots(&figure->curves.first, data);
    const int count = data->panels.count * data->curves.count;
    data->series = calloc((size_t)count + 1, sizeof *data->series);
    for (int i = 0; data->series && i < count * NB_FLOOR_KINDS; ++i)
        data->series[i / NB_FLOOR_KINDS].floor[i % NB_FLOOR_KINDS] = NAN;
    return data->series ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the curves of %s",
                                          figure->name);
}

static enum nb_status fill_all(const struct nb_figure *figure, struct nb_plot_data *data, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0; i < data->panels.count * data->curves.count && !status; ++i)
        status = fill(figure, data, i / data->curves.count, i % data->curves.count, &data->series[i], error);
    return status;
}

/* A bar has a point, with or without a median. */
static bool is_drawn(const struct nb_figure *figure, const struct nb_series *series)
{
    return series->points && (figure->input != NB_FIGURE_BARS || isfinite(series->value[1]));
}

enum nb_status nb_plot_select(const struct nb_figure *figure, const cJSON *records, const char *variant,
                              struct nb_plot_data *data, int *drawn, struct nb_error *error)
{
    *drawn = 0;
    enum nb_status status = lay_out(figure, records, variant, data, error);
    if (!status)
        status = (figure->input == NB_FIGURE_PROFILE     ? nb_profile_fill
                  : figure->input == NB_FIGURE_QUANTILES ? nb_quantile_fill
                  : figure->input == NB_FIGURE_BARS      ? nb_bars_fill
                                                         : fill_all)(figure, data, error);
    for (int i = 0; !status && i < data->panels.count * data->curves.count; ++i)
        *drawn += is_drawn(figure, &data->series[i]);
    if (status)
        nb_plot_data_free(data);
    return status;
}

void nb_plot_data_free(struct nb_plot_data *data)
{
    for (int i = 0; data->series && i < data->panels.count * data->curves.count; ++i)
        free(data->series[i].value);
    free(data->series);
    free(data->place);
    memset(data, 0, sizeof *data);
}
