/* Finds the folder of the figure files (NCPBENCH_PLOTS, beside the program, or installed) and the figures in it. */
#include "harness/figures/plot.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problems/base/suggest.h"

/* The folder of the running program, "" where the system does not tell. */
static void program_folder(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

enum nb_status nb_plot_folder(char *path, size_t size, struct nb_error *error)
{
    char wanted[PATH_MAX + 32], program[PATH_MAX], real[PATH_MAX];
    const char *set = getenv("NCPBENCH_PLOTS");
    program_folder(program, sizeof program);
    if (set && *set)
        snprintf(wanted, sizeof wanted, "%s", set);
    else
        snprintf(wanted, sizeof wanted, "%s/../plots", program);
    if (!(set && *set) && access(wanted, F_OK)) /* an installed program */
        snprintf(wanted, sizeof wanted, "%s/../share/ncpbench/plots", program);
    if (!realpath(wanted, real) || strlen(real) >= size)
        return nb_fail(error, NB_BAD_FILE, "%.300s: the folder of figure files is not there; "
                       "NCPBENCH_PLOTS can name it", wanted);
    strcpy(path, real);
    return NB_OK;
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
