/* The settings and numbers that the records have, collected from all of them, so that a message can name the nearest;
 * and their names as words, with the units of harness/judge/metrics.h. */
#include "harness/figures/plot_known.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/bars.h"
#include "harness/judge/metrics.h"
#include "harness/records/compact.h"
#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/problem_name.h"
#include "problems/base/suggest.h"

/* A figure draws columns of traces, numbers of a record and floors, and groups and filters by settings and by single
 * members of the record. Of the objects that hold numbers it needs those that its columns name; what an outcome is read
 * from it needs where it counts until a tolerance, and of `error` all metrics by which a record may be judged. */

static bool counts_to_tolerance(const struct nb_figure *figure)
{
    return figure->input == NB_FIGURE_PROFILE || (figure->input == NB_FIGURE_BARS && nb_bars_to_tolerance(figure));
}

/* Whether a column, or the number of bars, is OUTER.INNER; with inner NULL of that object at all. */
static bool is_named(const struct nb_figure *figure, const char *outer, const char *inner)
{
    const size_t length = strlen(outer);
    for (int k = 0; k <= figure->column_count; ++k) {
        const char *name = k < figure->column_count ? figure->columns[k].name : figure->cost;
        if (!strncmp(name, outer, length) && name[length] == '.' && (!inner || !strcmp(name + length + 1, inner)))
            return true;
    }
    return false;
}

static const char *const metrics[] = {"step_error", "natural_map", "residual", NULL};

static bool is_seconds(const char *column) { return !strcmp(column, "seconds") || !strcmp(column, "whole_seconds"); }

static bool wants_trace(const struct nb_figure *figure, const char *column)
{
    const bool metric = nb_is_one_of(column, metrics), iteration = !strcmp(column, "iteration");
    bool wanted = counts_to_tolerance(figure) && (metric || iteration);
    for (int k = 0; k < figure->column_count; ++k) {
        const char *name = figure->columns[k].name;
        wanted |= !strcmp(name, column) || (metric && !strcmp(name, "error")) ||
                  (iteration && is_seconds(name));
    }
    return wanted;
}

static bool wants_object(const struct nb_figure *figure, const char *outer)
{
    static const char *const numbers[] = {"strategies", "best", "reference", "probe", "counts", NULL};
    if (!strcmp(outer, "floor"))
        return figure->floors || is_named(figure, outer, NULL);
    return !nb_is_one_of(outer, numbers) || is_named(figure, outer, NULL);
}

static bool wants_member(const struct nb_figure *figure, const char *outer, const char *inner)
{
    static const char *const times[] = {"median", "solve", "setup", "setups", NULL};
    if (is_named(figure, outer, inner))
        return true;
    return !strcmp(outer, "trace")    ? wants_trace(figure, inner)
           : !strcmp(outer, "errors") ? nb_is_one_of(inner, metrics) ||
                                        (figure->input == NB_FIGURE_BARS && !strcmp(figure->cost, inner))
           : !strcmp(outer, "times")  ? nb_is_one_of(inner, times)
                                      : nb_compact_keep(NULL, outer, inner);
}

bool nb_plot_wants(void *context, const char *outer, const char *inner)
{
    struct nb_plot_needs *needs = context;
    if (!inner)
        return wants_object(needs->figure, outer);
    const bool wanted = wants_member(needs->figure, outer, inner);
    if (!wanted && !strcmp(outer, "trace"))
        nb_words_add(&needs->traces, inner);
    if (!wanted && !strcmp(outer, "errors"))
        nb_words_add(&needs->errors, inner);
    return wanted;
}

/* Names, each once, borrowed from the records or literal. */
struct names {
    const char **name;
    int count, room;
    bool starved;
};

static void add_name(struct names *names, const char *name)
{
    for (int i = 0; i < names->count; ++i)
        if (!strcmp(names->name[i], name))
            return;
    if (NB_GROW(names->name, names->count, &names->room))
        names->name[names->count++] = name;
    else
        names->starved = true;
}

/* Adds the members of an object that are scalars, or those that are arrays, packed or not. */
static void add_members(struct names *names, const cJSON *object, bool arrays)
{
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, object)
        if (arrays == (cJSON_IsArray(member) || cJSON_IsRaw(member)) && !cJSON_IsObject(member))
            add_name(names, member->string);
}

static const cJSON *member_of(const cJSON *record, const char *name)
{
    return nb_json_member(record, name);
}

static void add_settings(struct names *names, const cJSON *records)
{
    static const char *const made[] = {"method", "linear_method", "arithmetic", "machine", "kind", "ending"};
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        add_members(names, member_of(record, "settings"), false);
        add_members(names, member_of(member_of(record, "settings"), "parameters"), false);
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i)
        add_name(names, made[i]);
    for (int i = 0; i < NB_PROBLEM_CLASSES; ++i)
        add_name(names, nb_problem_classes[i].name);
}

/* words: of what was left out. */
static void add_words(struct names *names, const struct nb_words *words)
{
    for (int i = 0; words && i < words->count; ++i)
        add_name(names, words->word[i]);
}

static void add_traces(struct names *names, const cJSON *records, const struct nb_plot_needs *needs)
{
    const cJSON *record = NULL;
    add_name(names, "error");
    add_name(names, "seconds");
    add_name(names, "whole_seconds");
    cJSON_ArrayForEach(record, records)
        add_members(names, member_of(record, "trace"), true);
    add_words(names, needs ? &needs->traces : NULL);
}

static void add_numbers(struct names *names, const cJSON *records, const struct nb_plot_needs *needs)
{
    static const char *const made[] = {"time", "iterations", "setup", "peak_memory"};
    const cJSON *record = NULL;
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i)
        add_name(names, made[i]);
    cJSON_ArrayForEach(record, records)
        add_members(names, member_of(record, "errors"), false);
    add_words(names, needs ? &needs->errors : NULL);
}

/* known is freed. */
static enum nb_status refuse(const char *source, const char *what, const char *name, struct names *known,
                             struct nb_error *error)
{
    char text[1500];
    nb_suggest_name(name, known->name, (size_t)known->count, text, sizeof text);
    const enum nb_status status =
        known->starved ? nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory", source)
                       : nb_fail(error, NB_BAD_INPUT, "%s: no record has %s %.80s; %s", source, what, name, text);
    free(known->name);
    return status;
}

enum nb_status nb_plot_check_settings(const struct nb_figure *figure, const cJSON *records, const char *source,
                                      struct nb_error *error)
{
    const bool quantiles = figure->input == NB_FIGURE_QUANTILES;
    const char *names[3 + NB_PLOT_FILTERS] = {figure->each.name, figure->panels.name,
                                              quantiles ? "" : figure->curves.name};
    for (int i = 0; i < figure->filter_count; ++i)
        names[3 + i] = figure->filters[i].name;
    for (int i = 0; i < 3 + figure->filter_count; ++i) {
        struct names known = {0};
        if (!names[i][0] || nb_records_know(records, names[i]))
            continue;
        add_settings(&known, records);
        return refuse(source, "a setting", names[i], &known, error);
    }
    return NB_OK;
}

static bool has_number(const cJSON *records, const char *name)
{
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
        if (nb_bars_number(record, name))
            return true;
    return false;
}

static enum nb_status check_bars(const struct nb_figure *figure, const cJSON *records,
                                 const struct nb_plot_needs *needs, const char *source, struct nb_error *error)
{
    struct names known = {0};
    if (nb_bars_to_tolerance(figure) || has_number(records, figure->cost))
        return NB_OK;
    add_numbers(&known, records, needs);
    return refuse(source, "a number", figure->cost, &known, error);
}

static bool has_trace(const cJSON *records, const char *name)
{
    const cJSON *record = NULL;
    if (strchr(name, '.') || !strcmp(name, "error") || is_seconds(name))
        return true;
    cJSON_ArrayForEach(record, records)
        if (member_of(member_of(record, "trace"), name))
            return true;
    return false;
}

static enum nb_status check_traces(const struct nb_figure *figure, const cJSON *records,
                                   const struct nb_plot_needs *needs, const char *source, struct nb_error *error)
{
    for (int k = 0; k < figure->column_count; ++k) {
        struct names known = {0};
        if (has_trace(records, figure->columns[k].name))
            continue;
        add_traces(&known, records, needs);
        return refuse(source, "a trace", figure->columns[k].name, &known, error);
    }
    return NB_OK;
}

enum nb_status nb_plot_check_values(const struct nb_figure *figure, const cJSON *records,
                                    const struct nb_plot_needs *needs, const char *source, struct nb_error *error)
{
    if (figure->input == NB_FIGURE_PROFILE)
        return NB_OK;
    return (figure->input == NB_FIGURE_BARS ? check_bars : check_traces)(figure, records, needs, source, error);
}

/* Units of what is not a metric. */
static const char *unit_of(const char *column)
{
    static const char *const units[][2] = {
        {"step_size", "m/s or N s"}, {"distance", "m"}, {"seconds", "s"}, {"whole_seconds", "s"},
        {"time", "s"}, {"setup", "s"}, {"peak_memory", "bytes"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (!strcmp(units[i][0], column))
            return units[i][1];
    for (int i = 0; i < NB_METRICS; ++i)
        if (!strcmp(nb_metrics[i].name, column))
            return nb_metrics[i].unit;
    return "";
}

void nb_plot_label(const cJSON *record, const char *column, char *text, size_t size)
{
    const char *name = strcmp(column, "error") ? column : nb_outcome_metric(record);
    const char *unit = unit_of(name), *words = is_seconds(name) ? "time" : name;
    snprintf(text, size, "%s%s%s%s", words, *unit ? " [" : "", unit, *unit ? "]" : "");
    for (char *c = text; *c && *c != '['; ++c)
        *c = *c == '_' ? ' ' : *c;
}
