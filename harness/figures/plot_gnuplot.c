/* Runs gnuplot twice, for PDF and PNG: on the figure's variables, the common style and the figure file. What it
 * says goes to a log, whose first complaint is the error where no picture came of it. */
#include "harness/figures/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

#define LOG_NAME "gnuplot.log"

static enum nb_status wait_for(pid_t child, int *exit_status, struct nb_error *error)
{
    while (waitpid(child, exit_status, 0) < 0)
        if (errno != EINTR)
            return nb_fail(error, NB_BAD_FILE, "gnuplot cannot be waited for: %s",
                           strerror(errno));
    return NB_OK;
}

/* Runs gnuplot in folder with its output in LOG_NAME there. -d: the user's own start-up file must
 * not change a figure. */
static enum nb_status spawn(const char *folder, char *const *arguments, int *exit_status,
                            struct nb_error *error)
{
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to start gnuplot");
    int failed = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, 1, LOG_NAME,
                                                  O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (!failed)
        failed = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return nb_fail(error, NB_UNSUPPORTED, "gnuplot cannot be started (%s); figures need the "
                       "package gnuplot-nox", strerror(failed));
    return wait_for(child, exit_status, error);
}

/* The first line of the log that names a line and is no warning, else the last one; "" where there is
 * none. */
static void first_complaint(const char *folder, char *text, size_t size)
{
    char path[4096];
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/" LOG_NAME, folder);
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *start = line + strspn(line, " \t^");
        if (*start == '\0')
            continue;
        snprintf(text, size, "%s", start);
        if (strstr(start, "line ") && !strstr(start, "warning:"))
            break;
    }
    fclose(file);
}

static enum nb_status check_output(const char *folder, const char *name, const char *format,
                                   int exit_status, struct nb_error *error)
{
    char path[4096], complaint[256];
    struct stat entry;
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, format);
    if (WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == 0 && stat(path, &entry) == 0 &&
        entry.st_size > 0)
        return NB_OK;
    first_complaint(folder, complaint, sizeof complaint);
    if (!complaint[0]) /* nor could the log be written */
        return nb_fail(error, NB_BAD_FILE, "%.300s could not be written: is the disk full?", path);
    return nb_fail(error, NB_BAD_INPUT, "gnuplot could not draw %s.%s: %s", name, format,
                   complaint);
}

/* The folder of a file with its slash, as it stands between single quotes. text [2 PATH_MAX] */
static void quote_folder(const char *file, char *text)
{
    const char *end = strrchr(file, '/');
    for (const char *c = file; end && c <= end; ++c) {
        if (*c == '\'')
            *text++ = '\'';
        *text++ = *c;
    }
    *text = 0;
}

static enum nb_status draw(const char *folder, const char *name, const char *format,
                           const char *style, const char *figure, struct nb_error *error)
{
    char set[2 * PATH_MAX + 512], plots[2 * PATH_MAX], variables[256];
    quote_folder(style, plots);
    snprintf(set, sizeof set, "format = '%s'; output = '%s.%s'; plots = '%s'", format, name, format, plots);
    snprintf(variables, sizeof variables, "%s.gp", name);
    char *const arguments[] = {"gnuplot", "-d", "-e", set, variables, (char *)style,
                               (char *)figure, NULL};
    int exit_status = 0;
    const enum nb_status status = spawn(folder, arguments, &exit_status, error);
    return status ? status : check_output(folder, name, format, exit_status, error);
}

enum nb_status nb_gnuplot_run(const char *folder, const char *name, const char *style,
                              const char *figure, struct nb_error *error)
{
    const enum nb_status status = draw(folder, name, "pdf", style, figure, error);
    return status ? status : draw(folder, name, "png", style, figure, error);
}
