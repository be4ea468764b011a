/* Where the figure files are, and which there are. */
#include "harness/plot.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Levenshtein's distance, of names up to 63 characters. */
static int edit_distance(const char *a, const char *b)
{
    int row[64];
    const int columns = (int)strnlen(b, 63);
    for (int j = 0; j <= columns; ++j)
        row[j] = j;
    for (int i = 1; *a; ++a, ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; ++j) {
            const int replace = diagonal + (*a != b[j - 1]);
            diagonal = row[j];
            row[j] = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            row[j] = replace < row[j] ? replace : row[j];
        }
    }
    return row[columns];
}

static int is_figure(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".gp") == 0 &&
           strcmp(entry->d_name, "style.gp") != 0;
}

void nb_plot_suggest(const char *name, char *text, size_t size)
{
    char folder[PATH_MAX], nearest[NB_PLOT_NAME] = "";
    struct dirent **entries = NULL;
    int best = INT_MAX;
    snprintf(text, size, "there are no figure files");
    if (nb_plot_folder(folder, sizeof folder, NULL))
        return;
    const int count = scandir(folder, &entries, is_figure, alphasort);
    size_t used = 0;
    for (int i = 0; i < count; ++i) {
        const int length = (int)strlen(entries[i]->d_name) - 3;
        char known[NB_PLOT_NAME];
        snprintf(known, sizeof known, "%.*s", length, entries[i]->d_name);
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "known figures: ",
                                     known);
        const int distance = edit_distance(name, known);
        if (distance < best) {
            best = distance;
            strcpy(nearest, known);
        }
        free(entries[i]);
    }
    free(entries);
    if (count > 0 && used < size)
        snprintf(text + used, size - used, "; nearest: %s", nearest);
}
