/* The output folder and the hidden one in it. */
#include "harness/figures/plot_output.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/records/folders.h"

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
