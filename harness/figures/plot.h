/* Figures from records, pictures from problem files.
 *
 * A figure is one gnuplot file in plots/. The lines at its top that begin with "#:" say which
 * records it shows and how (the language: docs/reference/figures.md). This part reads them, selects the
 * records, writes the numbers to be drawn beside the figure and lets gnuplot draw. Nothing is
 * computed here that a record does not hold, except differences asked for with ":drop". */
#ifndef NB_PLOT_H
#define NB_PLOT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/records/filter.h"
#include "harness/records/record.h"
#include "problems/base/status.h"

/* Writing text files that gnuplot reads. */

/* Opens FOLDER/NAME.SUFFIX for writing; its path is put into path [size]. */
enum nb_status nb_text_open(const char *folder, const char *name, const char *suffix, char *path,
                            size_t size, FILE **file, struct nb_error *error);

/* Closes; fails where anything written has not reached the file. */
enum nb_status nb_text_close(FILE *file, const char *path, struct nb_error *error);

/* A gnuplot string with its quotes, whatever the text holds; control characters become blanks. */
void nb_text_quote(FILE *file, const char *text);

/* Text for a comment: control characters, which would end it, become blanks. */
void nb_text_plain(FILE *file, const char *text);

/* 1e-8 in the place of 1e-08: the first exponent of a text. */
void nb_text_short_exponent(char *text);

/* A number that gnuplot reads back with the same bits, or NaN. */
void nb_text_number(FILE *file, double value);

/* "array NAME[count] = [...]". */
void nb_text_array(FILE *file, const char *name, const double *values, int count);

struct cJSON;
struct nb_problem;

enum { NB_PLOT_NAME = NB_WORD_SIZE, NB_PLOT_WORDS = NB_WORDS_MOST, NB_PLOT_FILTERS = 16, NB_PLOT_ROWS = 6 };

/* A setting with the values that come first; the others follow in alphabetical order. */
struct nb_grouping {
    char name[NB_PLOT_NAME]; /* "" where the figure has no such directive */
    struct nb_words first;
};

struct nb_column {
    char name[NB_PLOT_NAME]; /* an array of the record's trace, or OUTER.INNER: one number */
    bool drop;               /* its value at the start minus its value, not itself  */
    bool sum;                /* the sum of its values so far, null counting as 0    */
};

/* What a figure is drawn from. */
enum nb_figure_input {
    NB_FIGURE_RECORDS,   /* a curve shows one record */
    NB_FIGURE_SCENE,     /* a problem file */
    NB_FIGURE_PROFILE,   /* a curve shows the costs of many records (harness/figures/profile.h) */
    NB_FIGURE_QUANTILES, /* a curve shows a quantile over many records (harness/figures/bars.h) */
    NB_FIGURE_BARS,      /* a bar shows median and quartiles of a number (harness/figures/bars.h) */
};

struct nb_figure {
    char name[NB_PLOT_NAME]; /* the file's name without ".gp" */
    char title[160];
    enum nb_figure_input input;
    double tolerance;        /* of a profile, and of bars that show what it costs to reach it */
    char cost[NB_PLOT_NAME]; /* of a profile: time or iterations; of bars: either, or a number of the record */
    double size[2];          /* width, height [mm] */
    bool own_size;           /* the user's: no figure makes it higher for many panels */
    bool without_foot;       /* what all curves share is not said below */
    char labels[320];        /* NAME=TEXT,NAME=TEXT: what stands for values of curves and panels; "": their titles */
    double view[2];          /* azimuth, elevation of a picture [degrees]; NaN: chosen from the scene */
    struct nb_grouping each, panels, curves;
    int filter_count;
    struct nb_filter filters[NB_PLOT_FILTERS];
    int column_count;        /* x, then one for each row of panels */
    struct nb_column columns[1 + NB_PLOT_ROWS];
    double from;             /* smallest x drawn */
    bool floors;
    char floors_of[NB_PLOT_NAME]; /* the only curve whose floors are drawn; "": all */
};

static inline bool nb_plot_counts_iterations(const struct nb_figure *figure)
{
    return !strcmp(figure->cost, "iterations");
}

/* Reads the directives of the file at path, then those of changes [count], which are written like
 * them, without "#:"; a change of each, panels or curves replaces, where adds one filter, which may hold blanks. */
enum nb_status nb_figure_read(const char *path, char *const *changes, int count,
                              struct nb_figure *figure, struct nb_error *error);

enum { NB_FLOOR_RESIDUAL, NB_FLOOR_STEP, NB_FLOOR_ALL, NB_FLOOR_CONSTRAINT, NB_FLOOR_STEP_ERROR, NB_FLOOR_SYSTEM,
       NB_FLOOR_KINDS };
extern const char *const nb_floor_names[NB_FLOOR_KINDS]; /* in a record's `floor` */

/* One curve of one panel. */
struct nb_series {
    const struct cJSON *record; /* the record drawn, owned by the records; NULL: none */
    int points;
    double *value;              /* [points x column_count], NaN: not known */
    double floor[NB_FLOOR_KINDS]; /* NaN: not known */
    char summary[80];           /* of a profile: how many problems are solved, at which mean cost */
    char note[400];             /* why nothing is drawn, or what else could have been; "" */
};

/* A record that passes the filters, and where it stands. */
struct nb_place {
    const struct cJSON *record;
    int panel, curve; /* of quantiles, whose curves have all records of their panel, curve is 0 */
};

struct nb_plot_data {
    struct nb_words panels, curves;
    struct nb_place *place; /* [places] in the records' order */
    int places;
    int slot[NB_PLOT_WORDS];    /* of each curve, from 1: its look; the place that the directive
                                   gives its value, whether or not the values before it occur */
    struct nb_series *series;   /* [panels.count x curves.count], by panel */
    int problems[NB_PLOT_WORDS];     /* of each panel, of a profile: how many it counts */
    double tolerance[NB_PLOT_WORDS]; /* likewise: the error to be reached               */
};

/* The values of the figure's `each`, in order; one empty word where it has none. Fails, naming the
 * filter, where no record passes the filters. */
enum nb_status nb_plot_variants(const struct nb_figure *figure, const struct cJSON *records,
                                struct nb_words *variants, struct nb_error *error);

/* Fills a series for every panel and curve: of records the last complete one of each, else as the figure's input says.
 * Where there is nothing to draw data->series has points = 0; *drawn counts the others. The caller frees data, which
 * borrows from records. */
enum nb_status nb_plot_select(const struct nb_figure *figure, const struct cJSON *records,
                              const char *variant, struct nb_plot_data *data, int *drawn,
                              struct nb_error *error);
void nb_plot_data_free(struct nb_plot_data *data);

/* Writes NAME.dat and NAME.gp (the variables that a figure file uses) into folder. */
enum nb_status nb_plot_write(const struct nb_figure *figure, const struct nb_plot_data *data, const char *variant,
                             const char *folder, const char *name, struct nb_error *error);

/* The same for the picture of a problem; lambda [N] may be NULL. */
enum nb_status nb_picture_write(const struct nb_figure *figure, const struct nb_problem *problem,
                                const double *lambda, const char *folder, const char *name,
                                struct nb_error *error);

/* Runs gnuplot on folder/NAME.gp, style and figure file (absolute paths), for NAME.pdf, NAME.png or NAME.svg in
 * folder, as formats say: some of "pdf,png,svg". */
enum nb_status nb_gnuplot_run(const char *folder, const char *name, const char *formats, const char *style,
                              const char *figure, struct nb_error *error);
enum nb_status nb_plot_check_formats(const char *formats, struct nb_error *error);

/* Points that the record has for all of the figure's columns; 0 where one is missing. */
int nb_plot_points(const struct nb_figure *figure, const struct cJSON *record);

/* Reads the record's columns into series->value and points; those before the figure's `from` are left out. */
enum nb_status nb_plot_read(const struct nb_figure *figure, const struct cJSON *record,
                            struct nb_series *series, struct nb_error *error);
void nb_plot_drop_early(const struct nb_figure *figure, struct nb_series *series);

struct nb_plot_request {
    const char *figure;
    char *const *changes; /* [change_count] as of nb_figure_read */
    int change_count;
    const char *formats;   /* some of "pdf,png,svg" */
    const char *directory; /* made if it is missing */
    FILE *report;          /* takes notes */
    FILE *list;            /* takes the paths of what was drawn; may be NULL */
};

/* Draws the figure from records, which source names in messages and to which classes and labels of problems are
 * added; and from files [count >= 1] of records, or one of a problem, whichever the figure draws. */
enum nb_status nb_plot_records(const struct nb_plot_request *request, struct cJSON *records, const char *source,
                               struct nb_error *error);
enum nb_status nb_plot(const struct nb_plot_request *request, const char *const *inputs, int count,
                       struct nb_error *error);

/* The folder of figure files. nb_plot_suggest, into text: "nearest: ...; known figures: ..." in it; the
 * names alone for an empty one. */
enum nb_status nb_plot_folder(char *path, size_t size, struct nb_error *error);
void nb_plot_suggest(const char *name, char *text, size_t size);
enum nb_status nb_plot_check_name(const char *figure, struct nb_error *error); /* that there is such a figure file */

/* The values of a setting in the records that pass the figure's first `filters` filters and belong to
 * the variant (NULL: to any): those of `first` in its order, then the rest in alphabetical order.
 * NB_UNSUPPORTED where there are more than a figure can show. */
enum nb_status nb_plot_collect(const struct nb_figure *figure, int filters, const char *variant,
                               const struct cJSON *records, const struct nb_grouping *grouping,
                               struct nb_words *words, struct nb_error *error);

/* The values of a filter that no record has of those that pass the filters before it. */
void nb_plot_unmet(const struct nb_figure *figure, int filter, const struct cJSON *records, struct nb_words *unmet);

/* How many records that pass the filters a profile leaves out, as their methods do not read the setting
 * (harness/records/record.h), and these methods. */
int nb_plot_unread(const struct nb_figure *figure, const char *name, const struct cJSON *records,
                   struct nb_words *methods);

#endif
