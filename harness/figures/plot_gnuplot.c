/* Runs gnuplot once for each format: on the figure's variables, the common style and the figure file. It draws into
 * a pipe, of which this program writes the file: gnuplot does not notice a full disk. What gnuplot says goes to a log,
 * whose first complaint is the error where no picture came of it. Its own variables in the environment, as GNUTERM,
 * are taken out: they must not change a figure. */
#include "harness/figures/plot.h"
#include "harness/figures/figure.h"
#include "harness/records/values.h"
#include "problems/base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define LOG_NAME "gnuplot.log"
#define FORMATS "pdf,png,svg"

/* This program's environment without gnuplot's variables; NULL where memory is short. The entries are borrowed. */
static char **clean_environment(void)
{
    static const char *const of_gnuplot[] = {"GNUTERM=", "GNUPLOT", "GNUHELP=", "GNUFIT", "FIT_", "GDFONTPATH="};
    size_t count = 0, kept = 0;
    while (environ[count])
        ++count;
    char **clean = malloc((count + 1) * sizeof *clean);
    for (size_t i = 0; clean && i < count; ++i) {
        bool drop = false;
        for (size_t k = 0; k < sizeof of_gnuplot / sizeof *of_gnuplot; ++k)
            drop = drop || !strncmp(environ[i], of_gnuplot[k], strlen(of_gnuplot[k]));
        if (!drop)
            clean[kept++] = environ[i];
    }
    if (clean)
        clean[kept] = NULL;
    return clean;
}

/* Copies what comes through the pipe to its end, also where it can no longer be written. */
static void copy(int input, FILE *file)
{
    char part[65536];
    ssize_t length;
    while ((length = read(input, part, sizeof part)) > 0 || (length < 0 && errno == EINTR))
        if (length > 0 && !ferror(file))
            fwrite(part, 1, (size_t)length, file);
}

/* Runs gnuplot in folder; its picture goes to file. */
static enum nb_status run(const char *folder, char *const *arguments, FILE *file, int *exit_status,
                          struct nb_error *error)
{
    int ends[2];
    pid_t child = -1;
    char **environment = clean_environment();
    if (!environment)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for gnuplot's environment");
    if (pipe2(ends, O_CLOEXEC)) {
        free(environment);
        return nb_fail(error, NB_UNSUPPORTED, "no pipe to gnuplot: %s", strerror(errno));
    }
    const struct nb_apart_program gnuplot = {arguments, environment, folder, ends[1], LOG_NAME};
    const int failed = nb_apart_start(&gnuplot, &child);
    free(environment);
    close(ends[1]);
    if (!failed)
        copy(ends[0], file);
    close(ends[0]);
    if (failed)
        return nb_fail(error, NB_UNSUPPORTED, "gnuplot cannot be started (%s); figures need the "
                       "package gnuplot-nox", strerror(failed));
    *exit_status = nb_apart_wait(child);
    return *exit_status < 0 ? nb_fail(error, NB_BAD_FILE, "gnuplot cannot be waited for: %s", strerror(errno)) : NB_OK;
}

/* The first line of the log that names a line and is not a warning, else the last one; "" where there is
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
                                   bool empty, int exit_status, struct nb_error *error)
{
    char complaint[256];
    if (WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == 0 && !empty)
        return NB_OK;
    first_complaint(folder, complaint, sizeof complaint);
    return nb_fail(error, NB_BAD_INPUT, "gnuplot could not draw %s.%s: %s", name, format,
                   complaint[0] ? complaint : "it does not say why; is the disk full?");
}

/* What gnuplot is told before the figure's variables; the caller frees it. NULL: no memory. */
static char *settings(const char *format, const char *style)
{
    char *text = NULL, plots[PATH_MAX + 16];
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    snprintf(plots, sizeof plots, "%.*s", (int)(strrchr(style, '/') + 1 - style), style);
    fprintf(stream, "format = '%s'; output = '/dev/stdout'; plots = ", format);
    nb_text_quote(stream, plots);
    return fclose(stream) ? NULL : text;
}

static enum nb_status draw(const char *folder, const char *name, const char *format,
                           const char *style, const char *figure, struct nb_error *error)
{
    char path[PATH_MAX + 256], variables[256];
    FILE *file = NULL;
    int exit_status = 0;
    char *set = settings(format, style);
    enum nb_status status = set ? nb_text_open(folder, name, format, path, sizeof path, &file, error)
                                : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %s", name);
    if (status) {
        free(set);
        return status;
    }
    snprintf(variables, sizeof variables, "%s.gp", name);
    char *const arguments[] = {"gnuplot", "-d", "-e", set, variables, (char *)style,
                               (char *)figure, NULL};
    status = run(folder, arguments, file, &exit_status, error);
    const bool empty = ftell(file) <= 0;
    const enum nb_status written = nb_text_close(file, path, status ? NULL : error);
    free(set);
    if (status || written)
        return status ? status : written;
    status = check_output(folder, name, format, empty, exit_status, error);
    return status || strcmp(format, "svg") ? status : nb_svg_finish(path, name, error);
}

enum nb_status nb_plot_check_formats(const char *formats, struct nb_error *error)
{
    char format[8];
    int count = 0;
    for (; nb_choice_name(formats, count, format, sizeof format)[0]; ++count)
        if (nb_choice_index(FORMATS, format) < 0)
            return nb_fail(error, NB_BAD_INPUT, "--format: no format '%.20s'; known: pdf, png, svg", format);
    return count ? NB_OK : nb_fail(error, NB_BAD_INPUT, "--format: none of pdf, png, svg is named");
}

enum nb_status nb_gnuplot_run(const char *folder, const char *name, const char *formats, const char *style,
                              const char *figure, struct nb_error *error)
{
    char format[8];
    enum nb_status status = NB_OK;
    for (int i = 0; !status && nb_choice_name(formats, i, format, sizeof format)[0]; ++i)
        status = draw(folder, name, format, style, figure, error);
    return status;
}
