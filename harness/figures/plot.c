/* One figure, from its directives to the files in the output folder. Everything is made in a
 * hidden folder beside its place and moved when all of it is there. */
#include "harness/figures/plot.h"
#include "harness/figures/plot_groups.h"
#include "harness/figures/profile.h"
#include "harness/figures/quantile.h"
#include "harness/records/problem_class.h"
#include "harness/records/problem_name.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problems/base/hash.h"
#include "problems/base/numbers.h"
#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"
#include "problems/problem.h"

struct job {
    struct nb_figure figure;
    const char *input, *directory;
    char style[PATH_MAX + 16], script[PATH_MAX + 80]; /* absolute */
    char folder[PATH_MAX];                            /* the hidden one */
    size_t made; /* length of the first part of directory that was made; 0: all was there */
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

static void print_notes(const struct job *job, const char *name, const struct nb_plot_data *data)
{
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

/* The cases that have no place in a profile, as they do not read what it is grouped by. */
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
    enum nb_status status =
        (job->figure.input == NB_FIGURE_PROFILE     ? nb_profile_select
         : job->figure.input == NB_FIGURE_QUANTILES ? nb_quantile_select
                                                    : nb_plot_select)(&job->figure, records, variant, &data, drawn,
                                                                      job->error);
    if (status)
        return status;
    output_name(&job->figure, variant, name, sizeof name);
    print_notes(job, name, &data);
    if (*drawn > 0)
        status = nb_plot_write(&job->figure, &data, variant, job->folder, name, job->error);
    if (!status && *drawn > 0)
        status = nb_gnuplot_run(job->folder, name, job->style, job->script, job->error);
    nb_plot_data_free(&data);
    return status;
}

/* Nothing of a profile was drawn: nobody reads what it is grouped by, or nobody gets there. */
static enum nb_status say_why_not_profile(const struct job *job, const cJSON *records)
{
    const struct nb_figure *figure = &job->figure;
    const struct nb_grouping *const by[] = {&figure->each, &figure->panels, &figure->curves};
    for (size_t i = 0; i < sizeof by / sizeof *by; ++i) {
        struct nb_words met = {0};
        if (by[i]->name[0] && !nb_plot_collect(figure, figure->filter_count, NULL, records, by[i],
                                               &met, job->error) && !met.count)
            return nb_fail(job->error, NB_BAD_INPUT, "%s: of the records that match, none is of a "
                           "method that reads %s", job->input, by[i]->name);
    }
    return nb_fail(job->error, NB_BAD_INPUT, "%s: of the records that match, none reaches an error of "
                   "%g (--tol) and was timed", job->input, figure->tolerance);
}

/* Nothing was drawn: a name that no record knows, or else records without traces. */
static enum nb_status say_why(const struct job *job, const cJSON *records)
{
    const struct nb_figure *figure = &job->figure;
    const char *names[3 + NB_PLOT_FILTERS] = {figure->each.name, figure->panels.name,
                                              figure->curves.name};
    for (int i = 0; i < figure->filter_count; ++i)
        names[3 + i] = figure->filters[i].name;
    for (int i = 0; i < 3 + figure->filter_count; ++i)
        if (names[i][0] && !nb_records_know(records, names[i]))
            return nb_fail(job->error, NB_BAD_INPUT, "%s: no record has a setting %s", job->input,
                           names[i]);
    if (figure->input == NB_FIGURE_PROFILE)
        return say_why_not_profile(job, records);
    return nb_fail(job->error, NB_BAD_INPUT, "%s: of the records that match, none has the "
                   "traces that %s draws", job->input, figure->name);
}

static enum nb_status draw_records(const struct job *job)
{
    cJSON *records = NULL;
    struct nb_words variants;
    int total = 0;
    enum nb_status status = nb_records_read(job->input, &records, job->error);
    if (!status && job->figure.input == NB_FIGURE_PROFILE) {
        nb_problem_classes_add(records);
        status = nb_problems_tell_apart(records, job->error);
    }
    if (!status)
        status = nb_plot_variants(&job->figure, records, &variants, job->error);
    if (!status)
        print_unread(job, records);
    for (int i = 0; !status && i < variants.count; ++i) {
        int drawn = 0;
        status = draw_variant(job, records, variants.word[i], &drawn);
        total += drawn;
    }
    if (!status && total == 0)
        status = say_why(job, records);
    cJSON_Delete(records);
    return status;
}

static enum nb_status draw_scene(const struct job *job)
{
    char name[2 * NB_PLOT_NAME + 16];
    struct nb_problem problem = {0};
    double *u = NULL, *lambda = NULL;
    enum nb_status status = nb_problem_read(job->input, &problem, job->error);
    if (!status)
        status = nb_solution_read(job->input, &problem, &u, &lambda, job->error);
    output_name(&job->figure, problem.name, name, sizeof name);
    if (!status)
        status = nb_picture_write(&job->figure, &problem, lambda, job->folder, name, job->error);
    if (!status)
        status = nb_gnuplot_run(job->folder, name, job->style, job->script, job->error);
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

static enum nb_status make_folders(struct job *job)
{
    const char *path = job->directory;
    struct nb_error *error = job->error;
    char part[PATH_MAX];
    if (path[0] == '\0' || strlen(path) >= sizeof part)
        return nb_fail(error, NB_BAD_INPUT, "'%.200s' cannot be an output folder", path);
    for (size_t i = 1; i <= strlen(path); ++i) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        const bool made = mkdir(part, 0777) == 0;
        if (made && !job->made)
            job->made = i;
        if (!made && errno != EEXIST)
            return nb_fail(error, NB_BAD_FILE, "%s: cannot be made: %s", part, strerror(errno));
    }
    return NB_OK;
}

/* What make_folders made, as far as it is empty: nothing was drawn. */
static void remove_made(const struct job *job)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", job->directory);
    for (size_t i = strlen(part); job->made && i >= job->made; --i)
        if (job->directory[i] == '/' || job->directory[i] == '\0') {
            part[i] = '\0';
            rmdir(part);
        }
}

static int is_result(const struct dirent *entry)
{
    const char *suffix = strrchr(entry->d_name, '.');
    return suffix && (strcmp(suffix, ".pdf") == 0 || strcmp(suffix, ".png") == 0 ||
                      strcmp(suffix, ".dat") == 0);
}

static enum nb_status move_one(const struct job *job, const char *name)
{
    char from[PATH_MAX + 256], to[PATH_MAX + 256];
    snprintf(from, sizeof from, "%s/%s", job->folder, name);
    snprintf(to, sizeof to, "%s/%s", job->directory, name);
    if (rename(from, to) != 0)
        return nb_fail(job->error, NB_BAD_FILE, "%.300s: cannot be written: %s", to,
                       strerror(errno));
    fprintf(job->report, "%s\n", to);
    return NB_OK;
}

static enum nb_status move_results(const struct job *job)
{
    struct dirent **entries = NULL;
    const int count = scandir(job->folder, &entries, is_result, alphasort);
    enum nb_status status = NB_OK;
    for (int i = 0; i < count; ++i) {
        if (!status)
            status = move_one(job, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static void remove_folder(const char *folder)
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

static enum nb_status draw_in(struct job *job)
{
    errno = ENAMETOOLONG; /* which snprintf does not say */
    if ((size_t)snprintf(job->folder, sizeof job->folder, "%s/.plot-XXXXXX", job->directory) >=
            sizeof job->folder || !mkdtemp(job->folder))
        return nb_fail(job->error, NB_BAD_FILE, "%.300s: cannot be written: %s", job->directory,
                       strerror(errno));
    enum nb_status status = job->figure.input == NB_FIGURE_SCENE ? draw_scene(job) : draw_records(job);
    if (!status)
        status = move_results(job);
    remove_folder(job->folder);
    return status;
}

static enum nb_status draw(struct job *job)
{
    enum nb_status status = make_folders(job);
    if (!status)
        status = draw_in(job);
    if (status)
        remove_made(job);
    return status;
}

static enum nb_status find_figure(struct job *job, const char *figure, char *const *changes,
                                  int count)
{
    char folder[PATH_MAX], known[300];
    const enum nb_status status = nb_plot_folder(folder, sizeof folder, job->error);
    if (status)
        return status;
    snprintf(job->style, sizeof job->style, "%s/style.gp", folder);
    snprintf(job->script, sizeof job->script, "%s/%.60s.gp", folder, figure);
    if (figure[0] != '\0' && !strchr(figure, '/') && strcmp(figure, "style") != 0 &&
        strlen(figure) < NB_PLOT_NAME && access(job->script, F_OK) == 0)
        return nb_figure_read(job->script, changes, count, &job->figure, job->error);
    nb_plot_suggest(figure, known, sizeof known);
    return nb_fail(job->error, NB_BAD_INPUT, "no figure '%.60s'; %s", figure, known);
}

enum nb_status nb_plot(const char *figure, char *const *changes, int count, const char *input,
                       const char *directory, FILE *report, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %s", figure);
    job->input = input;
    job->directory = directory;
    job->report = report;
    job->error = error;
    bool hdf5 = false;
    enum nb_status status = find_figure(job, figure, changes, count);
    if (!status)
        status = is_hdf5(input, &hdf5, error);
    if (!status && hdf5 != (job->figure.input == NB_FIGURE_SCENE))
        status = nb_fail(error, NB_BAD_INPUT, "%s draws %s, and %s is %s", figure,
                         hdf5 ? "records (RESULTS.jsonl)" : "a problem file (FILE.h5)", input,
                         hdf5 ? "an HDF5 file" : "not HDF5");
    if (!status)
        status = draw(job);
    free(job);
    return status;
}
