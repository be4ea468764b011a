/* The pictures of a folder, as `ncpbench plot --format svg` leaves them there, in the order of their names. Their ids
 * begin with their names (harness/figures/figure.h), so that those of several do not clash. A caption says what the
 * figure's file says of it, in its title and the comment below its directives, and, where the folder has claims.json,
 * as `ncpbench claims --json` prints it, how the claims are judged that name the figure. */
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
#include "problems/io/regular_file.h"

/* The figure file whose name, and perhaps "_VARIANT", the picture has, into path [size]; false: there is none. */
static bool find_file(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX], stem[NAME_MAX + 1];
    struct nb_error ignored;
    if (nb_plot_folder(folder, sizeof folder, &ignored))
        return false;
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(name) - strlen(".svg")), name);
    for (char *end = stem + strlen(stem); end; end = strrchr(stem, '_')) {
        *end = '\0';
        snprintf(path, size, "%s/%s.gp", folder, stem);
        if (!access(path, R_OK))
            return true;
    }
    return false;
}

/* The comment below the directives: lines that begin with "#", up to the first that does not. */
static void print_comment(const char *path, FILE *stream)
{
    char line[400];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && line[0] == '#') {
        line[strcspn(line, "\n")] = '\0';
        if (line[1] == ' ')
            nb_html_print(stream, "%s", line + 1);
    }
    if (file)
        fclose(file);
}

static bool is_decided(const char *verdict)
{
    return *verdict && strcmp(verdict, "not_decided") && strcmp(verdict, "not_testable");
}

/* Prints the claims that are decided and name the picture or its figure. */
static void print_claims(const cJSON *claims, const char *name, const char *path, FILE *stream)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (const cJSON *claim = claims ? claims->child : NULL; claim; claim = claim->next) {
        const char *figure = nb_json_string(claim, "figure"), *verdict = nb_json_string(claim, "verdict");
        const size_t length = strlen(figure);
        const bool is_picture = !strncmp(name, figure, length) && !strcmp(name + length, ".svg");
        const bool is_figure = !strncmp(file, figure, length) && !strcmp(file + length, ".gp");
        char words[40];
        if (!length || !is_decided(verdict) || !(is_picture || is_figure))
            continue;
        snprintf(words, sizeof words, "%s", verdict);
        for (char *c = words; *c; ++c)
            *c = *c == '_' ? ' ' : *c;
        nb_html_print(stream, "<br><b>%s</b> %s: %s\n", words, nb_json_string(claim, "id"),
                      nb_json_string(claim, "says"));
    }
}

static void print_caption(const cJSON *claims, const char *name, FILE *stream)
{
    static struct nb_figure figure;
    struct nb_error ignored;
    char path[PATH_MAX + NAME_MAX + 8];
    if (!find_file(name, path, sizeof path) || nb_figure_read(path, NULL, 0, &figure, &ignored)) {
        nb_html_print(stream, "<figcaption>%s", name);
    } else {
        nb_html_print(stream, "<figcaption><b>%s.</b>", figure.title);
        print_comment(path, stream);
        print_claims(claims, name, path, stream);
    }
    fputs("</figcaption></figure>\n", stream);
}

static enum nb_status print_picture(const char *folder, const char *name, const cJSON *claims, FILE *stream,
                                    struct nb_error *error)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return nb_fail(error, NB_BAD_INPUT, "%.300s: the path is too long", folder);
    fputs("<figure>", stream);
    const enum nb_status status = nb_svg_print(path, stream, error);
    print_caption(claims, name, stream);
    return status;
}

/* The folder's claims.json; NULL: there is none. */
static enum nb_status read_claims(const char *folder, cJSON **document, struct nb_error *error)
{
    char path[PATH_MAX];
    struct nb_content content = {0};
    *document = NULL;
    snprintf(path, sizeof path, "%.4000s/claims.json", folder);
    if (access(path, F_OK))
        return NB_OK;
    const enum nb_status status = nb_content_add(&content, path, error);
    if (!status)
        *document = cJSON_Parse((const char *)content.bytes);
    nb_content_free(&content);
    if (status || *document)
        return status;
    return nb_fail(error, NB_BAD_FILE, "%.300s: is not what `ncpbench claims --json` prints", path);
}

static enum nb_status print_pictures(const char *folder, struct dirent **entry, int count, FILE *stream,
                                     struct nb_error *error)
{
    cJSON *document;
    enum nb_status status = read_claims(folder, &document, error);
    const cJSON *claims = nb_json_member(document, "claims");
    fputs("<section id=drawn><h2>More figures</h2>\n<div class=figures>\n", stream);
    for (int i = 0; i < count && !status; ++i)
        status = print_picture(folder, entry[i]->d_name, claims, stream, error);
    fputs("</div></section>\n", stream);
    cJSON_Delete(document);
    return status;
}

enum nb_status nb_page_pictures(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    const char *folder = cases->page->figures;
    struct dirent **entry = NULL;
    enum nb_status status = NB_OK;
    const int count = folder ? scandir(folder, &entry, nb_svg_is, alphasort) : 0;
    if (count < 0)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be read: %s", folder, strerror(errno));
    if (count)
        status = print_pictures(folder, entry, count, stream, error);
    for (int i = 0; i < count; ++i)
        free(entry[i]);
    free(entry);
    return status;
}
