/* Finds the folder of the figure files (NCPBENCH_PLOTS, beside the program, or installed) and the figures in it. */
#include "harness/figures/plot.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/installed.h"
#include "problems/base/suggest.h"

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
