/* The output folder and the hidden one in it. */
#include "harness/figures/plot_output.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/figures/plot.h"
#include "harness/records/folders.h"
#include "harness/records/installed.h"
#include "problems/base/suggest.h"

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

/* The nearest name first: a long list may not fit. */
static void write_names(const char *name, const char *const *known, int count, char *text,
                        size_t size)
{
    const char *nearest = *name ? nb_nearest_name(name, known, (size_t)count) : NULL;
    size_t used = 0;
    if (nearest)
        used = (size_t)snprintf(text, size, "nearest: %s; ", nearest);
    for (int i = 0; i < count && used < size; ++i)
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
        if (!status)
            status = move_one(output, entries[i]->d_name, error);
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

enum nb_status nb_output_begin(struct nb_plot_output *output, struct nb_error *error)
{
    output->made = 0;
    enum nb_status status = nb_make_folders(output->directory, &output->made, error);
    errno = ENAMETOOLONG; /* which snprintf does not say */
    if (!status && ((size_t)snprintf(output->folder, sizeof output->folder, "%s/.plot-XXXXXX", output->directory) >=
                        sizeof output->folder || !mkdtemp(output->folder)))
        status = nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", output->directory, strerror(errno));
    if (status)
        remove_made(output);
    return status;
}

enum nb_status nb_output_end(struct nb_plot_output *output, enum nb_status status, struct nb_error *error)
{
    if (!status)
        status = move_results(output, error);
    nb_output_remove(output->folder);
    if (status)
        remove_made(output);
    return status;
}
