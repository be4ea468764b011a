/* A figure draws columns of traces, numbers of a record and floors, and groups and filters by settings and by single
 * members of the record. Of the objects that hold numbers it needs those that its columns name; what an outcome is read
 * from it needs where it counts until a tolerance, and of `error` all metrics by which a record may be judged. */
#include "harness/figures/plot_needs.h"

#include <stdio.h>

#include "harness/figures/bars.h"
#include "harness/records/compact.h"
#include "harness/records/sieve.h"

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

static bool wants_trace(const struct nb_figure *figure, const char *column)
{
    static const char *const metrics[] = {"step_error", "natural_map", "residual", NULL};
    const bool metric = nb_is_one_of(column, metrics), iteration = !strcmp(column, "iteration");
    bool wanted = counts_to_tolerance(figure) && (metric || iteration);
    for (int k = 0; k < figure->column_count; ++k) {
        const char *name = figure->columns[k].name;
        wanted |= !strcmp(name, column) || (metric && !strcmp(name, "error")) ||
                  (iteration && !strcmp(name, "seconds"));
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
           : !strcmp(outer, "errors") ? figure->input == NB_FIGURE_BARS && !strcmp(figure->cost, inner)
           : !strcmp(outer, "times")  ? nb_is_one_of(inner, times)
                                      : nb_compact_wanted(NULL, outer, inner);
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
