/* Figures of any records without a gnuplot file of one's own: curves of convergence, performance and data profiles,
 * bars of times. Each is a figure file in plots/ (convergence.gp, profile.gp, bars.gp) whose directives the request
 * changes; any other figure of records can be named, too.
 *
 *     convergence  y of the trace over iterations or time, with the accuracy floors that the records have
 *     profile      over problems: the share that a method solves, over its cost (harness/figures/profile.h)
 *     bars         y of every method on every problem, with its quartiles; failures are named (harness/figures/bars.h)
 */
#ifndef NB_FIGURE_H
#define NB_FIGURE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

/* SVG as gnuplot writes it, made fit for a page with several of them. */

/* Rewrites the file: ids and references to them begin with name, so that those of several pictures in one page do not
 * clash, and fonts have fallbacks that every browser has. name: of a file, without < > &. */
enum nb_status nb_svg_finish(const char *path, const char *name, struct nb_error *error);

/* A filter for scandir: whether the entry is an SVG file. */
int nb_svg_is(const struct dirent *entry);

/* Prints what follows the file's XML prologue: the element itself. */
enum nb_status nb_svg_print(const char *path, FILE *stream, struct nb_error *error);

struct cJSON;

enum { NB_FIGURE_WHERE = 64 };

/* What is NULL or 0 is as the figure file has it. */
struct nb_figure_request {
    const char *kind;       /* convergence, profile, bars, or another figure of records in plots/ */
    const char *curves;     /* what tells curves apart, a setting's name, as method, linear, precond; or NAME=A,B:
                               records with these values only, in this order; or "NAME: A B": these first */
    const char *panels;     /* likewise: a panel for each value */
    const char *each;       /* likewise: a figure for each value; none: one figure */
    const char *x;          /* convergence: iteration, linear_iterations (so far) or time */
    const char *y;          /* convergence: an array of the trace, or error, that by which the record is judged;
                               profile: time or iterations; bars: time, iterations or a number of the record */
    const char *const *where; /* [where_count] NAME=A,B or NAME!=A,B */
    int where_count;        /* at most NB_FIGURE_WHERE */
    double tolerance;       /* of a profile and of bars: the error to be reached */
    const char *formats;    /* not of nb_figure_svg: some of "pdf,png,svg"; NULL: pdf,png */
    const char *folder;     /* not of nb_figure_svg; made if it is missing */
    const char *name;       /* of the files, without suffix */
    const char *size;       /* WIDTHxHEIGHT [mm] */
    const char *labels;     /* NAME=TEXT,NAME=TEXT: what stands for values of curves and panels */
    bool without_foot;      /* what all curves share is not said below */
};

/* Draws the records of files [count] into folder, or, of a figure that draws one, a problem file. What was drawn, and
 * notes, go to report. NB_BAD_INPUT names the setting, the metric or the value that no record has, with those that they
 * have. */
enum nb_status nb_figure_draw(const struct nb_figure_request *request, const char *const *paths, int count,
                              FILE *report, struct nb_error *error);

/* The same of records, an array as of nb_records_read, as text for a page: SVG elements one after the other, one of
 * each value of `each`, without XML prologue. The classes of the records' problems and, where names do not tell them
 * apart, labels are added to them; source names them in messages. Text is text, nothing outside is referred to, and ids
 * begin with `name`, which so must differ in one page. The caller frees *svg. */
enum nb_status nb_figure_svg(const struct nb_figure_request *request, struct cJSON *records, const char *source,
                             FILE *report, char **svg, struct nb_error *error);

#endif
