/* The numbers of a figure (NAME.dat) and the variables that its gnuplot file uses (NAME.gp).
 *
 * NAME.dat holds one block a curve, by panel, parted by two blank lines; the comment before each
 * block says which record it is. docs/reference/figures.md lists the variables. */
#include "harness/figures/plot.h"
#include "harness/figures/bars.h"
#include "harness/figures/look.h"
#include "harness/figures/plot_groups.h"
#include "harness/figures/plot_known.h"
#include "harness/figures/plot_text.h"
#include "harness/figures/profile.h"
#include "harness/figures/shared.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_PARTS = 6 };

static void write_comment(FILE *file, const struct nb_figure *figure,
                          const struct nb_series *series, const char *panel, const char *curve)
{
    char text[400], key[32], ending[32];
    fprintf(file, "# %s=", figure->panels.name);
    nb_text_plain(file, panel);
    fprintf(file, " %s=", figure->curves.name);
    nb_text_plain(file, curve);
    if (series->record) {
        snprintf(text, sizeof text, "record: key %s, ending %s",
                 nb_record_text(series->record, "key", key, sizeof key),
                 nb_record_text(series->record, "ending", ending, sizeof ending));
        fputs("\n# ", file);
        nb_text_plain(file, text);
    }
    if (series->note[0]) {
        fputs("\n# ", file);
        nb_text_plain(file, series->note);
    }
    fputc('\n', file);
    for (int k = 0; k < NB_FLOOR_KINDS; ++k)
        if (isfinite(series->floor[k]))
            fprintf(file, "# floor %s %.17g\n", nb_floor_names[k], series->floor[k]);
    fputc('#', file);
    for (int k = 0; k < figure->column_count; ++k)
        fprintf(file, " %s%s", figure->columns[k].name, figure->columns[k].drop ? ":drop" : "");
    fputc('\n', file);
}

/* A place without a record gets one undefined point, so that blocks can be counted. */
static void write_block(FILE *file, const struct nb_figure *figure, const struct nb_series *series)
{
    const int width = figure->column_count;
    for (int i = 0; i < (series->points ? series->points : 1); ++i)
        for (int k = 0; k < width; ++k) {
            nb_text_number(file, series->points ? series->value[i * width + k] : (double)NAN);
            fputc(k + 1 < width ? ' ' : '\n', file);
        }
    fputs("\n\n", file);
}

static enum nb_status write_numbers(const struct nb_figure *figure, const struct nb_plot_data *data,
                                    const char *folder, const char *name, struct nb_error *error)
{
    FILE *file = NULL;
    char path[4096];
    const enum nb_status status = nb_text_open(folder, name, "dat", path, sizeof path, &file,
                                               error);
    if (status)
        return status;
    fprintf(file, "# %s: %s\n", name, figure->title);
    for (int p = 0; p < data->panels.count; ++p)
        for (int c = 0; c < data->curves.count; ++c) {
            const struct nb_series *series = &data->series[p * data->curves.count + c];
            write_comment(file, figure, series, data->panels.word[p], data->curves.word[c]);
            write_block(file, figure, series);
        }
    return nb_text_close(file, path, error);
}

static void write_words(FILE *file, const char *name, const struct nb_words *words)
{
    fprintf(file, "array %s[%d] = [", name, words->count);
    for (int i = 0; i < words->count; ++i) {
        fputs(i ? ", " : "", file);
        nb_text_quote(file, words->word[i]);
    }
    fputs("]\n", file);
}

static void write_panels(FILE *file, const struct nb_figure *figure, const struct nb_plot_data *data)
{
    fprintf(file, "array panel[%d] = [", data->panels.count);
    for (int p = 0; p < data->panels.count; ++p) {
        char title[2 * NB_PLOT_NAME];
        nb_look_title(figure->panels.name, data->panels.word[p], title, sizeof title);
        fputs(p ? ", " : "", file);
        nb_text_quote(file, title);
    }
    fputs("]\n", file);
}

/* Nothing in the key that is not drawn; bars and profiles say in its place what failed. */
static bool is_drawn(const struct nb_figure *figure, const struct nb_plot_data *data, int curve)
{
    if (figure->input == NB_FIGURE_BARS || figure->input == NB_FIGURE_PROFILE)
        return true;
    for (int p = 0; p < data->panels.count; ++p)
        if (data->series[p * data->curves.count + curve].points)
            return true;
    return false;
}

/* A curve's title in the key; in a profile it says where nothing was solved at all and nothing is drawn. */
static void write_curve(FILE *file, const struct nb_figure *figure, const struct nb_plot_data *data,
                        int curve, const char *title)
{
    bool solved = figure->input != NB_FIGURE_PROFILE || !*title;
    char text[2 * NB_PLOT_NAME + 8];
    for (int p = 0; p < data->panels.count; ++p)
        solved = solved || data->series[p * data->curves.count + curve].points;
    snprintf(text, sizeof text, "%s%s", title, solved ? "" : ": none");
    nb_text_quote(file, text);
}

/* Titles, and what draws the curves: one array each. */
static void write_curves(FILE *file, const struct nb_figure *figure, const struct nb_plot_data *data,
                         const struct nb_look *looks)
{
    const int count = data->curves.count;
    fprintf(file, "array curve[%d] = [", count);
    for (int c = 0; c < count; ++c) {
        fputs(c ? ", " : "", file);
        write_curve(file, figure, data, c, is_drawn(figure, data, c) ? looks[c].title : "");
    }
    fputs("]\n", file);
    for (int part = 0; part < LOOK_PARTS; ++part) {
        static const char *const names[LOOK_PARTS] = {"look", "curve_colour", "curve_marker", "curve_hollow",
                                                      "curve_dash", "curve_own"};
        fprintf(file, "array %s[%d] = [", names[part], count);
        for (int c = 0; c < count; ++c) {
            const struct nb_look *look = &looks[c];
            const int values[LOOK_PARTS] = {c + 1, (int)look->colour, nb_marker_point_type(look->marker),
                                            nb_marker_point_type(nb_marker_hollow(look->marker)), look->dash + 1,
                                            look->own};
            fprintf(file, "%s%d", c ? ", " : "", values[part]);
        }
        fputs("]\n", file);
    }
}

/* What all records of the figure share, for the line below it. */
static void write_shared(FILE *file, const struct nb_figure *figure, const struct nb_plot_data *data,
                         const cJSON *records, const char *variant)
{
    char part[NB_SHARED_PARTS][NB_PLOT_NAME];
    const int count = nb_plot_shared(figure, data, records, variant, part);
    fprintf(file, "shared_parts = %d\narray shared[%d] = [''", count, count + 1);
    for (int i = 0; i < count; ++i) {
        fputs(", ", file);
        nb_text_quote(file, part[i]);
    }
    fputs("]\n", file);
}

/* "time to an error of 1e-8 [s]" */
static void write_cost(const struct nb_figure *figure, double tolerance, char *text, size_t size)
{
    char number[32];
    snprintf(number, sizeof number, "%.0e", tolerance);
    if (tolerance >= 1e-3 || strtod(number, NULL) != tolerance)
        snprintf(number, sizeof number, "%g", tolerance);
    nb_text_short_exponent(number);
    snprintf(text, size, "%s to an error of %s%s", nb_plot_counts_iterations(figure) ? "iterations" : "time", number,
             nb_plot_counts_iterations(figure) ? "" : " [s]");
}

static void write_problems(FILE *file, const struct nb_figure *figure, const struct nb_plot_data *data)
{
    fprintf(file, "array problems[%d] = [", data->panels.count);
    for (int p = 0; p < data->panels.count; ++p)
        fprintf(file, "%s%d", p ? ", " : "", data->problems[p]);
    fprintf(file, "]\narray cost_name[%d] = [", data->panels.count);
    for (int p = 0; p < data->panels.count; ++p) {
        char text[NB_PLOT_NAME];
        write_cost(figure, data->tolerance[p], text, sizeof text);
        fprintf(file, "%s'%s'", p ? ", " : "", text);
    }
    fprintf(file, "]\nleast_problems = %d\n", NB_PROFILE_LEAST);
}

static void write_summaries(FILE *file, const struct nb_plot_data *data)
{
    fprintf(file, "array summary[%d] = [", data->panels.count * data->curves.count);
    for (int i = 0; i < data->panels.count * data->curves.count; ++i) {
        fputs(i ? ", " : "", file);
        nb_text_quote(file, data->series[i].summary);
    }
    fputs("]\n", file);
}

/* What stands at the axes: label[r] at that of row r. */
static void write_labels(FILE *file, const struct nb_figure *figure, const struct nb_plot_data *data)
{
    const bool bars = figure->input == NB_FIGURE_BARS;
    const cJSON *record = NULL;
    char text[2 * NB_PLOT_NAME];
    for (int i = 0; i < data->panels.count * data->curves.count && !record; ++i)
        record = data->series[i].record;
    nb_plot_label(record, figure->columns[0].name, text, sizeof text);
    fprintf(file, "x_label = ");
    nb_text_quote(file, text);
    fprintf(file, "\narray label[%d] = [", figure->column_count - 1);
    for (int k = 1; k < figure->column_count; ++k) {
        nb_plot_label(record, bars ? figure->cost : figure->columns[k].name, text, sizeof text);
        if (bars && nb_bars_to_tolerance(figure))
            write_cost(figure, figure->tolerance, text, sizeof text);
        fputs(k > 1 ? ", " : "", file);
        nb_text_quote(file, text);
    }
    fputs("]\n", file);
}

/* The floors of a trace: norm-wise and component-wise kind, or -1. */
static void floor_kinds(const char *column, int *norm, int *component)
{
    const bool residual = strcmp(column, "constraint_error") == 0;
    *norm = residual ? NB_FLOOR_RESIDUAL : strcmp(column, "step_size") == 0 ? NB_FLOOR_STEP : -1;
    *component = residual ? NB_FLOOR_CONSTRAINT
                 : !strcmp(column, "residual") ? NB_FLOOR_SYSTEM
                 : !strcmp(column, "step_error") || !strcmp(column, "error") ? NB_FLOOR_STEP_ERROR : -1;
}

/* Floors are estimates: two that are closer than this factor are one line. */
static const double same_floor = 1.5;

/* The smallest value of a column above zero that any curve of a panel has. */
static double smallest_of(const struct nb_figure *figure, const struct nb_plot_data *data, int panel, int column)
{
    double smallest = INFINITY;
    for (int c = 0; c < data->curves.count; ++c) {
        const struct nb_series *series = &data->series[panel * data->curves.count + c];
        for (int i = 0; i < series->points; ++i) {
            const double value = series->value[i * figure->column_count + column];
            smallest = value > 0 ? fmin(smallest, value) : smallest;
        }
    }
    return smallest;
}

/* The floor of a curve, NaN where it is not to be drawn: the figure shows another curve's only, or
 * an earlier curve of the panel has the same. */
static double drawn_floor(const struct nb_figure *figure, const struct nb_plot_data *data,
                          int panel, int curve, int kind)
{
    const struct nb_series *series = &data->series[panel * data->curves.count];
    if (kind < 0 || (figure->floors_of[0] &&
                     strcmp(figure->floors_of, data->curves.word[curve]) != 0))
        return NAN;
    for (int c = 0; c < curve && !figure->floors_of[0]; ++c)
        if (fabs(log(series[c].floor[kind] / series[curve].floor[kind])) < log(same_floor))
            return NAN;
    return series[curve].floor[kind];
}

static void write_floors(FILE *file, const struct nb_figure *figure,
                         const struct nb_plot_data *data, double *room)
{
    const int curves = data->curves.count;
    const int count = (figure->column_count - 1) * data->panels.count * curves;
    for (int k = 0; k < count; ++k) {
        int norm = -1, component = -1;
        const int panel = k / curves % data->panels.count;
        const int column = 1 + k / curves / data->panels.count;
        floor_kinds(figure->columns[column].name, &norm, &component);
        room[k] = drawn_floor(figure, data, panel, k % curves, norm);
        if (room[k] > same_floor * smallest_of(figure, data, panel, column))
            room[k] = NAN; /* curves go below it: it says nothing about them */
        room[count + k] = drawn_floor(figure, data, panel, k % curves, component);
    }
    nb_text_array(file, "floor_norm", room, count);
    nb_text_array(file, "floor_component", room + count, count);
}

static void write_all(FILE *file, const struct nb_figure *figure, const struct nb_plot_data *data,
                      const cJSON *records, const char *variant, const char *name, const struct nb_look *looks)
{
    int longest = 0;
    fprintf(file, "data = ");
    nb_text_quote(file, name);
    fprintf(file, ".'.dat'\nvariant = ");
    nb_text_quote(file, variant);
    fprintf(file, "\nwidth = %.17g\nheight = %.17g\nrows = %d\npanels = %d\ncurves = %d\n",
            figure->size[0], figure->size[1], figure->column_count - 1, data->panels.count,
            data->curves.count);
    if (figure->input == NB_FIGURE_PROFILE)
        write_problems(file, figure, data);
    write_summaries(file, data);
    write_labels(file, figure, data);
    fprintf(file, "floors_of = ");
    nb_text_quote(file, figure->floors_of);
    fputc('\n', file);
    write_panels(file, figure, data);
    write_words(file, "name", &data->curves);
    write_curves(file, figure, data, looks);
    write_shared(file, figure, data, records, variant);
    fprintf(file, "array points[%d] = [", data->panels.count * data->curves.count);
    for (int s = 0; s < data->panels.count * data->curves.count; ++s) {
        longest = longest < data->series[s].points ? data->series[s].points : longest;
        fprintf(file, "%s%d", s ? ", " : "", data->series[s].points);
    }
    fprintf(file, "]\nlongest = %d\n", longest);
}

static enum nb_status write_variables(const struct nb_figure *figure, const struct nb_plot_data *data,
                                      const cJSON *records, const char *variant, const char *folder,
                                      const char *name, struct nb_error *error)
{
    FILE *file = NULL;
    char path[4096];
    const size_t count = (size_t)(figure->column_count - 1) * (size_t)(data->panels.count * data->curves.count);
    double *room = malloc(2 * count * sizeof *room + 1);
    struct nb_look *looks = malloc(NB_PLOT_WORDS * sizeof *looks);
    enum nb_status status = room && looks ? NB_OK
                                          : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %s", name);
    if (!status)
        status = nb_looks_assign(figure->curves.name, &data->curves, data->slot, looks, error);
    if (!status)
        status = nb_text_open(folder, name, "gp", path, sizeof path, &file, error);
    if (!status) {
        write_all(file, figure, data, records, variant, name, looks);
        write_floors(file, figure, data, room);
        status = nb_text_close(file, path, error);
    }
    free(looks);
    free(room);
    return status;
}

enum nb_status nb_plot_write(const struct nb_figure *figure, const struct nb_plot_data *data,
                             const cJSON *records, const char *variant, const char *folder, const char *name,
                             struct nb_error *error)
{
    const enum nb_status status = write_numbers(figure, data, folder, name, error);
    return status ? status : write_variables(figure, data, records, variant, folder, name, error);
}
