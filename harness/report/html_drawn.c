/* The pictures of a folder, as `ncpbench plot --format svg` leaves them there, in the order of their names. Their ids
 * begin with their names (harness/figures/svg.h), so that those of several do not clash. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/figures/plot.h"
#include "harness/figures/svg.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

/* The title of the figure file whose name, and perhaps "_VARIANT", the picture has; "" where there is none. */
static void find_title(const char *name, char *title, size_t size)
{
    char folder[PATH_MAX], stem[NAME_MAX + 1], path[PATH_MAX + NAME_MAX + 8];
    static struct nb_figure figure;
    struct nb_error ignored;
    *title = '\0';
    if (nb_plot_folder(folder, sizeof folder, &ignored))
        return;
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(name) - strlen(".svg")), name);
    for (char *end = stem + strlen(stem); end; end = strrchr(stem, '_')) {
        *end = '\0';
        snprintf(path, sizeof path, "%s/%s.gp", folder, stem);
        if (!access(path, R_OK) && !nb_figure_read(path, NULL, 0, &figure, &ignored)) {
            snprintf(title, size, ": %s", figure.title);
            return;
        }
    }
}

static enum nb_status print_picture(const char *folder, const char *name, FILE *stream, struct nb_error *error)
{
    char path[PATH_MAX], title[200];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return nb_fail(error, NB_BAD_INPUT, "%.300s: the path is too long", folder);
    fputs("<figure>", stream);
    const enum nb_status status = nb_svg_print(path, stream, error);
    find_title(name, title, sizeof title);
    nb_html_print(stream, "<figcaption>%s%s</figcaption></figure>\n", name, title);
    return status;
}

enum nb_status nb_html_drawn(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    const char *folder = cases->page->figures;
    struct dirent **entry = NULL;
    enum nb_status status = NB_OK;
    const int count = folder ? scandir(folder, &entry, nb_svg_is, alphasort) : 0;
    if (count < 0)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be read: %s", folder, strerror(errno));
    if (count)
        fputs("<section id=drawn><h2>More figures</h2>\n<div class=figures>\n", stream);
    for (int i = 0; i < count; ++i) {
        if (!status)
            status = print_picture(folder, entry[i]->d_name, stream, error);
        free(entry[i]);
    }
    if (count)
        fputs("</div></section>\n", stream);
    free(entry);
    return status;
}
