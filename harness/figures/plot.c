/* One figure, from its directives to the files in the output folder. Everything is made in a
 * hidden folder beside its place and moved when all of it is there. */
#include "harness/figures/plot.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/figures/bars.h"
#include "harness/figures/plot_known.h"
#include "harness/figures/plot_output.h"
#include "harness/figures/profile.h"
#include "harness/records/folders.h"
#include "harness/records/installed.h"
#include "harness/records/problem_name.h"
#include "problems/base/hash.h"
#include "problems/base/numbers.h"
#include "problems/base/suggest.h"
#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"
#include "problems/problem.h"

/* The output folder and the hidden one in it. */

/* Finds the folder of the figure files (NCPBENCH_PLOTS, beside the program, or installed) and the figures in it. */

enum nb_status nb_plot_folder(char *path, size_t size, struct nb_error *error)
{
    return nb_installed_folder("NCPBENCH_PLOTS", "plots", "figure files", path, size, error);
}

static int is_figure(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".gp") == 0 &&
           strcmp(entry->d_name, "style.gp") != 0;
}

/* The nearest name alone, where there is one: a long list may not fit. */
static void write_names(const char *name, const char *const *known, int count, char *text,
                        size_t size)
{
    const char *nearest = *name ? nb_nearest_name(name, known, (size_t)count) : NULL;
    size_t used = 0;
    if (nearest)
        snprintf(text, size, "nearest: %s; all: ncpbench plot --help", nearest);
    for (int i = 0; i < count && used < size && !nearest; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "known figures: ",
                                 known[i]);
}

void nb_plot_suggest(const char *name, char *text, size_t size)
{
    char folder[PATH_MAX];
    struct dirent **entries = NULL;
    const char **known = NULL;
    snprintf(text, size, "there are no figure files");
    if (nb_plot_folder(folder, sizeof folder, NULL))
        return;
    const int count = scandir(folder, &entries, is_figure, alphasort);
    if (count > 0)
        known = malloc((size_t)count * sizeof *known);
    for (int i = 0; known && i < count; ++i) {
        entries[i]->d_name[strlen(entries[i]->d_name) - 3] = '\0';
        known[i] = entries[i]->d_name;
    }
    if (known)
        write_names(name, known, count, text, size);
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    free(known);
    free(entries);
}

/* What nb_make_folders made, as far as it is empty: nothing was drawn. */
static void remove_made(const struct nb_plot_output *output)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", output->directory);
    for (size_t i = strlen(part); output->made && i >= output->made; --i)
        if (output->directory[i] == '/' || output->directory[i] == '\0') {
            part[i] = '\0';
            rmdir(part);
        }
}

static int is_result(const struct dirent *entry)
{
    const char *suffix = strrchr(entry->d_name, '.');
    return suffix && (strcmp(suffix, ".pdf") == 0 || strcmp(suffix, ".png") == 0 ||
                      strcmp(suffix, ".svg") == 0 || strcmp(suffix, ".dat") == 0);
}

static enum nb_status move_one(const struct nb_plot_output *output, const char *name, struct nb_error *error)
{
    char from[PATH_MAX + 256], to[PATH_MAX + 256];
    snprintf(from, sizeof from, "%s/%s", output->folder, name);
    snprintf(to, sizeof to, "%s/%s", output->directory, name);
    if (rename(from, to) != 0)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", to, strerror(errno));
    if (output->list)
        fprintf(output->list, "%s\n", to);
    return NB_OK;
}

static enum nb_status move_results(const struct nb_plot_output *output, struct nb_error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(output->folder, &entries, is_result, alphasort);
    enum nb_status status = NB_OK;
    for (int i = 0; i < count; ++i) {
        status = status ? status : move_one(output, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

void nb_output_remove(const char *folder)
{
    char path[PATH_MAX + 256];
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (stream)
        closedir(stream);
    rmdir(folder);
}

/* -o FILE.pdf would make a folder of this name. */
static enum nb_status check_folder(const char *folder, struct nb_error *error)
{
    const char *dot = strrchr(folder, '.');
    if (!dot || (strcmp(dot, ".pdf") && strcmp(dot, ".png") && strcmp(dot, ".svg")))
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "-o %.200s: names a folder, in which figures have names of their own: "
                                        "--format %s -o FOLDER",
                   folder, dot + 1);
}

static enum nb_status output_begin(struct nb_plot_output *output, struct nb_error *error)
{
    output->made = 0;
    if (check_folder(output->directory, error))
        return NB_BAD_INPUT;
    enum nb_status status = nb_make_folders(output->directory, &output->made, error);
    errno = ENAMETOOLONG; /* which snprintf does not say */
    if (!status && ((size_t)snprintf(output->folder, sizeof output->folder, "%s/.plot-XXXXXX", output->directory) >=
                        sizeof output->folder || !mkdtemp(output->folder)))
        status = nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", output->directory, strerror(errno));
    if (status)
        remove_made(output);
    return status;
}

/* status: of what was done in between; where it is a failure nothing is left behind. */
static enum nb_status output_end(struct nb_plot_output *output, enum nb_status status, struct nb_error *error)
{
    status = status ? status : move_results(output, error);
    nb_output_remove(output->folder);
    if (status)
        remove_made(output);
    return status;
}

struct job {
    const struct nb_plot_request *request;
    struct nb_figure figure;
    const char *const *inputs; /* [input_count] files; none: records in memory */
    int input_count;
    const char *source; /* of the records in messages, or the problem file */
    char style[PATH_MAX + 96], script[PATH_MAX + 80]; /* absolute */
    struct nb_plot_output output;
    FILE *report;
    struct nb_error *error;
};

/* NAME or NAME_VARIANT, fit for a file name. Where that takes other characters the hash of what it was follows, so
 * that no two variants have one name. */
static void output_name(const struct nb_figure *figure, const char *variant, char *name,
                        size_t size)
{
    const int length = snprintf(name, size, "%s%s%s", figure->name, variant[0] ? "_" : "", variant);
    char hash[NB_SHORT_HASH_SIZE] = "";
    bool changed = false;
    nb_hash(variant, strlen(variant), hash, sizeof hash, NULL);
    for (char *c = name; *c; ++c)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-' && *c != '.') {
            *c = '_';
            changed = true;
        }
    if (changed)
        snprintf(name + length, size - (size_t)length, "-%.8s", hash);
}

/* How often an option was given. */
static int count_asked(const struct job *job, const char *option)
{
    int count = 0;
    for (int i = 0; i < job->request->change_count; ++i)
        count += !strncmp(job->request->changes[i], option, strlen(option));
    return count;
}

/* What was asked for by an option, figures, panels or curves, and is in no record. */
static void print_missing(const struct job *job, const char *option, const char *name, const struct nb_words *wanted,
                          const struct nb_words *drawn)
{
    const bool asked = count_asked(job, option) > 0;
    for (int i = 0; asked && i < wanted->count; ++i)
        if (nb_words_find(drawn, wanted->word[i]) < 0)
            fprintf(job->report, "note: --%s: no record that is drawn has %s=%s\n", option, name, wanted->word[i]);
}

static void print_notes(const struct job *job, const char *name, const struct nb_plot_data *data)
{
    print_missing(job, "panels", job->figure.panels.name, &job->figure.panels.first, &data->panels);
    print_missing(job, "curves", job->figure.curves.name, &job->figure.curves.first, &data->curves);
    for (int p = 0; p < data->panels.count && job->figure.input == NB_FIGURE_PROFILE; ++p)
        if (data->problems[p] && data->problems[p] < NB_PROFILE_LEAST)
            fprintf(job->report, "note: %s, %s: no profile of %d problem%s, it takes %d: a table stands in its place\n",
                    name, data->panels.word[p], data->problems[p], data->problems[p] == 1 ? "" : "s", NB_PROFILE_LEAST);
    for (int p = 0; p < data->panels.count; ++p)
        for (int c = 0; c < data->curves.count; ++c) {
            const struct nb_series *series = &data->series[p * data->curves.count + c];
            if (series->note[0])
                fprintf(job->report, "note: %s, %s %s: %s\n", name, data->panels.word[p],
                        data->curves.word[c], series->note);
        }
}

/* Whether it is the value of a filter that --panels or --curves has added, which tell of it themselves. */
static bool is_of_grouping(const struct job *job, const char *name, const char *value)
{
    const struct nb_grouping *panels = &job->figure.panels, *curves = &job->figure.curves;
    return (count_asked(job, "panels") && !strcmp(panels->name, name) && nb_words_find(&panels->first, value) >= 0) ||
           (count_asked(job, "curves") && !strcmp(curves->name, name) && nb_words_find(&curves->first, value) >= 0);
}

/* Values of --where that no record which passes the filters before it has: those of a figure's file may be others'. */
static void print_unmet(const struct job *job, const cJSON *records)
{
    const struct nb_figure *figure = &job->figure;
    for (int i = figure->filter_count - count_asked(job, "where"); i < figure->filter_count; ++i) {
        const char *name = figure->filters[i].name;
        struct nb_words unmet, unreported = {0};
        char text[300];
        nb_plot_unmet(figure, i, records, &unmet);
        for (int k = 0; k < unmet.count; ++k)
            if (!is_of_grouping(job, name, unmet.word[k]))
                nb_words_add(&unreported, unmet.word[k]);
        nb_words_join(&unreported, text, sizeof text);
        if (unreported.count)
            fprintf(job->report, "note: --where: no record has %s=%s\n", name, text);
    }
}

/* The cases that have no place in a profile or in bars, as they do not read what it is grouped by. */
static void print_unread(const struct job *job, const cJSON *records)
{
    const struct nb_figure *figure = &job->figure;
    const char *const names[] = {figure->each.name, figure->panels.name, figure->curves.name};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        struct nb_words methods;
        char text[300];
        const int count = nb_plot_unread(figure, names[i], records, &methods);
        nb_words_join(&methods, text, sizeof text);
        if (count)
            fprintf(job->report, "note: %s: %d case%s read %s: %s\n", figure->name, count,
                    count == 1 ? " left out, its method does not"
                               : "s left out, their methods do not", names[i], text);
    }
}

static enum nb_status draw_variant(const struct job *job, const cJSON *records,
                                   const char *variant, int *drawn)
{
    char name[2 * NB_PLOT_NAME + 16];
    struct nb_plot_data data;
    enum nb_status status = nb_plot_select(&job->figure, records, variant, &data, drawn, job->error);
    if (status)
        return status;
    output_name(&job->figure, variant, name, sizeof name);
    print_notes(job, name, &data);
    if (*drawn == 0 && job->figure.input == NB_FIGURE_PROFILE)
        fprintf(job->report, "note: %s: not drawn, no record reaches an error of %g (--tol)\n", name,
                job->figure.tolerance);
    else if (*drawn == 0)
        fprintf(job->report, "note: %s: not drawn, no record has what it shows\n", name);
    if (*drawn > 0)
        status = nb_plot_write(&job->figure, &data, variant, job->output.folder, name, job->error);
    if (!status && *drawn > 0)
        status = nb_gnuplot_run(job->output.folder, name, job->request->formats, job->style, job->script, job->error);
    nb_plot_data_free(&data);
    return status;
}

/* Nothing of a profile or of bars was drawn: nobody reads what it is grouped by, or nobody gets there. */
static enum nb_status say_why_nothing_counts(const struct job *job, const cJSON *records)
{
    const struct nb_figure *figure = &job->figure;
    const struct nb_grouping *const by[] = {&figure->each, &figure->panels, &figure->curves};
    for (size_t i = 0; i < sizeof by / sizeof *by; ++i) {
        struct nb_words met = {0};
        if (by[i]->name[0] && !nb_plot_collect(figure, figure->filter_count, NULL, records, by[i],
                                               &met, job->error) && !met.count)
            return nb_fail(job->error, NB_BAD_INPUT, "%s: of the records that match, none is of a "
                           "method that reads %s", job->source, by[i]->name);
    }
    if (figure->input == NB_FIGURE_BARS && !nb_bars_to_tolerance(figure))
        return nb_fail(job->error, NB_BAD_INPUT, "%s: of the records that match, none has %s", job->source,
                       figure->cost);
    return nb_fail(job->error, NB_BAD_INPUT, "%s: of the records that match, %s an error of %g (--tol)",
                   job->source, figure->input == NB_FIGURE_BARS ? "no bar has half of them that reach"
                       : "none that was timed reaches",
                   figure->tolerance);
}

static enum nb_status say_why_nothing(const struct job *job, const cJSON *records)
{
    if (job->figure.input == NB_FIGURE_PROFILE || job->figure.input == NB_FIGURE_BARS)
        return say_why_nothing_counts(job, records);
    return nb_fail(job->error, NB_BAD_INPUT, "%s: of the records that match, none has the "
                   "traces that %s draws", job->source, job->figure.name);
}

/* needs: by which the records were read; NULL: they are whole. */
static enum nb_status draw_records(const struct job *job, cJSON *records, const struct nb_plot_needs *needs)
{
    struct nb_words variants;
    int total = 0;
    nb_problem_classes_add(records);
    enum nb_status status = nb_problems_tell_apart(records, job->error);
    status = status ? status : nb_plot_check_settings(&job->figure, records, job->source, job->error);
    if (!status) /* before the values, of which only records that pass the filters have any here */
        status = nb_plot_variants(&job->figure, records, &variants, job->error);
    status = status ? status : nb_plot_check_values(&job->figure, records, needs, job->source, job->error);
    if (!status) {
        print_unmet(job, records);
        print_missing(job, "each", job->figure.each.name, &job->figure.each.first, &variants);
        print_unread(job, records);
    }
    for (int i = 0; !status && i < variants.count; ++i) {
        int drawn = 0;
        status = draw_variant(job, records, variants.word[i], &drawn);
        total += drawn;
    }
    return status || total ? status : say_why_nothing(job, records);
}

static enum nb_status read_and_draw(const struct job *job)
{
    cJSON *records = NULL;
    struct nb_plot_needs needs = {.figure = &job->figure};
    enum nb_status status = nb_records_read_packed(job->inputs, job->input_count, nb_plot_wants, &needs, &records,
                                                   job->error);
    status = status ? status : draw_records(job, records, &needs);
    cJSON_Delete(records);
    return status;
}

static enum nb_status draw_scene(const struct job *job)
{
    char name[2 * NB_PLOT_NAME + 16];
    struct nb_problem problem = {0};
    double *u = NULL, *lambda = NULL;
    enum nb_status status = nb_problem_read(job->source, &problem, job->error);
    status = status ? status : nb_solution_read(job->source, &problem, &u, &lambda, job->error);
    output_name(&job->figure, problem.name, name, sizeof name);
    status = status ? status : nb_picture_write(&job->figure, &problem, lambda, job->output.folder, name, job->error);
    if (!status)
        status = nb_gnuplot_run(job->output.folder, name, job->request->formats, job->style, job->script, job->error);
    free(u);
    free(lambda);
    nb_problem_free(&problem);
    return status;
}

/* Whether the file begins as HDF5 files do. */
static enum nb_status is_hdf5(const char *path, bool *yes, struct nb_error *error)
{
    unsigned char start[8] = {0};
    FILE *file;
    const enum nb_status status = nb_open_regular(path, &file, error);
    if (status)
        return status;
    const size_t length = fread(start, 1, sizeof start, file);
    const bool failed = ferror(file);
    fclose(file);
    if (failed)
        return nb_fail(error, NB_BAD_FILE, "%s: cannot be read", path);
    *yes = length == sizeof start && memcmp(start, "\211HDF\r\n\032\n", sizeof start) == 0;
    return NB_OK;
}

/* script [size]: the figure's file. */
static enum nb_status find_script(const char *figure, char *script, size_t size, struct nb_error *error)
{
    char folder[PATH_MAX], known[300];
    const enum nb_status status = nb_plot_folder(folder, sizeof folder, error);
    if (status)
        return status;
    snprintf(script, size, "%s/%.60s.gp", folder, figure);
    if (figure[0] != '\0' && !strchr(figure, '/') && strcmp(figure, "style") != 0 &&
        strlen(figure) < NB_PLOT_NAME && access(script, F_OK) == 0)
        return NB_OK;
    nb_plot_suggest(figure, known, sizeof known);
    return nb_fail(error, NB_BAD_INPUT, "no figure '%.60s'; %s", figure, known);
}

enum nb_status nb_plot_check_name(const char *figure, struct nb_error *error)
{
    char script[PATH_MAX + 80];
    return find_script(figure, script, sizeof script, error);
}

static enum nb_status find_figure(struct job *job)
{
    const struct nb_plot_request *request = job->request;
    enum nb_status status = nb_plot_check_formats(request->formats, job->error);
    status = status ? status : find_script(request->figure, job->script, sizeof job->script, job->error);
    if (status)
        return status;
    snprintf(job->style, sizeof job->style, "%.*s/style.gp", (int)(strrchr(job->script, '/') - job->script),
             job->script);
    return nb_figure_read(job->script, request->changes, request->change_count, &job->figure, job->error);
}

static struct job *new_job(const struct nb_plot_request *request, const char *source, struct nb_error *error)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %s", request->figure);
        return NULL;
    }
    job->request = request;
    job->source = source;
    job->output.directory = request->directory;
    job->output.list = request->list;
    job->report = request->report;
    job->error = error;
    return job;
}

enum nb_status nb_plot_records(const struct nb_plot_request *request, cJSON *records, const char *source,
                               struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct job *job = new_job(request, source, error);
    if (!job)
        return NB_OUT_OF_MEMORY;
    enum nb_status status = find_figure(job);
    if (!status && job->figure.input == NB_FIGURE_SCENE)
        status = nb_fail(error, NB_BAD_INPUT, "%s draws a problem file (FILE.h5), not records", request->figure);
    status = status ? status : output_begin(&job->output, error);
    status = status ? status : output_end(&job->output, draw_records(job, records, NULL), error);
    free(job);
    return status;
}

/* The files must be what the figure draws. */
static enum nb_status check_inputs(const struct job *job, bool *hdf5)
{
    const char *figure = job->request->figure;
    enum nb_status status = NB_OK;
    for (int i = 0; i < job->input_count && !status; ++i) {
        const char *input = job->inputs[i];
        status = is_hdf5(input, hdf5, job->error);
        if (!status && *hdf5 != (job->figure.input == NB_FIGURE_SCENE))
            status = nb_fail(job->error, NB_BAD_INPUT, "%s draws %s, and %s is %s", figure,
                             *hdf5 ? "records (RESULTS.jsonl)" : "a problem file (FILE.h5)", input,
                             *hdf5 ? "an HDF5 file" : "not HDF5");
    }
    if (!status && *hdf5 && job->input_count > 1)
        return nb_fail(job->error, NB_BAD_INPUT, "%s draws one problem file, not %d", figure, job->input_count);
    if (!status && *hdf5 && job->request->change_count > count_asked(job, "name ") + count_asked(job, "size "))
        return nb_fail(job->error, NB_BAD_INPUT, "%s draws a problem file: the options that choose records are "
                       "not for it", figure);
    return status;
}

enum nb_status nb_plot(const struct nb_plot_request *request, const char *const *inputs, int count,
                       struct nb_error *error)
{
    NB_DECIMAL_POINT;
    char source[300];
    snprintf(source, sizeof source, "%.250s%s", inputs[0], count > 1 ? " and others" : "");
    struct job *job = new_job(request, count > 1 ? source : inputs[0], error);
    bool hdf5 = false;
    if (!job)
        return NB_OUT_OF_MEMORY;
    job->inputs = inputs;
    job->input_count = count;
    enum nb_status status = find_figure(job);
    status = status ? status : check_inputs(job, &hdf5);
    status = status ? status : output_begin(&job->output, error);
    if (!status)
        status = output_end(&job->output, hdf5 ? draw_scene(job) : read_and_draw(job), error);
    free(job);
    return status;
}
