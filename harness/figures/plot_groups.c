/* Which records belong to a figure. A record passes a filter where its value matches one of the filter's patterns
 * (or, with !=, none). The values that the passing records have of a setting are the figure's variants, panels or
 * curves: those that the directive lists come first, the others follow in alphabetical order. */
#include "harness/figures/plot_groups.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/record.h"

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

/* A figure without the grouping takes every record. */
static bool in_group(const struct nb_figure *figure, const struct nb_grouping *grouping,
                     const char *value, const cJSON *record)
{
    char text[NB_PLOT_NAME];
    return grouping->name[0] == '\0' ||
           strcmp(group_text(figure, grouping->name, record, text, sizeof text), value) == 0;
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
        if (!passes_filters(figure, filters, record) ||
            (variant && !in_group(figure, &figure->each, variant, record)))
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

bool nb_plot_belongs(const struct nb_figure *figure, const char *variant, const char *panel,
                     const char *curve, const cJSON *record)
{
    return passes_filters(figure, figure->filter_count, record) &&
           in_group(figure, &figure->each, variant, record) &&
           in_group(figure, &figure->panels, panel, record) &&
           (figure->input == NB_FIGURE_QUANTILES || in_group(figure, &figure->curves, curve, record));
}
