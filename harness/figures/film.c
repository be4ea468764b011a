/* A film of a simulation. Each frame is written as the picture of its step, with the camera of the first; at the end,
 * when it is known what all of them show, gnuplot draws one after the other into an animated GIF: it loads the frame's
 * variables, those of the common window after them, and the figure file. */
#include "harness/figures/film.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/picture.h"
#include "harness/figures/plot.h"
#include "harness/figures/plot_output.h"

struct nb_film {
    char path[PATH_MAX], folder[PATH_MAX];   /* of the film; of its frames */
    char style[PATH_MAX + 16], script[PATH_MAX + 16];
    double seconds;
    struct nb_figure figure;
    struct nb_film_window window;
};

/* A hidden folder beside the film. */
static enum nb_status make_folder(struct nb_film *film, struct nb_error *error)
{
    const char *slash = strrchr(film->path, '/');
    char folder[PATH_MAX];
    const int length = snprintf(folder, sizeof folder, "%.*s.film.XXXXXX", slash ? (int)(slash + 1 - film->path) : 0,
                                film->path);
    if (length >= (int)sizeof folder || !mkdtemp(folder))
        return nb_fail(error, NB_BAD_FILE, "%.300s: no folder beside it for its frames: %s", film->path,
                       strerror(errno));
    if (!realpath(folder, film->folder))
        return nb_fail(error, NB_BAD_FILE, "%.300s: %s", folder, strerror(errno));
    return NB_OK;
}

enum nb_status nb_film_begin(struct nb_film **film, const char *path, double seconds, struct nb_error *error)
{
    char plots[PATH_MAX];
    struct nb_film *made = *film = calloc(1, sizeof *made);
    if (!made)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a film");
    if (snprintf(made->path, sizeof made->path, "%s", path) >= (int)sizeof made->path)
        return nb_fail(error, NB_BAD_INPUT, "%.60s...: the name is too long", path);
    made->seconds = seconds;
    enum nb_status status = nb_plot_folder(plots, sizeof plots, error);
    if (status)
        return status;
    snprintf(made->style, sizeof made->style, "%s/style.gp", plots);
    snprintf(made->script, sizeof made->script, "%s/figure14.gp", plots);
    status = nb_figure_read(made->script, NULL, 0, &made->figure, error);
    return status ? status : make_folder(made, error);
}

enum nb_status nb_film_add(struct nb_film *film, const struct nb_problem *problem, const double *lambda,
                           struct nb_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "frame%d", film->window.frames);
    return nb_picture_write_seen(&film->figure, problem, lambda, &film->window, film->folder, name, error);
}

/* A file of gnuplot's in the folder: window.gp, film.gp (what the style reads first) or play.gp. */
static enum nb_status write_file(const struct nb_film *film, const char *name, struct nb_error *error)
{
    char path[PATH_MAX + 16];
    FILE *file;
    const enum nb_status status = nb_text_open(film->folder, name, "gp", path, sizeof path, &file, error);
    if (status)
        return status;
    if (!strcmp(name, "window")) {
        nb_picture_window(&film->figure, &film->window.box, film->window.longest, file);
        fprintf(file, "width = 1. * width\nheight = 1. * height\ninset = 0\n");
    } else if (!strcmp(name, "film")) {
        fprintf(file, "load 'frame0.gp'\nload 'window.gp'\ndelay = %.0f\n", fmax(2, 100 * film->seconds));
    } else {
        fprintf(file, "do for [frame=0:%d] {\n    load sprintf('frame%%d.gp', frame)\n    load 'window.gp'\n    load ",
                film->window.frames - 1);
        nb_text_quote(file, film->script);
        fprintf(file, "\n}\n");
    }
    return nb_text_close(file, path, error);
}

enum nb_status nb_film_finish(struct nb_film *film, struct nb_error *error)
{
    static const char *const files[] = {"window", "film", "play"};
    char drawn[PATH_MAX + 16], play[PATH_MAX + 16];
    enum nb_status status = NB_OK;
    if (film->window.frames == 0)
        return nb_fail(error, NB_BAD_INPUT, "%.300s: there is no step to show", film->path);
    for (int i = 0; i < 3 && !status; ++i)
        status = write_file(film, files[i], error);
    snprintf(play, sizeof play, "%s/play.gp", film->folder);
    snprintf(drawn, sizeof drawn, "%s/film.gif", film->folder);
    status = status ? status : nb_gnuplot_run(film->folder, "film", "gif", film->style, play, error);
    if (!status && rename(drawn, film->path) != 0)
        status = nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", film->path, strerror(errno));
    return status;
}

void nb_film_end(struct nb_film *film)
{
    if (film && film->folder[0])
        nb_output_remove(film->folder);
    free(film);
}
