/* The numbers of a figure (NAME.dat) and the variables that its gnuplot file uses (NAME.gp).
 *
 * NAME.dat holds one block a curve, by panel, parted by two blank lines; the comment before each
 * block says which record it is. docs/reference/figures.md lists the variables. */
#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/bars.h"
#include "harness/figures/look.h"
#include "harness/figures/plot.h"
#include "harness/figures/plot_known.h"
#include "harness/figures/profile.h"
#include "harness/records/json.h"

/* Walks through the records that a figure shows and keeps the settings of which all have the same value. */

enum { NB_SHARED_PARTS = 10 };

/* In the order in which they are shown: what stands before and behind the value or its title. */
static const struct {
    const char *setting, *before, *after;
    const char *after_of_system; /* the same where a linear system is solved */
} SHOWN[NB_SHARED_PARTS] = {
    {"solver", "", "", ""},
    {"linear", "", "", ""},
    {"precond", "preconditioner: ", "", ""},
    {"ncp", "", "", ""},
    {"scaling", "scaling: ", "", ""},
    {"precision", "", "", ""},
    {"newton_iters", "at most ", " iterations", ""},
    {"linear_iters", "at most ", " linear iterations each", " iterations"},
    {"damping", "damping ", "", ""},
    {"tol", "stops at ", "", ""},
};

enum { NEWTON_ITERS = 6 }; /* its place */

struct shared {
    const struct nb_figure *figure;
    char value[NB_SHARED_PARTS][NB_PLOT_NAME]; /* "": none yet */
    bool differs[NB_SHARED_PARTS];
    bool system;
    int panels;
};

/* Its curves or panels say it; not a single panel, which may have no name. */
static bool is_grouped(const struct shared *shared, const char *setting)
{
    const char *const names[] = {shared->figure->curves.name,
                                 shared->panels > 1 ? shared->figure->panels.name : ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(names[i], setting) || (!strcmp(names[i], "method") && !strcmp(setting, "solver")) ||
            (!strcmp(names[i], "linear_method") && (!strcmp(setting, "linear") || !strcmp(setting, "precond"))) ||
            (!strcmp(names[i], "arithmetic") && !strcmp(setting, "precision")))
            return true;
    return false;
}

static void add(struct shared *shared, const cJSON *record)
{
    char value[NB_PLOT_NAME], mode[NB_PLOT_NAME];
    shared->system = !strcmp(nb_record_text(record, "mode", mode, sizeof mode), "linear_system");
    for (int i = 0; i < NB_SHARED_PARTS; ++i) {
        nb_record_text(record, SHOWN[i].setting, value, sizeof value);
        if (!value[0] || !strcmp(value, "null") || !nb_record_reads(record, SHOWN[i].setting))
            continue;
        shared->differs[i] = shared->differs[i] || (shared->value[i][0] && strcmp(shared->value[i], value));
        strcpy(shared->value[i], value);
    }
}

static bool is_said(const struct shared *shared, int i)
{
    return shared->value[i][0] && !shared->differs[i] && !is_grouped(shared, SHOWN[i].setting);
}

/* The settings that all records of the figure share, those of them that read the setting (harness/records/record.h):
 * method, linear solver, preconditioner, NCP function, scaling, precision, budgets, damping, tolerance; what the figure
 * groups its curves or panels by is left out. part [NB_SHARED_PARTS]; returns their number. */
static int plot_shared(const struct nb_figure *figure, const struct nb_plot_data *data, char part[][NB_PLOT_NAME])
{
    struct shared shared = {.figure = figure, .panels = data->panels.count};
    int count = 0;
    for (int i = 0; i < data->places && figure->input != NB_FIGURE_RECORDS; ++i)
        add(&shared, data->place[i].record);
    for (int i = 0; i < data->panels.count * data->curves.count && figure->input == NB_FIGURE_RECORDS; ++i)
        if (data->series[i].record)
            add(&shared, data->series[i].record);
    for (int i = 0; i < NB_SHARED_PARTS; ++i) {
        char title[2 * NB_PLOT_NAME];
        if (!is_said(&shared, i))
            continue;
        if (i == NEWTON_ITERS && is_said(&shared, i + 1)) {
            snprintf(part[count++], NB_PLOT_NAME, "at most %.20s iterations of %.20s linear ones", shared.value[i],
                     shared.value[i + 1]);
            ++i;
            continue;
        }
        nb_look_title(SHOWN[i].setting, shared.value[i], title, sizeof title);
        if (strtod(title, NULL) > 0)
            nb_text_short_exponent(title);
        snprintf(part[count++], NB_PLOT_NAME, "%s%.60s%s", SHOWN[i].before, title,
                 shared.system ? SHOWN[i].after_of_system : SHOWN[i].after);
    }
    return count;
}

enum { LOOK_PARTS = 6 };
enum { TEXT = 2 * NB_PLOT_NAME + 8 };

/* What the variables say. */
struct drawing {
    const struct nb_figure *figure;
    const struct nb_plot_data *data;
    const cJSON *record; /* the first that is drawn */
    struct nb_look looks[NB_PLOT_WORDS];
    char panel_label[NB_PLOT_WORDS][2 * NB_PLOT_NAME]; /* of the figure's labels; "": none */
    char shared[NB_SHARED_PARTS + 1][NB_PLOT_NAME]; /* behind an empty one */
    double *room; /* for the numbers of an array */
};

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

/* The i-th text of an array, into text [TEXT], which is empty before. */
typedef void array_text(const struct drawing *drawing, int i, char *text);

static void write_texts(FILE *file, const char *name, int count, array_text *text_of, const struct drawing *drawing)
{
    fprintf(file, "array %s[%d] = [", name, count);
    for (int i = 0; i < count; ++i) {
        char text[TEXT] = "";
        text_of(drawing, i, text);
        fputs(i ? ", " : "", file);
        nb_text_quote(file, text);
    }
    fputs("]\n", file);
}

/* Whether a record of that value says that its problem is of no scene, or of another one than its name would have it:
 * a model that is called as a scene is. Records from before features told the scene do not say. */
static bool is_no_scene(const struct drawing *drawing, const char *setting, const char *value)
{
    char text[NB_PLOT_NAME];
    if (strcmp(setting, "problem")) /* by other settings curves have records of several problems */
        return false;
    for (int i = 0; i < drawing->data->places; ++i) {
        const cJSON *record = drawing->data->place[i].record;
        const cJSON *scene = nb_json_member(nb_json_member(record, "features"), "scene");
        if (cJSON_IsString(scene) && !strcmp(nb_record_text(record, setting, text, sizeof text), value))
            return !*scene->valuestring || strncmp(value, scene->valuestring, strlen(scene->valuestring));
    }
    return false;
}

static void panel_title(const struct drawing *drawing, int p, char *text)
{
    const char *setting = drawing->figure->panels.name, *value = drawing->data->panels.word[p];
    if (drawing->panel_label[p][0])
        snprintf(text, TEXT, "%s", drawing->panel_label[p]);
    else if (is_no_scene(drawing, setting, value))
        snprintf(text, TEXT, "%s", value);
    else
        nb_look_title(setting, value, text, TEXT);
}

static enum nb_status assign_looks(struct drawing *drawing, struct nb_error *error)
{
    const struct nb_words *curves = &drawing->data->curves;
    const char *setting = drawing->figure->curves.name;
    const enum nb_status status = nb_looks_assign(setting, curves, drawing->data->slot, drawing->looks, error);
    for (int c = 0; c < curves->count && !status; ++c)
        if (is_no_scene(drawing, setting, curves->word[c]))
            snprintf(drawing->looks[c].title, sizeof drawing->looks[c].title, "%s", curves->word[c]);
    return status;
}

static void curve_name(const struct drawing *drawing, int c, char *text)
{
    strcpy(text, drawing->data->curves.word[c]);
}

/* Its title in the key, in which nothing stands that is not drawn; bars and profiles say in its place what failed, and
 * a profile where nothing was solved at all. */
static void curve_title(const struct drawing *drawing, int curve, char *text)
{
    const struct nb_plot_data *data = drawing->data;
    const bool profile = drawing->figure->input == NB_FIGURE_PROFILE;
    bool drawn = false;
    for (int p = 0; p < data->panels.count; ++p)
        drawn = drawn || data->series[p * data->curves.count + curve].points;
    if (drawn || profile || drawing->figure->input == NB_FIGURE_BARS)
        snprintf(text, TEXT, "%s%s", drawing->looks[curve].title, profile && !drawn ? ": none" : "");
}

/* The curve that is called so, or, of the setting that tells curves apart, the only one that is of a user; -1: none. */
static int labelled_curve(const struct drawing *drawing, const char *name)
{
    const struct nb_words *curves = &drawing->data->curves;
    int found = -1;
    for (int c = 0; c < curves->count; ++c)
        if (!strcmp(curves->word[c], name))
            return c;
    for (int c = 0; c < curves->count && !strcmp(drawing->figure->curves.name, name); ++c)
        if (drawing->looks[c].own) {
            if (found >= 0)
                return -1;
            found = c;
        }
    return found;
}

static enum nb_status put_label(struct drawing *drawing, const char *name, const char *text, struct nb_error *error)
{
    const struct nb_words *panels = &drawing->data->panels;
    const int curve = labelled_curve(drawing, name);
    bool found = curve >= 0;
    if (found)
        snprintf(drawing->looks[curve].title, sizeof drawing->looks[curve].title, "%s", text);
    for (int p = 0; p < panels->count; ++p)
        if (!strcmp(panels->word[p], name)) {
            snprintf(drawing->panel_label[p], sizeof drawing->panel_label[p], "%s", text);
            found = true;
        }
    if (found)
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "labels: no curve or panel is called %.60s, nor is it the setting of a single "
                                        "curve of your own (curves are by %s, panels by %s)",
                   name, drawing->figure->curves.name, drawing->figure->panels.name);
}

/* NAME=TEXT,NAME=TEXT; a backslash stands before a comma of a text, or an equals sign of a name. */
static enum nb_status put_labels(struct drawing *drawing, struct nb_error *error)
{
    const char *from = drawing->figure->labels;
    enum nb_status status = NB_OK;
    while (*from && !status) {
        char part[2][2 * NB_PLOT_NAME] = {"", ""};
        size_t used[2] = {0, 0};
        int at = 0;
        for (; *from && *from != ','; ++from) {
            if (*from == '=' && at == 0) {
                at = 1;
                continue;
            }
            from += *from == '\\' && from[1];
            if (used[at] + 1 < sizeof part[at])
                part[at][used[at]++] = *from;
        }
        from += *from == ',';
        status = used[0] && used[1] ? put_label(drawing, part[0], part[1], error)
                                    : nb_fail(error, NB_BAD_INPUT, "labels are NAME=TEXT,NAME=TEXT, not %.200s",
                                              drawing->figure->labels);
    }
    return status;
}

static void write_looks(FILE *file, const struct drawing *drawing)
{
    static const char *const names[LOOK_PARTS] = {"look", "curve_colour", "curve_marker", "curve_hollow",
                                                  "curve_dash", "curve_own"};
    for (int part = 0; part < LOOK_PARTS; ++part) {
        for (int c = 0; c < drawing->data->curves.count; ++c) {
            const struct nb_look *look = &drawing->looks[c];
            const int values[LOOK_PARTS] = {c + 1, (int)look->colour, nb_marker_point_type(look->marker),
                                            nb_marker_point_type(nb_marker_hollow(look->marker)), look->dash + 1,
                                            look->own};
            drawing->room[c] = values[part];
        }
        nb_text_array(file, names[part], drawing->room, drawing->data->curves.count);
    }
}

/* What all records of the figure share, for the line below it. */
static void shared_part(const struct drawing *drawing, int i, char *text)
{
    strcpy(text, drawing->shared[i]);
}

/* "time to an error of 1e-8 [s]" */
static void write_cost(const struct nb_figure *figure, double tolerance, char *text)
{
    char number[32];
    snprintf(number, sizeof number, "%.0e", tolerance);
    if (tolerance >= 1e-3 || strtod(number, NULL) != tolerance)
        snprintf(number, sizeof number, "%g", tolerance);
    nb_text_short_exponent(number);
    snprintf(text, TEXT, "%s to an error of %s%s", nb_plot_counts_iterations(figure) ? "iterations" : "time", number,
             nb_plot_counts_iterations(figure) ? "" : " [s]");
}

static void cost_name(const struct drawing *drawing, int p, char *text)
{
    write_cost(drawing->figure, drawing->data->tolerance[p], text);
}

static void write_problems(FILE *file, const struct drawing *drawing)
{
    const int panels = drawing->data->panels.count;
    for (int p = 0; p < panels; ++p)
        drawing->room[p] = drawing->data->problems[p];
    nb_text_array(file, "problems", drawing->room, panels);
    write_texts(file, "cost_name", panels, cost_name, drawing);
    fprintf(file, "least_problems = %d\n", NB_PROFILE_LEAST);
}

static void summary(const struct drawing *drawing, int i, char *text)
{
    strcpy(text, drawing->data->series[i].summary);
}

/* The label at the axis of row `row`. */
static void row_label(const struct drawing *drawing, int row, char *text)
{
    const struct nb_figure *figure = drawing->figure;
    const bool bars = figure->input == NB_FIGURE_BARS;
    if (bars && nb_bars_to_tolerance(figure))
        write_cost(figure, figure->tolerance, text);
    else
        nb_plot_label(drawing->record, bars ? figure->cost : figure->columns[1 + row].name, text, TEXT);
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

static void write_floors(FILE *file, const struct drawing *drawing)
{
    const struct nb_figure *figure = drawing->figure;
    const struct nb_plot_data *data = drawing->data;
    double *room = drawing->room;
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

static void write_name(FILE *file, const char *variable, const char *text)
{
    fprintf(file, "%s = ", variable);
    nb_text_quote(file, text);
    fputc('\n', file);
}

static void write_points(FILE *file, const struct drawing *drawing, int places)
{
    int longest = 0;
    for (int s = 0; s < places; ++s) {
        const int points = drawing->data->series[s].points;
        longest = longest < points ? points : longest;
        drawing->room[s] = points;
    }
    nb_text_array(file, "points", drawing->room, places);
    fprintf(file, "longest = %d\n", longest);
}

static void write_all(FILE *file, const struct drawing *drawing, const char *variant, const char *name, int shared)
{
    const struct nb_figure *figure = drawing->figure;
    const int rows = figure->column_count - 1, panels = drawing->data->panels.count;
    const int curves = drawing->data->curves.count;
    char text[TEXT];
    write_name(file, "data", name);
    fputs("data = data.'.dat'\n", file);
    write_name(file, "variant", variant);
    fprintf(file, "width = %.17g\nheight = %.17g\nrows = %d\npanels = %d\ncurves = %d\n", figure->size[0],
            figure->size[1], rows, panels, curves);
    if (figure->input == NB_FIGURE_PROFILE)
        write_problems(file, drawing);
    write_texts(file, "summary", panels * curves, summary, drawing);
    nb_plot_label(drawing->record, figure->columns[0].name, text, sizeof text);
    write_name(file, "x_label", text);
    write_texts(file, "label", rows, row_label, drawing);
    write_name(file, "floors_of", figure->floors_of);
    write_texts(file, "panel", panels, panel_title, drawing);
    write_texts(file, "name", curves, curve_name, drawing);
    write_texts(file, "curve", curves, curve_title, drawing);
    write_looks(file, drawing);
    fprintf(file, "shared_parts = %d\n", figure->without_foot ? 0 : shared);
    fputs(figure->own_size ? "own_size = 1\n" : "", file);
    write_texts(file, "shared", shared + 1, shared_part, drawing);
    write_points(file, drawing, panels * curves);
    write_floors(file, drawing);
}

static enum nb_status write_variables(const struct nb_figure *figure, const struct nb_plot_data *data,
                                      const char *variant, const char *folder, const char *name,
                                      struct nb_error *error)
{
    FILE *file = NULL;
    char path[4096];
    const int places = data->panels.count * data->curves.count;
    struct drawing *drawing = calloc(1, sizeof *drawing);
    double *room = malloc(2 * (size_t)(figure->column_count - 1) * (size_t)places * sizeof *room + 1);
    enum nb_status status = room && drawing ? NB_OK
                                            : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %s", name);
    if (!status) {
        *drawing = (struct drawing){.figure = figure, .data = data, .room = room};
        for (int i = 0; i < places && !drawing->record; ++i)
            drawing->record = data->series[i].record;
        status = assign_looks(drawing, error);
    }
    status = status ? status : put_labels(drawing, error);
    status = status ? status : nb_text_open(folder, name, "gp", path, sizeof path, &file, error);
    if (!status) {
        write_all(file, drawing, variant, name, plot_shared(figure, data, drawing->shared + 1));
        status = nb_text_close(file, path, error);
    }
    free(drawing);
    free(room);
    return status;
}

enum nb_status nb_plot_write(const struct nb_figure *figure, const struct nb_plot_data *data, const char *variant,
                             const char *folder, const char *name, struct nb_error *error)
{
    const enum nb_status status = write_numbers(figure, data, folder, name, error);
    return status ? status : write_variables(figure, data, variant, folder, name, error);
}
