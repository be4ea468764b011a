/* The pictures of a folder, as `ncpbench plot --format svg` leaves them there, in the order of their names. Their ids
 * begin with their names (harness/figures/svg.h), so that those of several do not clash. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/svg.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"
#include "problems/io/regular_file.h"

static int is_picture(const struct dirent *entry)
{
    return !fnmatch("*.svg", entry->d_name, 0);
}

static enum nb_status print_picture(const char *folder, const char *name, FILE *stream, struct nb_error *error)
{
    char path[PATH_MAX];
    struct nb_content content = {0};
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return nb_fail(error, NB_BAD_INPUT, "%.300s: the path is too long", folder);
    enum nb_status status = nb_content_add(&content, path, error);
    const char *text = (const char *)content.bytes;
    if (!status && (strlen(text) != content.size || !strstr(text, "<svg") || !strstr(text, "</svg>")))
        status = nb_fail(error, NB_BAD_FILE, "%.300s: is no SVG file", path);
    if (!status) {
        fputs("<figure>", stream);
        fputs(nb_svg_element(text), stream);
        nb_html_print(stream, "<figcaption>%s</figcaption></figure>\n", name);
    }
    nb_content_free(&content);
    return status;
}

enum nb_status nb_html_drawn(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    const char *folder = cases->page->figures;
    struct dirent **entry = NULL;
    enum nb_status status = NB_OK;
    const int count = folder ? scandir(folder, &entry, is_picture, alphasort) : 0;
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
