/* The page: a template (report.html) into which go the title, figures and the data (page_data.c) that its script draws
 * (report.js). Style sheet and script stand in it: it loads nothing, and its policy forbids it to. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/figures/figure.h"
#include "harness/figures/plot.h"
#include "harness/records/json.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"
#include "report_page.h"

/* The pictures of a folder, as `ncpbench plot --format svg` leaves them there, in the order of their names. Their ids
 * begin with their names (harness/figures/figure.h), so that those of several do not clash. */

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

/* The SVG files of a folder. */
static enum nb_status print_pictures(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
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

/* "<" stands in JSON only within texts, where it may be written so; nothing in them ends the script that holds them. */
static enum nb_status print_data(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    cJSON *data = NULL;
    const enum nb_status status = nb_page_data(cases, &data, error);
    char *text = status ? NULL : nb_json_print(data);
    cJSON_Delete(data);
    if (!status && !text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the report");
    for (const char *c = text; c && *c; ++c)
        *c == '<' ? fputs("\\u003c", stream) : fputc(*c, stream);
    cJSON_free(text);
    return status;
}

static enum nb_status print_page(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    fputs(report_page[0], stream);
    nb_html_text(stream, nb_page_title(cases->page));
    fputs(report_page[1], stream);
    enum nb_status status = nb_page_figures(cases, stream, error);
    if (!status)
        status = print_pictures(cases, stream, error);
    fputs(report_page[2], stream);
    if (!status)
        status = print_data(cases, stream, error);
    fputs(report_page[3], stream);
    return status;
}

enum nb_status nb_report_html(const struct nb_page *page, const char *path, struct nb_error *error)
{
    return nb_page_write(page, print_page, path, error);
}
